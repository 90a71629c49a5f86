/* SPDX-License-Identifier: MIT */
/* A VM of one VP and a few pages, to time a handful of instructions in. */
#ifndef VPUP_VMM_SCRATCH_VM_H
#define VPUP_VMM_SCRATCH_VM_H

#include "vmm/err.h"
#include "vmm/kvm.h"
#include "vmm/mem.h"

#define SCRATCH_VM_BYTES 0x10000u

struct scratch_vm {
	struct kvm *k; /* the caller's */
	struct mem mem;
	struct kvm_vp vp;
};

/*
 * Creates the VM in k, which is open and has none, with interrupt controllers and RAM from 0 on.
 * Returns 0 or -errno with e set; s is for scratch_vm_fini() in either case. The VM itself goes
 * when k is closed.
 */
int scratch_vm_init(struct scratch_vm *s, struct kvm *k, struct err *e);
void scratch_vm_fini(struct scratch_vm *s);

/* KVM_RUN to the next exit, which must be of this reason. Returns 0 or -errno with e set. */
int scratch_vm_run(struct scratch_vm *s, uint32_t reason, struct err *e);

#endif
