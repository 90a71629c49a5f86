/* SPDX-License-Identifier: MIT */
/* The guest's trace sorted by VP: what it told about each, and when each passed its stage marks. */
#ifndef VPUP_VMM_GUEST_VIEW_H
#define VPUP_VMM_GUEST_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "vmm/frames.h"

#define GUEST_MARKS (TRACE_VP_ONLINE + 1) /* index is enum trace_event_id; 0 is unused */

/* One VP in the guest's words. Pointers go into the trace. */
struct vp_view {
	const struct trace_vp *told; /* NULL: nothing */
	uint64_t mark[GUEST_MARKS];  /* guest TSC; 0: not passed */
};

/*
 * Sorts t by VP. Of records and events that come twice the first counts; those of VPs >= vps are
 * ignored. A VP_KICK of the boot VP or of no known VP is a broadcast: it counts for all VPs but
 * the boot VP that have none of their own.
 * Returns an array of vps views for free(), or NULL without memory (or without VPs).
 */
struct vp_view *guest_view_new(const struct guest_trace *t, uint32_t vps);

/* One stage of bring-up: from a mark to a later one. */
struct guest_stage {
	const char *name;
	enum trace_event_id from;
	enum trace_event_id to;
};

#define GUEST_STAGES 4
extern const struct guest_stage guest_stages[GUEST_STAGES]; /* kick, init, calibrate, online */

/* When v entered and left stage s. False when it did not pass both marks, in this order. */
bool guest_stage_span(const struct vp_view *v, const struct guest_stage *s, uint64_t *from_tsc,
		      uint64_t *to_tsc);

/* The words for what trace_info holds in numbers, as in the guest's command line; NULL: unknown. */
const char *guest_smp_name(uint32_t smp);
const char *guest_lpj_name(uint32_t lpj);

#endif
