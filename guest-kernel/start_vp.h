/* SPDX-License-Identifier: MIT */
/* smp=hvcall: VPs started by HvCallStartVirtualProcessor, straight in 64-bit mode. */
#ifndef VPUP_GUEST_START_VP_H
#define VPUP_GUEST_START_VP_H

#include "guest-kernel/vp.h"

/*
 * Ends the run where VPs can't be started so: no Hyper-V, no privilege, or a hypercall page that must
 * not be called. Else prepares what start_vp() needs.
 */
void start_vp_prepare(void);

/* Asks for the VP index of each VP, which hypercalls go by. Ends the run if one has none. */
void start_vp_find_indices(void);

/* Starts one VP. Ends the run if the hypervisor refuses. */
void start_vp(const struct vp *vp);

#endif
