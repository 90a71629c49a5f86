/* SPDX-License-Identifier: MIT */
/* The guest's trace sorted by VP: what it told about each, and when each passed its stage marks. */
#ifndef VPUP_VMM_GUEST_VIEW_H
#define VPUP_VMM_GUEST_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "vmm/frames.h"

#define GUEST_MARKS TRACE_VP_EVENTS_END /* index is enum trace_event_id; 0 is unused */

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

/*
 * Stages of bring-up, with the marks between which a VP is in them. The first four follow one
 * another; the stand-in costs lie within init and online.
 */
#define GUEST_STAGES_X(X)                                                  \
	X(KICK, "kick", TRACE_VP_KICK, TRACE_VP_START)                     \
	X(INIT, "init", TRACE_VP_START, TRACE_VP_INIT)                     \
	X(CALIBRATE, "calibrate", TRACE_VP_CALIBRATE, TRACE_VP_CALIBRATED) \
	X(ONLINE, "online", TRACE_VP_CALIBRATED, TRACE_VP_ONLINE)          \
	X(WAIT, "wait", TRACE_VP_WAIT, TRACE_VP_RELEASED)                  \
	X(UCODE, "ucode", TRACE_VP_UCODE, TRACE_VP_UCODE_END)              \
	X(SIBLING, "sibling", TRACE_VP_SIBLING, TRACE_VP_SIBLING_END)      \
	X(IDENTIFY, "identify", TRACE_VP_IDENTIFY, TRACE_VP_IDENTIFY_END)  \
	X(TSCSYNC, "tscsync", TRACE_VP_TSCSYNC, TRACE_VP_TSCSYNC_END)      \
	X(ONLINE_WORK, "online_work", TRACE_VP_ONLINE_WORK, TRACE_VP_ONLINE_WORK_END)

enum guest_stage {
#define GUEST_STAGE_ENUM(id, name, from, to) GUEST_STAGE_##id,
	GUEST_STAGES_X(GUEST_STAGE_ENUM)
#undef GUEST_STAGE_ENUM
		GUEST_STAGES
};

/*
 * When v entered and left the stage. False when it did not pass both marks, in this order. A VP that
 * waits for its turn at its entry (smp=kick) ends its kick there, and begins its init when released.
 */
bool guest_stage_span(const struct vp_view *v, enum guest_stage stage, uint64_t *from_tsc,
		      uint64_t *to_tsc);

/* Name of a mark, as in result files; NULL for 0. */
const char *guest_mark_name(unsigned mark);

/* The words for what trace_info holds in numbers, as in the guest's command line; NULL: unknown. */
const char *guest_smp_name(uint32_t smp);
const char *guest_lpj_name(uint32_t lpj);
const char *guest_synic_name(uint32_t synic);

/* Did the guest spend time on stand-ins for costs that it does not have? */
bool guest_is_modelled(const struct guest_trace *t);

#endif
