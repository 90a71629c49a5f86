/* SPDX-License-Identifier: MIT */
/* checks=on: once the VPs are up, looks for what is wrong with the machine. */
#include "guest-kernel/checks.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/string.h"

#define NS_PER_MS    1000000
#define LATE_US      1000 /* beyond what others took */
#define LATE_TIMES   4
#define PATIENCE_MS  1000 /* for an online VP to answer at all */
#define WARP_MS      200  /* for its clock, where the answers are slow */
#define WARP_GOOD_US 20   /* where they are not, a round of this length will do */
#define WARP_ROUNDS  32
#define RATE_MS      50
#define RUNTIME_MS   30
#define STOLEN_PPM   200000
#define CPUID_LEVELS 0xbu
#define READINGS     8
#define APIC_TIMER   0 /* in place of an MSR */
#define PPM          1000000

static const struct {
	uint32_t id;
	bool fatal;
	const char *name, *unit;
} kinds[] = {
#define FINDING_KIND(id, number, name, unit, fatal) {number, fatal, name, unit},
	FINDINGS_X(FINDING_KIND)
#undef FINDING_KIND
};

static uint64_t cycles_of_ms(uint64_t ms)
{
	return kernel.clock.tsc_khz * ms;
}

/* Signed, and for differences that are not far from 0. */
static int64_t ns_of_cycles(int64_t cycles)
{
	return cycles * NS_PER_MS / (int64_t)kernel.clock.tsc_khz;
}

void checks_add(struct checks *c, enum finding_id what, uint32_t vp, int64_t value, uint64_t bound)
{
	const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
	size_t i = 0;

	while (kinds[i].id != (uint32_t)what)
		i++;
	c->failed |= kinds[i].fatal;
	if (kinds[i].unit[0] == '\0')
		console_line("check: %s, VP %u", kinds[i].name, vp);
	else if (bound == 0)
		console_line("check: %s, VP %u: %s%lu %s", kinds[i].name, vp, value < 0 ? "-" : "",
			     size, kinds[i].unit);
	else
		console_line("check: %s, VP %u: %s%lu %s (within %lu)", kinds[i].name, vp,
			     value < 0 ? "-" : "", size, kinds[i].unit, bound);
	if (c->count < CHECKS_FINDINGS_MAX)
		c->finding[c->count++] = (struct trace_finding){(uint32_t)what, vp, value, bound};
}

/* --- VPs -------------------------------------------------------------------------------------- */

/* From kick to first instruction; 0 where it is not known. */
static uint64_t start_us(const struct vp *vp)
{
	uint64_t from, to;

	if (!vp_reached(vp, TRACE_VP_KICK) || !vp_reached(vp, TRACE_VP_START))
		return 0;
	from = vp->stage_tsc[TRACE_VP_KICK];
	to = vp->stage_tsc[TRACE_VP_START];
	return to > from ? (to - from) * 1000 / kernel.clock.tsc_khz : 0;
}

/* The least time that half of the VPs start in, to within a factor of 2. */
static uint64_t usual_start_us(const struct vp_table *t)
{
	uint64_t limit;
	uint32_t i, within;

	for (limit = 16;; limit *= 2) {
		within = 0;
		for (i = 1; i < t->count; i++)
			within += start_us(&t->vps[i]) <= limit;
		if (within >= t->count / 2)
			return limit;
	}
}

/* vp_table_finish() takes the boot VP's number away. */
static uint32_t index_of(const struct vp_table *t, uint32_t apic_id)
{
	return apic_id == t->vps->apic_id ? 0 : vp_number_by_apic_id[apic_id] - 1u;
}

static void check_presence(struct checks *c)
{
	const struct vp_table *t = &kernel.vp_table;
	uint64_t usual = usual_start_us(t), us;
	uint32_t i;

	for (i = 1; i < t->count; i++) {
		us = start_us(&t->vps[i]);
		if (!vp_reached(&t->vps[i], TRACE_VP_ONLINE))
			checks_add(c, FINDING_VP_MISSING, i, 0, 0);
		else if (us > usual * LATE_TIMES + LATE_US)
			checks_add(c, FINDING_VP_LATE, i, (int64_t)us, 0);
	}
	if (t->again != 0)
		checks_add(c, FINDING_APIC_ID_TWICE, index_of(t, t->again_apic_id), 0, 0);
	if (ap_boot.strangers != 0)
		checks_add(c, FINDING_VP_UNKNOWN, 0, ap_boot.strangers, 0);
}

/* The ID that CPUID says the calling VP has; of 8 bits where there is no leaf with more. */
static uint32_t cpuid_apic_id(void)
{
	struct cpu_cpuid r;

	if (cpu_cpuid(0).eax >= CPUID_LEVELS) {
		r = cpu_cpuid(CPUID_LEVELS);
		if (r.ebx != 0)
			return r.edx;
	}
	return cpu_cpuid(1).ebx >> 24;
}

