/* SPDX-License-Identifier: MIT */
/* Which part of RAM belongs to which NUMA node: one answer for ACPI and device tree. */
#ifndef VPUP_VMM_NUMA_H
#define VPUP_VMM_NUMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmm/gpa.h"
#include "vmm/mem.h"

#define NUMA_GRANULE \
	0x200000ull /* node borders stand at multiples of 2 MiB, so that large pages fit */

struct numa_range {
	gpa_t base;
	uint64_t size_bytes; /* never 0 */
	uint32_t node;
};

/* A walk over the ranges, by node and by address. Fields are the walk's own. */
struct numa_iter {
	const struct mem *mem;
	uint32_t nodes;
	uint32_t node;
	uint64_t done_bytes; /* of RAM, the hole not counted */
};

/* No walk yields more ranges: each node has one, and each hole splits at most one of them. */
static inline size_t numa_ranges_max(uint32_t nodes)
{
	return (size_t)nodes + 1;
}

/*
 * Starts a walk over all RAM of m in equal shares for `nodes` nodes (at least 1). The ranges are
 * disjoint and lie inside RAM; a node gets none when its share is below NUMA_GRANULE.
 */
void numa_iter_init(struct numa_iter *it, const struct mem *m, uint32_t nodes);

/* Fills in the next range; false after the last. */
bool numa_iter_next(struct numa_iter *it, struct numa_range *out);

#endif
