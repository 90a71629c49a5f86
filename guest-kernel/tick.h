/* SPDX-License-Identifier: MIT */
/* The timer tick: the boot VP's local APIC interrupts hz times a second and counts jiffies. */
#ifndef VPUP_GUEST_TICK_H
#define VPUP_GUEST_TICK_H

#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/apic.h"

struct tick {
	_Alignas(64) uint64_t jiffies; /* read by every VP that calibrates */
	bool running;
};

/* Starts the tick on the boot VP unless it runs. It counts only while that VP takes interrupts. */
void tick_start(struct tick *t, const struct apic *a, uint64_t apic_timer_hz, uint32_t hz);
void tick_stop(struct tick *t, const struct apic *a);

/* Called by the interrupt handler. */
void tick_interrupt(struct tick *t);

/* Callable on any VP. */
static inline uint64_t tick_jiffies(const struct tick *t)
{
	return __atomic_load_n(&t->jiffies, __ATOMIC_RELAXED);
}

#endif
