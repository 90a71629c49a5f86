/* SPDX-License-Identifier: MIT */
/* Which kernel modules a Linux guest needs for its devices, and where they are on this host. */
#ifndef VPUP_VMM_GUEST_MODULES_H
#define VPUP_VMM_GUEST_MODULES_H

#include <stddef.h>

#include "vmm/config.h"
#include "vmm/cpio.h"
#include "vmm/err.h"

#define GUEST_MODULES_MAX 16

/*
 * The modules that drive the devices of that machine (NULL: all that there are) and are modules in
 * distributions' kernels. Returns their number.
 */
size_t guest_modules_names(const struct vm_config *cfg, const char *names[GUEST_MODULES_MAX]);

/*
 * Adds them, and what they depend on, to an initramfs as INIT_MODULES_DIR/NN-NAME.ko. They come from
 * --modules; else from beside a kernel of the lab's cache; else from /lib/modules for a kernel of that
 * release, if they are there. What the tree does not have is taken to be built in. Returns 0 or
 * -errno with e set.
 */
int guest_modules_add(struct cpio *c, const struct vm_config *cfg, const char *release,
		      struct err *e);

#endif
