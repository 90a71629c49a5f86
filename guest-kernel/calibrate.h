/* SPDX-License-Identifier: MIT */
/* Delay loop calibration against the timer tick, for kernels that know no TSC frequency. */
#ifndef VPUP_GUEST_CALIBRATE_H
#define VPUP_GUEST_CALIBRATE_H

#include <stdint.h>

#include "guest-kernel/tick.h"

struct calibration {
	uint64_t lpj;     /* TSC cycles per tick; 0: the tick did not come */
	uint32_t dropped; /* intervals that were thrown away */
};

/*
 * Measures the calling VP's TSC over CALIBRATE_ROUNDS intervals of max(1, hz / 100) ticks. Each
 * round first waits for a tick to begin, so that it lasts that many ticks and two more (the very
 * first one up to a tick less): 76 to 80 ms in all at 250 Hz. Gives up where no tick comes for
 * tsc_khz * 1000 cycles.
 */
#define CALIBRATE_ROUNDS 5
struct calibration calibrate(const struct tick *t, uint32_t hz, uint64_t tsc_khz);

#endif
