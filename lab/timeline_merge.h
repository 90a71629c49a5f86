/* SPDX-License-Identifier: MIT */
/* One trace of all levels: the lab's own steps, and the timeline that COMMAND wrote in L1. */
#ifndef VPUP_LAB_TIMELINE_MERGE_H
#define VPUP_LAB_TIMELINE_MERGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "lab/rig.h"
#include "vmm/err.h"

/* How L1's TSC stands to this host's, from marks that L1 sent and the host stamped as they came. */
struct lab_clock {
	bool shared;     /* both count at the same rate, so that one offset tells it all */
	uint64_t offset; /* host TSC less L1's, modulo 2^64: too high by the fastest mark's way */
	uint64_t
		typical_cycles; /* by how much longer the median mark was on its way than the fastest */
};

/* What r's marks tell; not shared if there are fewer than two, or if they drift apart. */
struct lab_clock lab_clock_of(const struct rig *r);

/*
 * A new document: process "lab" with r's steps, then inner's processes, each named one level deeper ("vpup"
 * becomes "L1 vpup", "L1 vpup" becomes "L2 vpup"). inner (borrowed, may be NULL, hostile) is put
 * on the host's clock if its otherData tell start_tsc and tsc_khz and the clocks are shared; else it
 * keeps its own zero, and its processes' names say so. Returns NULL if memory is short.
 */
json_t *timeline_merge(const struct rig *r, const json_t *inner);

/*
 * Writes that to path. inner_path: COMMAND's timeline, NULL: there is none; it may be path. Returns 0, or
 * -errno with e set.
 */
int timeline_merge_write(const char *path, const struct rig *r, const char *inner_path,
			 struct err *e);

#endif
