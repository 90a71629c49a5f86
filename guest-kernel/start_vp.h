/* SPDX-License-Identifier: MIT */
/* smp=hvcall: VPs started by HvCallStartVirtualProcessor, straight in 64-bit mode. */
#ifndef VPUP_GUEST_START_VP_H
#define VPUP_GUEST_START_VP_H

#include "guest-kernel/vp.h"
#include "hyperv/hv_defs.h"

/*
 * Ends the run where VPs can't be started so: no Hyper-V, no privilege, or a hypercall page that must
 * not be called. Else prepares what start_vp() needs.
 */
void start_vp_prepare(void);

/* Asks for the VP index of each VP, which hypercalls go by. Ends the run if one has none. */
void start_vp_find_indices(void);

/*
 * The state of a VP that starts as the calling VP is now: its mode, page tables and the boot VP's
 * descriptors. RIP, and RSP if the VP is to have a stack, are for the caller to set; x is zero.
 */
void start_vp_context(struct hv_vp_context *x);

/* Starts one VP. Ends the run if the hypervisor refuses. */
void start_vp(const struct vp *vp);

#endif
