/* SPDX-License-Identifier: MIT */
/* libarchive, opened when it is needed. */
#include "vmm/archive_lib.h"

#include <stddef.h>

#include "vmm/library.h"

static const struct library_function functions[] = {
#define ARCHIVE_ROW(name) {#name, offsetof(struct archive_lib, name)},
	ARCHIVE_FUNCTIONS_X(ARCHIVE_ROW)
#undef ARCHIVE_ROW
};

static const struct library library = {
	.file = ARCHIVE_LIBRARY,
	.install = "libarchive (Debian: libarchive13)",
	.function = functions,
	.functions = sizeof(functions) / sizeof(functions[0]),
};

int archive_lib_open(struct archive_lib *lib, struct err *e)
{
	*lib = (struct archive_lib){.handle = NULL};
	return library_open(&library, &lib->handle, lib, e);
}

void archive_lib_close(struct archive_lib *lib)
{
	library_close(lib->handle);
	*lib = (struct archive_lib){.handle = NULL};
}
