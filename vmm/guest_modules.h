/* SPDX-License-Identifier: MIT */
/* Which kernel modules a Linux guest needs for its devices, and where they are on this host. */
#ifndef VPUP_VMM_GUEST_MODULES_H
#define VPUP_VMM_GUEST_MODULES_H

#include "vmm/config.h"
#include "vmm/cpio.h"
#include "vmm/err.h"
#include "vmm/kernel_modules.h"

/*
 * Adds to m what drives the devices of that machine (NULL: all that there are), and what that depends
 * on, from a tree on this host. What the tree does not have is taken to be built in. Returns 0 or
 * -errno with e set.
 */
int guest_modules_read(struct modules *m, const struct vm_config *cfg, const char *tree,
		       struct err *e);

/*
 * Adds the same to an initramfs as INIT_MODULES_DIR/NN-NAME.ko. The tree is --modules; else what lies beside a
 * kernel of the lab's cache; else /lib/modules for a kernel of that release, if it is there. Returns 0
 * or -errno with e set.
 */
int guest_modules_add(struct cpio *c, const struct vm_config *cfg, const char *release,
		      struct err *e);

#endif
