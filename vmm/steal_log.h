/* SPDX-License-Identifier: MIT */
/* What was stolen from one VP: as planned, and as it came. */
#ifndef VPUP_VMM_STEAL_LOG_H
#define VPUP_VMM_STEAL_LOG_H

#include <stddef.h>
#include <stdint.h>

/* Host TSC */
struct steal_span {
	uint64_t from_tsc;
	uint64_t to_tsc;
};

struct steal_log {
	uint64_t planned_ns;       /* by the schedule, from the VP's start to the run's end */
	uint64_t planned_until_ns; /* CLOCK_MONOTONIC: the last interval's end */
	uint64_t stolen_cycles;    /* for which the VP did not run */
	struct steal_span *span;
	size_t spans, capacity;
	uint64_t lost_spans; /* for want of memory */
};

#endif
