/* SPDX-License-Identifier: MIT */
/* What the bundled guest finds wrong with its machine (`checks=on`): docs/faults.md. */
#ifndef VPUP_ABI_FINDINGS_H
#define VPUP_ABI_FINDINGS_H

#include <stdint.h>

/*
 * Number, name, the unit of its value ("" where it has none), and whether it fails the run. Numbers
 * are never reused.
 */
#define FINDINGS_X(X)                                    \
	X(VP_MISSING, 32, "vp-missing", "", 1)           \
	X(VP_LATE, 33, "vp-late", "us", 0)               \
	X(VP_MUTE, 34, "vp-mute", "", 1)                 \
	X(VP_UNKNOWN, 35, "vp-unknown", "VPs", 1)        \
	X(APIC_ID_TWICE, 36, "apic-id-twice", "", 1)     \
	X(APIC_ID_DIFFERS, 37, "apic-id-differs", "", 1) \
	X(TSC_WARP, 38, "tsc-warp", "ns", 1)             \
	X(TIMER_RATE, 39, "apic-timer-rate", "ppm", 1)   \
	X(TICK_DEAD, 40, "tick-dead", "", 1)             \
	X(TSC_RATE, 41, "tsc-rate", "ppm", 1)            \
	X(TIMER_LOST, 42, "timer-message-lost", "", 1)   \
	X(TIMER_LATE, 43, "timer-message-late", "us", 0) \
	X(STOLEN, 44, "time-stolen", "ppm", 0)           \
	X(TIMER_DEAD, 45, "timer-dead", "", 1)

enum finding_id {
#define FINDING_ENUM(id, number, name, unit, fatal) FINDING_##id = number,
	FINDINGS_X(FINDING_ENUM)
#undef FINDING_ENUM
};

/* Payload of TRACE_FINDINGS */
struct trace_finding {
	uint32_t what; /* enum finding_id */
	uint32_t vp;   /* the VP that it is about; 0 too where it is about none */
	int64_t value;
	uint64_t bound; /* the value is right to within this; 0: exactly */
};

_Static_assert(sizeof(struct trace_finding) == 24, "ABI");

#endif
