/* SPDX-License-Identifier: MIT */
/*
 * libarchive, opened when it is needed: it brings a dozen libraries with it, which would take longer
 * to load than the rest of vpup takes to start.
 */
#ifndef VPUP_VMM_ARCHIVE_LIB_H
#define VPUP_VMM_ARCHIVE_LIB_H

#include <archive.h>

#include "vmm/err.h"

#define ARCHIVE_LIBRARY "libarchive.so.13" /* the name since version 3.0 */

#define ARCHIVE_FUNCTIONS_X(X)             \
	X(archive_error_string)            \
	X(archive_filter_count)            \
	X(archive_read_data)               \
	X(archive_read_free)               \
	X(archive_read_new)                \
	X(archive_read_next_header)        \
	X(archive_read_open_memory)        \
	X(archive_read_support_filter_all) \
	X(archive_read_support_format_raw)

/* Its functions by their own names, of the types that archive.h gives them. */
struct archive_lib {
	void *handle;
#define ARCHIVE_POINTER(name) __typeof__(name) *name;
	ARCHIVE_FUNCTIONS_X(ARCHIVE_POINTER)
#undef ARCHIVE_POINTER
};

/*
 * Loads the library. Returns 0, or -ENOENT with e saying what to install; lib is valid for
 * archive_lib_close() in either case.
 */
int archive_lib_open(struct archive_lib *lib, struct err *e);
void archive_lib_close(struct archive_lib *lib);

#endif
