/* SPDX-License-Identifier: MIT */
/* Takes files out of L1, which may be hostile. */
#include "lab/received.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lab/digest.h"
#include "lab/files.h"
#include "lab/frame.h"
#include "vmm/cache_dir.h"
#include "vmm/outfile.h"

static int begin(struct received *r, const uint8_t *data, size_t size_bytes, struct err *e)
{
	if (r->path || size_bytes == 0 || size_bytes >= PATH_MAX || memchr(data, 0, size_bytes))
		return err_set(e, EBADMSG, "L1 sent a file out of order");
	r->path = strndup((const char *)data, size_bytes);
	if (!r->path)
		return err_set(e, ENOMEM, "out of memory");
	if (!words_allow(r->words, r->path))
		return err_set(e, EACCES,
			       "L1 wanted to write '%.180s', which COMMAND does not name", r->path);
	return 0;
}

/* A file below a directory that COMMAND has made. */
static void make_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash && slash > path ? strndup(path, (size_t)(slash - path)) : NULL;

	if (dir)
		cache_dir_make(dir); /* if it can't be made, neither can the file: that tells */
	free(dir);
}

static int finish(struct received *r, const uint8_t *data, size_t size_bytes, struct err *e)
{
	struct digest sum, have;

	if (!r->path || size_bytes != sizeof(sum))
		return err_set(e, EBADMSG, "L1 sent a file out of order");
	if (r->data.failed)
		return err_set(e, ENOMEM, "out of memory for '%.180s'", r->path);
	memcpy(&sum, data, sizeof(sum));
	have = digest_of(r->data.size_bytes ? (const void *)r->data.data : "", r->data.size_bytes);
	if (have.low != sum.low || have.high != sum.high)
		return err_set(e, EBADMSG, "'%.180s' was damaged on its way out of L1", r->path);
	make_parent(r->path);
	return outfile_write(r->path, r->data.data, r->data.size_bytes, e);
}

int received_frame(struct received *r, uint32_t type, const uint8_t *data, size_t size_bytes,
		   struct err *e)
{
	int ret;

	if (type == FRAME_FILE)
		return begin(r, data, size_bytes, e);
	if (type == FRAME_FILE_END) {
		ret = finish(r, data, size_bytes, e);
		received_fini(r);
		return ret;
	}
	if (!r->path)
		return err_set(e, EBADMSG, "L1 sent a file out of order");
	if (r->data.size_bytes + size_bytes > FILES_INPUT_MAX)
		return err_set(e, EFBIG, "'%.180s' is too large to come out of L1", r->path);
	buffer_add(&r->data, data, size_bytes, FILES_INPUT_MAX);
	return 0;
}

void received_fini(struct received *r)
{
	free(r->path);
	r->path = NULL;
	buffer_fini(&r->data);
}
