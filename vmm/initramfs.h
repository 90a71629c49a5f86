/* SPDX-License-Identifier: MIT */
/* The initramfs of `vpup run --exec`: a helper as /init, a command, and the programs that it names. */
#ifndef VPUP_VMM_INITRAMFS_H
#define VPUP_VMM_INITRAMFS_H

#include "vmm/config.h"
#include "vmm/cpio.h"
#include "vmm/err.h"

/*
 * Makes the archive for cfg->exec, which a shell will run, with the modules that a kernel of that release ("" where it
 * is not known) needs for the machine's devices; the helper learns what terminal stands behind stdin, and of
 * network and directory. out is the caller's, for cpio_fini() in any case. Returns 0 or -errno
 * with e naming what is missing.
 */
int initramfs_build(struct cpio *out, const struct vm_config *cfg, const char *release,
		    struct err *e);

#endif
