/* SPDX-License-Identifier: MIT */
/* Bringing the secondary VPs up: what the boot VP does. */
#include "guest-kernel/smp.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/stand_in.h"
#include "guest-kernel/start_vp.h"
#include "guest-kernel/string.h"
#include "guest-kernel/text.h"

#define SPINS_BEFORE_HLT 32
#define STALLED_MS       200
#define MISSING_LISTED   8

extern const char trampoline_start[], trampoline_end[]; /* ap_entry.S */

void smp_wake(const struct vp *vp)
{
	apic_send_ipi(&kernel.apic, vp->apic_id, VECTOR_WAKE);
}

void smp_wake_boot_vp(void)
{
	apic_send_ipi(&kernel.apic, kernel.smp.boot_apic_id, VECTOR_WAKE);
}

void smp_wait_for_turn(const struct vp *vp, const uint32_t *turn)
{
	while (__atomic_load_n(turn, __ATOMIC_ACQUIRE) < vp->index)
		cpu_sleep();
}

/*
 * A second SIPI for those that were kicked and have not started; the others would ignore it anyway.
 * With smp=full all were kicked, without a mark.
 */
static void repeat_sipi(void)
{
	const bool all = kernel.options.smp == TRACE_SMP_FULL;
	const struct vp *vp, *end = kernel.vp_table.vps + kernel.vp_table.count;

	for (vp = kernel.vp_table.vps + 1; vp < end; vp++) {
		if ((all || vp_reached(vp, TRACE_VP_KICK)) && !vp_reached(vp, TRACE_VP_START))
			apic_send_sipi(&kernel.apic, vp->apic_id);
	}
}

static uint32_t load(const uint32_t *count)
{
	return __atomic_load_n(count, __ATOMIC_ACQUIRE);
}

/* The timer tick ends the sleep often enough to notice that nothing moves. */
bool smp_wait(const uint32_t *count, uint32_t target, void (*stalled)(void))
{
	const uint64_t khz = kernel.clock.tsc_khz;
	uint64_t now, moved_tsc = cpu_rdtsc();
	uint32_t seen = load(count);
	int spins;

	for (spins = 0; spins < SPINS_BEFORE_HLT; spins++) {
		if (load(count) >= target)
			return true;
		cpu_pause();
	}
	for (;;) {
		cpu_cli();
		if (load(count) >= target)
			break;
		/* The wake-up may come from here on, and no earlier: it is not lost. */
		cpu_sti_hlt();
		now = cpu_rdtsc();
		if (load(count) != seen) {
			seen = load(count);
			moved_tsc = now;
		} else if (now - moved_tsc > khz * kernel.options.wait_ms) {
			return false;
		} else if (stalled && now - moved_tsc > khz * STALLED_MS) {
			stalled();
			stalled = NULL;
		}
	}
	cpu_sti();
	return true;
}

/* VPs up to this index; the boot VP does not count. */
static bool wait_online(uint32_t index, void (*stalled)(void))
{
	return smp_wait(&kernel.smp.online, index, stalled);
}

static void kick(struct vp *vp)
{
	vp_mark(vp, TRACE_VP_KICK);
	apic_send_init(&kernel.apic, vp->apic_id);
	apic_send_sipi(&kernel.apic, vp->apic_id);
}

/* One VP after the other, each from INIT to online. */
static bool bring_up_serial(void)
{
	uint32_t i;

	for (i = 1; i < kernel.vp_table.count; i++) {
		kernel.smp.wake_at = i;
		kick(&kernel.vp_table.vps[i]);
		if (!wait_online(i, repeat_sipi))
			return false;
	}
	return true;
}

