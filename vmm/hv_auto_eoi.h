/* SPDX-License-Identifier: MIT */
/*
 * Interrupts that need no EOI (TLFS, SINTx AutoEOI). KVM's local APIC has no such mode, so these do
 * not pass through it: they are injected as interrupts that the APIC has delivered already
 * (KVM_SET_VCPU_EVENTS), when the VP can take them. docs/hyperv.md says why this way.
 */
#ifndef VPUP_VMM_HV_AUTO_EOI_H
#define VPUP_VMM_HV_AUTO_EOI_H

#include <stdint.h>

#include "vmm/err.h"
#include "vmm/vp.h"

/* Asks for the vector. Any thread. Like an APIC's IRR, it holds each vector once. */
void hv_auto_eoi_raise(struct vp *vp, uint8_t vector);

/*
 * Injects the highest vector that waits, or arms a timer to try again if the VP can't take it now.
 * On the VP's own thread, between two entries. Returns 0 or -errno with e set.
 */
int hv_auto_eoi_inject(struct vp *vp, struct err *e);

#endif
