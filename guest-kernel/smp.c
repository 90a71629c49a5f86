/* SPDX-License-Identifier: MIT */
/* Bringing the secondary VPs up: what the boot VP does. */
#include "guest-kernel/smp.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/string.h"
#include "guest-kernel/text.h"

#define SPINS_BEFORE_HLT 32
#define SIPI_RETRY_MS    200
#define MISSING_LISTED   8

extern const char trampoline_start[], trampoline_end[]; /* ap_entry.S */

static uint32_t online(void)
{
	return __atomic_load_n(&kernel.smp.online, __ATOMIC_ACQUIRE);
}

/* A second SIPI for those that the first one did not start; the others would ignore it anyway. */
static void repeat_sipi(uint32_t first, uint32_t count)
{
	uint32_t i;

	for (i = first; i < first + count; i++) {
		if (!vp_reached(&kernel.vp_table.vps[i], TRACE_VP_START))
			apic_send_sipi(&kernel.apic, kernel.vp_table.vps[i].apic_id);
	}
}

/*
 * Waits, asleep but for a moment at first, until VPs first to first + count - 1 are online. The
 * timer tick ends the sleep often enough to notice that nothing moves. Interrupts are on before and
 * after.
 */
static bool wait_online(uint32_t first, uint32_t count)
{
	const uint64_t khz = kernel.clock.tsc_khz;
	const uint32_t target = first + count - 1; /* the boot VP does not count */
	uint64_t now, moved_tsc = cpu_rdtsc();
	uint32_t seen = online();
	bool repeated = false;
	int spins;

	for (spins = 0; spins < SPINS_BEFORE_HLT; spins++) {
		if (online() >= target)
			return true;
		cpu_pause();
	}
	for (;;) {
		cpu_cli();
		if (online() >= target)
			break;
		/* The wake-up may come from here on, and no earlier: it is not lost. */
		cpu_sti_hlt();
		now = cpu_rdtsc();
		if (online() != seen) {
			seen = online();
			moved_tsc = now;
		} else if (now - moved_tsc > khz * kernel.options.wait_ms) {
			return false;
		} else if (!repeated && now - moved_tsc > khz * SIPI_RETRY_MS) {
			repeated = true;
			repeat_sipi(first, count);
		}
	}
	cpu_sti();
	return true;
}

/* One VP after the other, each from INIT to online. */
static bool bring_up_serial(void)
{
	struct vp *vp;
	uint32_t i;

	for (i = 1; i < kernel.vp_table.count; i++) {
		vp = &kernel.vp_table.vps[i];
		kernel.smp.wake_at = i;
		vp_mark(vp, TRACE_VP_KICK);
		apic_send_init(&kernel.apic, vp->apic_id);
		apic_send_sipi(&kernel.apic, vp->apic_id);
		if (!wait_online(i, 1))
			return false;
	}
	return true;
}

/* All at once; the last one wakes us. */
static bool bring_up_full(void)
{
	const uint32_t others = kernel.vp_table.count - 1;

	kernel.smp.wake_at = others;
	apic_send_init_others(&kernel.apic);
	apic_send_sipi_others(&kernel.apic);
	return wait_online(1, others);
}

/*
 * The one kick of bring_up_full() counts for every VP; this is written down when time no longer
 * matters.
 */
static void mark_broadcast(void)
{
	uint32_t i;

	for (i = 1; i < kernel.vp_table.count; i++)
		vp_mark_at(&kernel.vp_table.vps[i], TRACE_VP_KICK, kernel.smp.begin_tsc);
}

bool smp_bring_up(void)
{
	struct smp *s = &kernel.smp;
	bool full = kernel.options.smp == TRACE_SMP_FULL, ok;

	if (kernel.vp_table.count == 1) {
		s->begin_tsc = cpu_rdtsc();
		s->end_tsc = s->begin_tsc;
		return true;
	}
	memcpy((void *)TRAMPOLINE_ADDR, trampoline_start,
	       (size_t)(trampoline_end - trampoline_start));
	tick_start(&kernel.tick, &kernel.apic, kernel.clock.apic_timer_hz, kernel.options.hz);
	cpu_sti();
	s->begin_tsc = cpu_rdtsc();
	ok = full ? bring_up_full() : bring_up_serial();
	s->end_tsc = cpu_rdtsc();
	cpu_cli();
	if (full)
		mark_broadcast();
	return ok;
}

/* The last stage that the VP reached, for people. */
static const char *progress(const struct vp *vp)
{
	if (vp_reached(vp, TRACE_VP_CALIBRATED))
		return "calibrated";
	if (vp_reached(vp, TRACE_VP_CALIBRATE))
		return "calibrating";
	if (vp_reached(vp, TRACE_VP_INIT))
		return "initialised";
	if (vp_reached(vp, TRACE_VP_START))
		return "started";
	return vp_reached(vp, TRACE_VP_KICK) ? "no sign" : "not tried";
}

void smp_report_missing(void)
{
	const struct vp_table *t = &kernel.vp_table;
	char buf[224];
	struct text list = {.buf = buf, .size = sizeof(buf)};
	uint32_t missing = 0, i;

	buf[0] = '\0';
	for (i = 1; i < t->count; i++) {
		if (vp_reached(&t->vps[i], TRACE_VP_ONLINE))
			continue;
		if (missing++ < MISSING_LISTED)
			text_add(&list, " %u (%s)", t->vps[i].apic_id, progress(&t->vps[i]));
	}
	console_line("smp: %u of %u CPUs did not come online, APIC ID%s%s", missing, t->count, buf,
		     missing > MISSING_LISTED ? " ..." : "");
}
