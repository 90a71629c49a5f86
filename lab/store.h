/* SPDX-License-Identifier: MIT */
/* Debian kernels in the cache: kernel-VERSION/{vmlinuz,modules,package.deb,sums}. */
#ifndef VPUP_LAB_STORE_H
#define VPUP_LAB_STORE_H

#include "lab/cache.h"
#include "vmm/err.h"

/*
 * The paths, malloc'ed, of a kernel and of its modules. What is damaged is unpacked once more from
 * its package. Returns 0, or -ENOENT with e saying how to get the kernel, or -errno.
 */
int store_find(struct cache *c, const char *version, char **kernel, char **modules, struct err *e);

/* Unpacks a Debian kernel package, which is kept, as that version. c is locked. 0 or -errno. */
int store_add(struct cache *c, const char *version, const char *package, struct err *e);

#endif
