/* SPDX-License-Identifier: MIT */
/* The initramfs of `vpup run --exec`: a helper as /init, a command, and the programs that it names. */
#ifndef VPUP_VMM_INITRAMFS_H
#define VPUP_VMM_INITRAMFS_H

#include "vmm/cpio.h"
#include "vmm/err.h"

/*
 * Makes the archive for this command, with those of the modules tree (or NULL) that Linux needs for
 * vpup's devices, which a shell will run; the helper learns what terminal stands
 * behind stdin. out is the caller's, for cpio_fini() in any case. Returns 0 or -errno with e naming
 * what is missing.
 */
int initramfs_build(struct cpio *out, const char *command, const char *modules, struct err *e);

#endif
