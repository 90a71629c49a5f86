/* SPDX-License-Identifier: MIT */
/* The kernel that runs as L1, and its KVM modules. */
#ifndef VPUP_LAB_L1_KERNEL_H
#define VPUP_LAB_L1_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "lab/cache.h"
#include "vmm/kernel_modules.h"
#include "vmm/err.h"

struct l1_kernel {
	uint8_t *data; /* owned: vmlinux where it could be had, else the bzImage */
	size_t size_bytes;
	struct modules modules;
};

/* What was asked for; NULL: to be found. */
struct l1_kernel_wanted {
	const char *kernel;     /* a path or lab:VERSION */
	const char *modules;    /* a directory; NULL with lab:VERSION: the kernel's own */
	const char *kvm_module; /* kvm_amd or kvm_intel: what L1's CPU needs */
};

/*
 * Finds and reads the kernel: the one that is wanted, else this machine's own where it can be read and
 * has KVM as modules, else the one in the cache. A bzImage is unpacked once, and the result kept in the
 * cache. Returns 0; -EINVAL (what was asked for is wrong), -ENOENT (none), or another -errno with e
 * set. k is valid for l1_kernel_fini() in any case.
 */
int l1_kernel_get(struct l1_kernel *k, struct cache *c, const struct l1_kernel_wanted *wanted,
		  struct err *e);
void l1_kernel_fini(struct l1_kernel *k);

#endif
