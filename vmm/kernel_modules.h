/* SPDX-License-Identifier: MIT */
/* Kernel modules: found by name, unpacked, each after those that it depends on. */
#ifndef VPUP_VMM_KERNEL_MODULES_H
#define VPUP_VMM_KERNEL_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"

#define MODULE_NAME_MAX 64 /* with its NUL, and room for ".ko" */
#define MODULES_MAX     48

struct module {
	char *name;    /* owned; with underscores, as the kernel has it */
	uint8_t *data; /* owned; an ELF file */
	size_t size_bytes;
};

/* Start with zeroes. */
struct modules {
	struct module module[MODULES_MAX]; /* in the order in which to load them */
	size_t count;
};

/*
 * Adds a module of those under dir (/lib/modules/RELEASE, or any tree of them), after what it depends
 * on by its own account (modules.dep is not there before depmod has run). What modules.builtin lists is
 * left out. Files may be compressed. Returns 0; -ENOENT with e set where the tree has no such module:
 * not every tree tells what is built in; another -errno with e set: no tree, a dependency that is
 * missing, a circle of them, a file that can't be read.
 */
int modules_add(struct modules *m, const char *dir, const char *name, struct err *e);

/* The kernel's version that a module was built for; NULL: it does not tell. Points into data. */
const char *module_vermagic(const uint8_t *data, size_t size_bytes);

void modules_fini(struct modules *m);

#endif
