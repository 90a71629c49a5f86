/* SPDX-License-Identifier: MIT */
/*
 * Shared libraries that are opened when they are needed: those that bring others with them would take
 * longer to load than the rest of vpup takes to start.
 */
#ifndef VPUP_VMM_LIBRARY_H
#define VPUP_VMM_LIBRARY_H

#include <stddef.h>

#include "vmm/err.h"

struct library {
	const char *file;    /* as dlopen() takes it, with the version of its ABI */
	const char *install; /* what to install where it is missing, for the error */
	const struct library_function *function;
	size_t functions;
};

/* A function, and where in the user's structure its pointer goes. */
struct library_function {
	const char *name;
	size_t offset;
};

/*
 * Opens the library and fills the pointers in `out`. Returns 0 with *handle, or -ENOENT with e saying
 * what to install.
 */
int library_open(const struct library *l, void **handle, void *out, struct err *e);

/* NULL is harmless. */
void library_close(void *handle);

#endif
