/* SPDX-License-Identifier: MIT */
/* Shared libraries that are opened when they are needed. */
#include "vmm/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

int library_open(const struct library *l, void **handle, void *out, struct err *e)
{
	*handle = dlopen(l->file, RTLD_NOW);
	if (!*handle)
		return err_set(e, ENOENT, "%s is needed: install %s", l->file, l->install);
	for (size_t i = 0; i < l->functions; i++) {
		void *address = dlsym(*handle, l->function[i].name);

		if (!address) {
			library_close(*handle);
			*handle = NULL;
			return err_set(e, ENOENT, "%s has no %s(): a newer one is needed", l->file,
				       l->function[i].name);
		}
		memcpy((char *)out + l->function[i].offset, &address, sizeof(address));
	}
	return 0;
}

void library_close(void *handle)
{
	if (handle)
		dlclose(handle);
}
