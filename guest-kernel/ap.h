/* SPDX-License-Identifier: MIT */
/* What every VP does on its way online, and what a secondary VP does besides. */
#ifndef VPUP_GUEST_AP_H
#define VPUP_GUEST_AP_H

#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/vp.h"

/* Finds the VP's lpj as options.lpj says. For a measured one the tick must run. */
void ap_calibrate(struct vp *vp);

/* Whether ap_calibrate() measures on this VP. */
bool ap_calibrate_measures(const struct vp *vp);

/*
 * Called by ap_entry.S on the VP's own stack with interrupts off; start_tsc is the TSC at its first
 * instruction. Returns once the VP is online, to be halted.
 */
void ap_main(struct vp *vp, uint64_t start_tsc);

#endif
