/* SPDX-License-Identifier: MIT */
/* Frequencies of the TSC and of the local APIC timer: told by the hypervisor, or measured. */
#ifndef VPUP_GUEST_CLOCK_H
#define VPUP_GUEST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/apic.h"
#include "guest-kernel/hypervisor.h"

struct clock {
	uint64_t tsc_khz;
	uint32_t tsc_source; /* enum trace_tsc_source */
	uint64_t apic_timer_hz;
	bool invariant_tsc; /* looked for with lpj=known alone */
};

/* Fills c, from the first source that answers. Ends the run if there is none. */
void clock_init(struct clock *c, const struct hypervisor *h, const struct apic *a);

/* CPUID 0x80000007: the TSC has one rate in all states (SDM 3B 18.17.1). */
bool clock_tsc_is_invariant(void);

/* Name of c->tsc_source, for people. */
const char *clock_source_name(const struct clock *c);

#endif
