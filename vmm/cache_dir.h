/* SPDX-License-Identifier: MIT */
/* Where vpup keeps what can be had again, and the kernels that are kept there under short names. */
#ifndef VPUP_VMM_CACHE_DIR_H
#define VPUP_VMM_CACHE_DIR_H

#include <stdbool.h>

#include "vmm/err.h"

#define KERNEL_NAME_PREFIX "lab:" /* of kernels in the cache; a version follows */

/* $XDG_CACHE_HOME/vpup, or $HOME/.cache/vpup; malloc'ed. NULL: neither is set, or no memory. */
char *cache_dir(void);

/* Makes a directory and its parents. Returns 0, or -1 with errno set. */
int cache_dir_make(const char *path);

/* Does the name stand for a kernel that `vpup lab fetch` gets: "lab:6.1"? */
bool kernel_name_is_cached(const char *name);

/*
 * The file that name stands for: "lab:VERSION" is a kernel in the cache, anything else a path. *path
 * is malloc'ed. Returns 0, or -ENOENT or -ENOMEM with e saying how to get the kernel.
 */
int kernel_name_path(const char *name, char **path, struct err *e);

/* Where the modules of such a kernel are, malloc'ed; NULL: it is none, or no memory. */
char *kernel_name_modules(const char *name);

#endif
