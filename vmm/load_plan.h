/* SPDX-License-Identifier: MIT */
/* Segments of a kernel file on their way into guest RAM: all are checked, then all are copied. */
#ifndef VPUP_VMM_LOAD_PLAN_H
#define VPUP_VMM_LOAD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"
#include "vmm/gpa.h"
#include "vmm/mem.h"

#define LOAD_SEGMENTS_MAX 64 /* kernels have fewer than ten; bounds the work on a hostile file */

/* A kernel in guest RAM. */
struct kernel_image {
	gpa_t entry;
	gpa_t end;        /* first byte past the last segment below 4 GiB, BSS included */
	gpa_t initrd_end; /* the initrd must end here or below; 0: anywhere below 4 GiB */
};

/* What a file says about one of its segments: as yet unchecked. */
struct load_request {
	unsigned index; /* in the file, for messages */
	uint64_t base;
	uint64_t size_bytes; /* in memory */
	uint64_t file_off;
	uint64_t file_bytes; /* the rest of size_bytes is BSS */
};

/* A checked segment, ready to be copied. */
struct load_segment {
	gpa_t base;
	uint64_t size_bytes; /* in memory: never 0 */
	const uint8_t *data;
	uint64_t data_bytes; /* at most size_bytes */
	void *host;
};

/* Start with mem, file and file_bytes set, the rest 0. None is owned. */
struct load_plan {
	const struct mem *mem;
	const uint8_t *file;
	uint64_t file_bytes;
	gpa_t low_end; /* below 1 MiB, segments may lie in [0, low_end); 0: nowhere */
	unsigned count;
	struct load_segment segment[LOAD_SEGMENTS_MAX];
};

/*
 * Adds a segment; an empty one is dropped. Returns 0, or -EINVAL with e set: cut short, shrinking,
 * not in RAM or overlapping another one. At most LOAD_SEGMENTS_MAX calls.
 */
int load_plan_add(struct load_plan *plan, const struct load_request *r, struct err *e);

/* Does addr lie in one of the segments? */
bool load_plan_contains(const struct load_plan *plan, uint64_t addr);

/*
 * Copies all segments into RAM, which must be fresh: BSS is left as the zeroes it is. Returns the
 * first byte past the last segment below 4 GiB.
 */
gpa_t load_plan_execute(const struct load_plan *plan);

#endif