static void check_id(struct checks *c, const struct vp *vp, uint32_t cpuid)
{
	if (cpuid != vp->apic_id && cpuid != (vp->apic_id & 0xff))
		checks_add(c, FINDING_APIC_ID_DIFFERS, vp->index, cpuid, 0);
}

_Noreturn void checks_serve(struct vp *vp)
{
	struct checks *c = &kernel.checks;
	uint64_t question;

	for (;;) {
		while (__atomic_load_n(&c->target, __ATOMIC_ACQUIRE) != vp->index)
			cpu_sleep();
		c->cpuid_apic_id = cpuid_apic_id();
		while (__atomic_load_n(&c->target, __ATOMIC_ACQUIRE) == vp->index) {
			question = __atomic_load_n(&c->question, __ATOMIC_ACQUIRE);
			if (question >> 32 != vp->index || question == c->answer)
				continue;
			c->answer_tsc = cpu_rdtsc();
			__atomic_store_n(&c->answer, question, __ATOMIC_RELEASE);
		}
	}
}

/* One question. Returns false if no answer comes by the deadline. */
static bool ask(struct checks *c, uint64_t deadline_tsc, uint64_t *asked, uint64_t *answered)
{
	const uint64_t question = (uint64_t)c->target << 32 | (uint32_t)(c->question + 1);

	*asked = cpu_rdtsc();
	__atomic_store_n(&c->question, question, __ATOMIC_RELEASE);
	do {
		*answered = cpu_rdtsc();
		if (*answered > deadline_tsc)
			return false;
	} while (__atomic_load_n(&c->answer, __ATOMIC_ACQUIRE) != question);
	*answered = cpu_rdtsc();
	return true;
}

/*
 * How far the VP's TSC is ahead of ours: it read its own somewhere between two readings of ours, so
 * the shortest round tells best. A warp is what can't be explained by the time of the round.
 */
static void check_tsc(struct checks *c, const struct vp *vp)
{
	const uint64_t end = cpu_rdtsc() + cycles_of_ms(WARP_MS);
	const uint64_t good = kernel.clock.tsc_khz * WARP_GOOD_US / 1000;
	uint64_t asked, answered, best = UINT64_MAX;
	int64_t ahead = 0, half;
	int i;

	for (i = 0; i < WARP_ROUNDS || best > good; i++) {
		if (!ask(c, end, &asked, &answered))
			break;
		if (answered - asked >= best)
			continue;
		best = answered - asked;
		ahead = (int64_t)(c->answer_tsc - asked - best / 2);
	}
	if (best == UINT64_MAX)
		return;
	half = (int64_t)(best / 2) + 1;
	if (ahead > half || ahead < -half)
		checks_add(c, FINDING_TSC_WARP, vp->index, ns_of_cycles(ahead),
			   (uint64_t)ns_of_cycles(half));
}

static void check_vp(struct checks *c, const struct vp *vp)
{
	uint64_t asked, answered;

	__atomic_store_n(&c->target, vp->index, __ATOMIC_RELEASE);
	smp_wake(vp);
	if (!ask(c, cpu_rdtsc() + cycles_of_ms(PATIENCE_MS), &asked, &answered)) {
		checks_add(c, FINDING_VP_MUTE, vp->index, 0, 0);
		return;
	}
	check_id(c, vp, c->cpuid_apic_id);
	check_tsc(c, vp);
}

static void check_vps(struct checks *c)
{
	const struct vp_table *t = &kernel.vp_table;
	uint32_t i;

	check_id(c, t->vps, cpuid_apic_id());
	for (i = 1; i < t->count; i++) {
		if (vp_reached(&t->vps[i], TRACE_VP_ONLINE))
			check_vp(c, &t->vps[i]);
	}
	__atomic_store_n(&c->target, 0, __ATOMIC_RELEASE);
}

/* --- clocks ----------------------------------------------------------------------------------- */

/* Does the tick come at all? */
static void check_tick(struct checks *c)
{
	const uint64_t start = cpu_rdtsc(), jiffies = tick_jiffies(&kernel.tick);
	bool comes;

	cpu_sti();
	do
		comes = tick_jiffies(&kernel.tick) != jiffies;
	while (!comes && cpu_rdtsc() - start < cycles_of_ms(PATIENCE_MS));
	cpu_cli();
	if (!comes)
		checks_add(c, FINDING_TICK_DEAD, 0, 0, 0);
}

struct reading {
	uint64_t before, after; /* TSC */
	uint64_t val;           /* of the MSR in between */
};

