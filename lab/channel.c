/* SPDX-License-Identifier: MIT */
/* Writes frames to a port. No driver, no interrupt: it works as soon as init runs. */
#include "lab/channel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>

#include "lab/digest.h"
#include "lab/files.h"
#include "vmm/file.h"
#include "vmm/tsc.h"

#define STEP_MAX 64

int channel_open(struct err *e)
{
	if (ioperm(FRAME_PORT, 1, 1))
		return err_set(e, errno, "can't use port %#x: %s", FRAME_PORT, strerror(errno));
	return 0;
}

void channel_send(enum frame_type type, const void *data, size_t size_bytes)
{
	uint8_t frame[FRAME_BYTES_MAX];

	do {
		size_t part = size_bytes < FRAME_DATA_MAX ? size_bytes : FRAME_DATA_MAX;

		outsb(FRAME_PORT, frame, frame_encode(frame, type, data, part));
		data = (const uint8_t *)data + part;
		size_bytes -= part;
	} while (size_bytes);
}

void channel_mark(const char *step)
{
	uint8_t mark[sizeof(uint64_t) + STEP_MAX];
	uint64_t tsc = tsc_now();
	size_t length = strnlen(step, STEP_MAX);

	memcpy(mark, &tsc, sizeof(tsc));
	memcpy(mark + sizeof(tsc), step, length);
	channel_send(FRAME_MARK, mark, sizeof(tsc) + length);
}

int channel_send_file(const char *path, struct err *e)
{
	struct digest sum;
	uint8_t *data;
	size_t size;
	int ret = file_read(path, FILES_INPUT_MAX, &data, &size, e);

	if (ret)
		return ret;
	sum = digest_of(data, size);
	channel_send(FRAME_FILE, path, strlen(path));
	channel_send(FRAME_DATA, data, size);
	channel_send(FRAME_FILE_END, &sum, sizeof(sum));
	free(data);
	return 0;
}
