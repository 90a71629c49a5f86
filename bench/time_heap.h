/* SPDX-License-Identifier: MIT */
/* A priority queue of numbered things, the least key first. */
#ifndef VPUP_BENCH_TIME_HEAP_H
#define VPUP_BENCH_TIME_HEAP_H

#include <stdint.h>

struct time_heap {
	uint32_t count;
	struct time_heap_entry {
		double key;
		uint32_t who;
	} * entry; /* a binary heap; [0] is the least */
};

/* Makes room for `capacity` things. Returns 0 or -ENOMEM. Zero is for time_heap_fini() too. */
int time_heap_init(struct time_heap *h, uint32_t capacity);
void time_heap_fini(struct time_heap *h);

/* There must be room. Of equal keys the lower number comes first. */
void time_heap_add(struct time_heap *h, double key, uint32_t who);

/* Takes the first out, which must exist. */
uint32_t time_heap_take(struct time_heap *h);

#endif