static bool value_of(uint32_t msr, uint64_t *val)
{
	if (msr == APIC_TIMER) {
		*val = apic_timer_read(&kernel.apic);
		return true;
	}
	return cpu_rdmsr_safe(msr, val) == 0;
}

/* Of several readings the one that took least time. */
static bool read_between(uint32_t msr, struct reading *best)
{
	struct reading r;
	int i;

	best->before = 0;
	best->after = UINT64_MAX;
	for (i = 0; i < READINGS; i++) {
		r.before = cpu_rdtsc();
		if (!value_of(msr, &r.val))
			return false;
		r.after = cpu_rdtsc();
		if (r.after - r.before < best->after - best->before)
			*best = r;
	}
	return true;
}

/* Two readings, so many ms apart, of an MSR that counts units of 100 ns, or of the timer. */
static bool read_twice(uint32_t msr, uint64_t ms, struct reading *a, struct reading *b)
{
	if (!read_between(msr, a))
		return false;
	while (cpu_rdtsc() - a->after < cycles_of_ms(ms))
		cpu_pause();
	return read_between(msr, b);
}

/* What a clock counted between two readings of it, within which the TSC counted least to most. */
struct passed {
	uint64_t counts, least, most;
};

static struct passed passed_between(const struct reading *a, const struct reading *b)
{
	return (struct passed){
		.counts = b->val > a->val ? b->val - a->val : a->val - b->val,
		.least = b->before - a->after,
		.most = b->after - a->before,
	};
}

/*
 * By how much a frequency that we were told is too high: of `told` counts that it makes of a time,
 * there were `counted`; the TSC cycles in p leave open how long that was.
 */
static void check_rate(struct checks *c, enum finding_id what, uint64_t told, uint64_t counted,
		       const struct passed *p)
{
	int64_t ppm = (int64_t)(told * PPM / counted) - PPM;
	/* Half of their distance would do; the rest is for the counter's own unit. */
	int64_t bound = (int64_t)((p->most - p->least) * PPM / p->least) + 10;

	if (ppm > bound || ppm < -bound)
		checks_add(c, what, 0, ppm, (uint64_t)bound);
}

/* The TSC's frequency, against reference time. */
static void check_tsc_rate(struct checks *c)
{
	struct reading a, b;
	struct passed p;

	if (kernel.clock.tsc_source != TRACE_TSC_HYPERV ||
	    !read_twice(HV_X64_MSR_TIME_REF_COUNT, RATE_MS, &a, &b))
		return;
	p = passed_between(&a, &b);
	check_rate(c, FINDING_TSC_RATE, p.counts * kernel.clock.tsc_khz / 10000,
		   (p.least + p.most) / 2, &p);
}

/* The local APIC timer's frequency, as it was told, against the TSC. The tick is over with this. */
static void check_timer_rate(struct checks *c)
{
	struct reading a, b;
	struct passed p;

	/* Elsewhere the guest measured it, in much less time than this, and knows it less well. */
	if (kernel.clock.tsc_source != TRACE_TSC_HYPERV)
		return;
	apic_timer_start_masked(&kernel.apic, UINT32_MAX);
	read_twice(APIC_TIMER, RATE_MS, &a, &b);
	p = passed_between(&a, &b);
	if (p.counts == 0)
		return;
	check_rate(c, FINDING_TIMER_RATE,
		   (p.least + p.most) / 2 * (kernel.clock.apic_timer_hz / 1000) /
			   kernel.clock.tsc_khz,
		   p.counts, &p);
}

/* For what part of the time the boot VP was not run, by the hypervisor's word. */
static void check_runtime(struct checks *c)
{
	struct reading a, b;
	uint64_t cycles, ran;

	if (!(kernel.hypervisor.hyperv_privileges & HV_MSR_VP_RUNTIME_AVAILABLE) ||
	    !read_twice(HV_X64_MSR_VP_RUNTIME, RUNTIME_MS, &a, &b))
		return;
	cycles = b.before - a.before;
	ran = (b.val - a.val) * kernel.clock.tsc_khz / 10000;
	if (ran < cycles && (cycles - ran) * PPM / cycles > STOLEN_PPM)
		checks_add(c, FINDING_STOLEN, 0, (int64_t)((cycles - ran) * PPM / cycles), 0);
}

bool checks_run(struct checks *c)
{
	check_presence(c);
	check_vps(c);
	check_tick(c);
	check_tsc_rate(c);
	check_timer_rate(c);
	if (kernel.options.checks == OPTION_CHECKS_ALL)
		check_runtime(c);
	if (kernel.options.stimer_first)
		checks_stimer_first(c);
	console_info("checks: %u finding%s", c->count, c->count == 1 ? "" : "s");
	return !c->failed;
}
