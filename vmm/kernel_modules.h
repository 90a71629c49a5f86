/* SPDX-License-Identifier: MIT */
/* Kernel modules for the initramfs of --exec: those of vpup's devices, and what they depend on. */
#ifndef VPUP_VMM_KERNEL_MODULES_H
#define VPUP_VMM_KERNEL_MODULES_H

#include "vmm/cpio.h"
#include "vmm/err.h"

/*
 * Finds each module of names (NULL-terminated) below dir, a tree such as /lib/modules/RELEASE that
 * needs no modules.dep; unpacks it; and adds it to c as .vpup/modules/NN-NAME.ko, what it depends on
 * before it. One that is not there is taken to be built in. Returns 0 or -errno with e set: no tree,
 * a dependency missing, a file that can't be read.
 */
int kernel_modules_add(struct cpio *c, const char *dir, const char *const *names, struct err *e);

#endif
