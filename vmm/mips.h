/* SPDX-License-Identifier: MIT */
/* How fast this KVM runs guest instructions: tells hardware virtualization from emulation. */
#ifndef VPUP_VMM_MIPS_H
#define VPUP_VMM_MIPS_H

#include <stdbool.h>

#include "vmm/err.h"
#include "vmm/kvm.h"

/*
 * Runs a loop of known length in a VM of its own (k is open and has no VM; it gets one) and sets
 * *mips to million guest instructions a second. Returns 0 or -errno with e set.
 */
int mips_measure(struct kvm *k, double *mips, struct err *e);

/* Below this no CPU runs a guest itself: the instructions are emulated. */
#define MIPS_EMULATED_BELOW 50.0

#endif
