/* SPDX-License-Identifier: MIT */
/* The timer tick: the boot VP's local APIC interrupts hz times a second and counts jiffies. */
#include "guest-kernel/tick.h"

#include "guest-kernel/asm_abi.h"

void tick_start(struct tick *t, const struct apic *a, uint64_t apic_timer_hz, uint32_t hz)
{
	if (t->running)
		return;
	t->running = true;
	apic_timer_start(a, (uint32_t)((apic_timer_hz + hz / 2) / hz), VECTOR_TICK);
}

void tick_stop(struct tick *t, const struct apic *a)
{
	if (!t->running)
		return;
	t->running = false;
	apic_timer_start_masked(a, 0);
}

void tick_interrupt(struct tick *t)
{
	/* Only the boot VP writes. */
	__atomic_store_n(&t->jiffies, t->jiffies + 1, __ATOMIC_RELAXED);
}
