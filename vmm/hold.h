/* SPDX-License-Identifier: MIT */
/* Keeps a VP out of the guest for a time. */
#ifndef VPUP_VMM_HOLD_H
#define VPUP_VMM_HOLD_H

#include <stdint.h>

#define NS_PER_S 1000000000ull

struct vp;

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t hold_clock_ns(void);

/*
 * Sleeps until then, or until the machine stops. On the VP's own thread, between two entries of the
 * guest. What others ask of the VP meanwhile waits.
 */
void hold_vp(const struct vp *vp, uint64_t until_ns);

#endif
