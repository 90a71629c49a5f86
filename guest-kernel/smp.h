/* SPDX-License-Identifier: MIT */
/* Bringing the secondary VPs up: what the boot VP does. */
#ifndef VPUP_GUEST_SMP_H
#define VPUP_GUEST_SMP_H

#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/vp.h"

/* What a secondary VP does on its way besides coming online: bits of smp.hooks. */
enum smp_hook {
	SMP_WAIT_AT_ENTRY = 1, /* waits for its turn before it sets anything up */
	SMP_STAND_INS = 2,     /* spends the time of stand_in.h */
	SMP_WAIT_AFTER_INIT = 4,
	SMP_WAKE_PACKAGE = 8, /* wakes VPs that may wait for the lpj that it measured */
	SMP_STAY = 16,        /* is not done once it is online */
};

struct smp {
	uint32_t boot_apic_id;
	uint32_t hooks;    /* enum smp_hook */
	uint32_t released; /* VPs up to this index have had their turn */
	uint32_t wake_at;  /* the secondary VP that makes `online` this much wakes the boot VP */
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

/*
 * The boot VP waits, asleep but for a moment at first, until *count reaches target. Returns false if
 * for options.wait_ms it does not move. `stalled`, unless it is NULL, is called once after 200 ms
 * without a move. The tick runs; interrupts are on before and after. Whoever counts up to target
 * wakes the boot VP by smp_wake_boot_vp().
 */
bool smp_wait(const uint32_t *count, uint32_t target, void (*stalled)(void));
void smp_wake_boot_vp(void);

/*
 * On a secondary VP, interrupts off: sleeps until *turn reaches the VP's index. The boot VP sets it
 * and then sends smp_wake().
 */
void smp_wait_for_turn(const struct vp *vp, const uint32_t *turn);
void smp_wake(const struct vp *vp);

#endif