/* All are kicked and go as far as they may; then each has its turn. */
static bool bring_up_in_turn(void)
{
	struct smp *s = &kernel.smp;
	uint32_t i;

	for (i = 1; i < kernel.vp_table.count; i++)
		kick(&kernel.vp_table.vps[i]);
	for (i = 1; i < kernel.vp_table.count; i++) {
		s->wake_at = i;
		__atomic_store_n(&s->released, i, __ATOMIC_RELEASE);
		smp_wake(&kernel.vp_table.vps[i]);
		if (!wait_online(i, repeat_sipi))
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
	return wait_online(others, repeat_sipi);
}

/* Likewise, but each VP is started by a hypercall of its own. */
static bool bring_up_hvcall(void)
{
	const uint32_t others = kernel.vp_table.count - 1;
	uint32_t i;

	kernel.smp.wake_at = others;
	start_vp_find_indices();
	for (i = 1; i <= others; i++) {
		vp_mark(&kernel.vp_table.vps[i], TRACE_VP_KICK);
		start_vp(&kernel.vp_table.vps[i]);
	}
	return wait_online(others, NULL);
}

static const struct mode {
	bool (*bring_up)(void);
	uint32_t hooks;
} modes[] = {
	[TRACE_SMP_SERIAL] = {bring_up_serial, 0},
	[TRACE_SMP_KICK] = {bring_up_in_turn, SMP_WAIT_AT_ENTRY},
	[TRACE_SMP_INIT] = {bring_up_in_turn, SMP_WAIT_AFTER_INIT},
	[TRACE_SMP_FULL] = {bring_up_full, SMP_WAKE_PACKAGE},
	[TRACE_SMP_HVCALL] = {bring_up_hvcall, SMP_WAKE_PACKAGE},
};

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

static uint32_t choose_hooks(const struct mode *m)
{
	const struct options *o = &kernel.options;
	uint32_t hooks = m->hooks;

	if (o->lpj != TRACE_LPJ_KNOWN)
		hooks &= ~(uint32_t)SMP_WAKE_PACKAGE;
	if (stand_in_any())
		hooks |= SMP_STAND_INS;
	if (o->test || o->synic != TRACE_SYNIC_OFF || o->measure != OPTION_MEASURE_NONE ||
	    o->checks)
		hooks |= SMP_STAY;
	return hooks;
}

bool smp_bring_up(void)
{
	const struct mode *m = &modes[kernel.options.smp];
	struct smp *s = &kernel.smp;
	bool ok;

	if (kernel.vp_table.count == 1) {
		s->begin_tsc = cpu_rdtsc();
		s->end_tsc = s->begin_tsc;
		return true;
	}
	s->hooks = choose_hooks(m);
	memcpy((void *)TRAMPOLINE_ADDR, trampoline_start,
	       (size_t)(trampoline_end - trampoline_start));
	tick_start(&kernel.tick, &kernel.apic, kernel.clock.apic_timer_hz, kernel.options.hz);
	cpu_sti();
	s->begin_tsc = cpu_rdtsc();
	ok = m->bring_up();
	s->end_tsc = cpu_rdtsc();
	cpu_cli();
	if (kernel.options.smp == TRACE_SMP_FULL)
		mark_broadcast();
	return ok;
}

/* The last stage that the VP reached, for people. */
static const char *progress(const struct vp *vp)
{
	static const struct {
		enum trace_event_id reached, not_yet;
		const char *what;
	} stages[] = {
		{TRACE_VP_CALIBRATED, TRACE_VP_ONLINE, "calibrated"},
		{TRACE_VP_CALIBRATE, TRACE_VP_CALIBRATED, "calibrating"},
		{TRACE_VP_WAIT, TRACE_VP_RELEASED, "waits for its turn"},
		{TRACE_VP_INIT, TRACE_VP_CALIBRATE, "initialised"},
		{TRACE_VP_SIBLING, TRACE_VP_SIBLING_END, "waits for its sibling"},
		{TRACE_VP_START, TRACE_VP_INIT, "started"},
	};
	size_t i;

	for (i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		if (vp_reached(vp, stages[i].reached) && !vp_reached(vp, stages[i].not_yet))
			return stages[i].what;
	}
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
