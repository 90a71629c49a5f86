/* SPDX-License-Identifier: MIT */
/* Kernel modules: found by name, unpacked, each after those that it depends on. */
#ifndef VPUP_LAB_MODULES_H
#define VPUP_LAB_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"

#define MODULE_NAME_MAX 64 /* with its NUL, and room for ".ko" */
#define MODULES_MAX     16 /* in dependency order; KVM needs three or four */

struct module {
	char *name;    /* owned; with underscores, as the kernel has it */
	uint8_t *data; /* owned; an ELF file */
	size_t size_bytes;
};

/* Start with zeroes. */
struct modules {
	struct module module[MODULES_MAX];
	size_t count;
};

/*
 * Adds a module of those under dir (/lib/modules/VERSION, or any tree of them), after what it depends
 * on by its own account (modules.dep is not there before depmod has run). What is built into the
 * kernel is left out. Files may be compressed. Returns 0; -ENOENT, -EINVAL or -ENOMEM with e set.
 */
int modules_add(struct modules *m, const char *dir, const char *name, struct err *e);

/* The kernel's version that a module was built for; NULL: it does not tell. Points into data. */
const char *module_vermagic(const uint8_t *data, size_t size_bytes);

void modules_fini(struct modules *m);

#endif
