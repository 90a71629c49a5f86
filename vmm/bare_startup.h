/* SPDX-License-Identifier: MIT */
/* The least that it takes to bring VPs up: what no VMM on this KVM can do without. */
#ifndef VPUP_VMM_BARE_STARTUP_H
#define VPUP_VMM_BARE_STARTUP_H

#include <stdint.h>

#include "vmm/err.h"

/* TSC cycles from the opening of /dev/kvm on. */
struct bare_startup {
	uint64_t entry_cycles;  /* until the boot VP's first KVM_RUN */
	uint64_t online_cycles; /* until the last VP counted itself */
};

/*
 * Opens /dev/kvm and makes a VM of its own with RAM, interrupt controllers, `vps` VCPUs and a thread
 * for each, and no device, table, CPUID or kernel. The boot VP sends INIT and SIPI to all; each VP
 * counts itself with a handful of instructions, and the last one leaves to user space. vp_setup_kick()
 * was called before. Returns 0 or -errno with e set; nothing of it is left behind.
 */
int bare_startup_measure(struct bare_startup *out, uint32_t vps, struct err *e);

#endif
