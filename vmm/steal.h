/* SPDX-License-Identifier: MIT */
/*
 * When a neighbour takes the processor from a VP: a schedule that is a pure function of its
 * specification, the VP and an index. docs/noise.md describes the generator.
 */
#ifndef VPUP_VMM_STEAL_H
#define VPUP_VMM_STEAL_H

#include <stdint.h>

#include "vmm/id_list.h"

/* --noise steal:... */
struct steal_spec {
	int64_t duty_ppm;   /* share of its time that a VP loses, 1000 to 950000 */
	int64_t period_ns;  /* one interval in each; 100 us to 10 s */
	int64_t jitter_ppm; /* 0: at the same place of each period, and equally long; to 1000000 */
	uint64_t seed;
	struct id_list vps; /* empty: all */
	uint64_t list;      /* 1: print the schedule and run nothing */
};

/* In ns since the schedule's start. */
struct steal_interval {
	uint64_t begin_ns;
	uint64_t length_ns;
};

/*
 * The interval of a VP that has this index, 0, 1, ...: each begins after the end of the one before
 * and ends within one period of the earliest time at which it could begin. Mean length is duty
 * times period.
 */
struct steal_interval steal_interval(const struct steal_spec *s, uint32_t vp, uint64_t index);

/* The schedule's random numbers: equal on every machine. draw tells several of one interval apart. */
uint64_t steal_random(uint64_t seed, uint32_t vp, uint64_t index, uint32_t draw);

#endif
