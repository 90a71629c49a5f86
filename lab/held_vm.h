/* SPDX-License-Identifier: MIT */
/* A VM that L1's init holds as long as L1 runs. */
#ifndef VPUP_LAB_HELD_VM_H
#define VPUP_LAB_HELD_VM_H

#include "vmm/err.h"
#include "vmm/kvm.h"

struct held_vm {
	struct kvm kvm;
	struct kvm_vp vp;
};

/*
 * Makes a VM with one VP, which never runs. While there is one, KVM and the scheduler leave their
 * static keys alone: the first and the last VM, and each VP whose APIC is on or off unlike all others',
 * else make Linux patch its own code. An emulator that runs each CPU in a thread of its own can miss the end of
 * such a change: a CPU of L1 then meets the breakpoint of text_poke_bp() for ever. Returns 0 or
 * -errno with e set.
 */
int held_vm_open(struct held_vm *h, struct err *e);

#endif
