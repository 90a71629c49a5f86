/* SPDX-License-Identifier: MIT */
/* Compressed data in memory, unpacked by libarchive's filters. */
#include "vmm/unpack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "vmm/archive_lib.h"

#define FIRST_BYTES 65536

/* Makes room for more, up to max. False: there is none. */
static bool grow(uint8_t **out, size_t *capacity, size_t max_bytes)
{
	size_t bytes = *capacity ? *capacity * 2 : FIRST_BYTES;
	uint8_t *bigger;

	if (bytes > max_bytes)
		bytes = max_bytes;
	bigger = bytes > *capacity ? realloc(*out, bytes) : NULL;
	if (!bigger)
		return false;
	*out = bigger;
	*capacity = bytes;
	return true;
}

static size_t read_data(const struct archive_lib *lib, struct archive *a, size_t max_bytes,
			uint8_t **out)
{
	size_t used = 0, capacity = 0;

	while (used < capacity || grow(out, &capacity, max_bytes)) {
		la_ssize_t n = lib->archive_read_data(a, *out + used, capacity - used);

		if (n <= 0)
			break;
		used += (size_t)n;
	}
	return used;
}

static int unpack_with(const struct archive_lib *lib, struct archive *a, const uint8_t *data,
		       size_t size_bytes, size_t max_bytes, uint8_t **out, size_t *out_bytes,
		       struct err *e)
{
	struct archive_entry *entry;

	lib->archive_read_support_filter_all(a);
	lib->archive_read_support_format_raw(a);
	if (lib->archive_read_open_memory(a, data, size_bytes) != ARCHIVE_OK)
		return err_set(e, EBADMSG, "can't be unpacked: %s", lib->archive_error_string(a));
	if (lib->archive_read_next_header(a, &entry) != ARCHIVE_OK)
		return err_set(e, EINVAL, "can't be unpacked: %s", lib->archive_error_string(a));
	/* The last filter, which is always there, only reads the memory. */
	if (lib->archive_filter_count(a) < 2)
		return err_set(e, EINVAL, "is not compressed in a way that libarchive knows");
	*out_bytes = read_data(lib, a, max_bytes, out);
	if (*out_bytes == 0)
		return err_set(e, EBADMSG, "can't be unpacked: it is damaged or empty");
	return 0;
}

int unpack(const uint8_t *data, size_t size_bytes, size_t max_bytes, uint8_t **out,
	   size_t *out_bytes, struct err *e)
{
	struct archive_lib lib;
	struct archive *a;
	int ret = archive_lib_open(&lib, e);

	*out = NULL;
	if (ret)
		return ret;
	a = lib.archive_read_new();
	ret = a ? unpack_with(&lib, a, data, size_bytes, max_bytes, out, out_bytes, e)
		: err_set(e, ENOMEM, "out of memory");
	if (a)
		lib.archive_read_free(a);
	archive_lib_close(&lib);
	if (ret) {
		free(*out);
		*out = NULL;
	}
	return ret;
}
