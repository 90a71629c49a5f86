/* SPDX-License-Identifier: MIT */
/* Bringing the secondary VPs up: what the boot VP does. */
#ifndef VPUP_GUEST_SMP_H
#define VPUP_GUEST_SMP_H

#include <stdbool.h>
#include <stdint.h>

struct smp {
	uint32_t boot_apic_id;
	uint32_t wake_at; /* the secondary VP that makes `online` this much wakes the boot VP */
	uint64_t begin_tsc;
	uint64_t end_tsc;
	_Alignas(64) uint32_t online; /* secondary VPs that are; counted up by each */
};

/*
 * Starts all VPs of the table in the way that options.smp says and returns once they are online, or
 * false if for options.wait_ms none came. Fills smp.begin_tsc and smp.end_tsc; nothing is printed
 * between them.
 */
bool smp_bring_up(void);

/* Says which VPs did not come and how far they got. */
void smp_report_missing(void);

#endif
