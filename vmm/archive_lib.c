/* SPDX-License-Identifier: MIT */
/* libarchive, opened when it is needed. */
#include "vmm/archive_lib.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY "libarchive.so.13" /* the name since version 3.0 */

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define ARCHIVE_ROW(name) {#name, offsetof(struct archive_lib, name)},
	ARCHIVE_FUNCTIONS_X(ARCHIVE_ROW)
#undef ARCHIVE_ROW
};

int archive_lib_open(struct archive_lib *lib, struct err *e)
{
	*lib = (struct archive_lib){.handle = dlopen(LIBRARY, RTLD_NOW)};
	if (!lib->handle)
		return err_set(e, ENOENT,
			       LIBRARY " is needed: install libarchive (Debian: "
				       "libarchive13)");
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *address = dlsym(lib->handle, functions[i].name);

		if (!address) {
			archive_lib_close(lib);
			return err_set(e, ENOENT, LIBRARY " has no %s(): a newer one is needed",
				       functions[i].name);
		}
		memcpy((char *)lib + functions[i].offset, &address, sizeof(address));
	}
	return 0;
}

void archive_lib_close(struct archive_lib *lib)
{
	if (lib->handle)
		dlclose(lib->handle);
	*lib = (struct archive_lib){0};
}
