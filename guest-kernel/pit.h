/* SPDX-License-Identifier: MIT */
/* The 8254 timer as the reference of last resort for the TSC. */
#ifndef VPUP_GUEST_PIT_H
#define VPUP_GUEST_PIT_H

#include <stdint.h>

/*
 * TSC frequency measured against channel 0, which takes 10 ms or a few times that; 0 if there is
 * none.
 */
uint64_t pit_measure_tsc_khz(void);

#endif
