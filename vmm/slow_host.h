/* SPDX-License-Identifier: MIT */
/* Hosts whose KVM emulates instructions: too slow for a stock Linux. */
#ifndef VPUP_VMM_SLOW_HOST_H
#define VPUP_VMM_SLOW_HOST_H

#include "vmm/machine.h"

/*
 * Refuses to go on with a Linux kernel where KVM emulates its guests, unless --force was given.
 * Measures only where neither kvm_intel nor kvm_amd is there. Returns 0 or -ENOTSUP with e set.
 */
int machine_check_speed(struct machine *m, struct err *e);

#endif
