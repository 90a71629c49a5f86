/* SPDX-License-Identifier: MIT */
/* The host's time stamp counter: the clock of every measurement. */
#ifndef VPUP_VMM_TSC_H
#define VPUP_VMM_TSC_H

#include <stdint.h>

/* LFENCE keeps the read behind what the caller did before (SDM 2B, RDTSC). */
static inline uint64_t tsc_now(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

#endif
