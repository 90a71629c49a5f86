/* SPDX-License-Identifier: MIT */
/* Body "time": the reference counter, the reference TSC page, frequencies and VP runtime. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/string.h"

#define HZ_100NS        10000000u
#define MONOTONIC_READS 50
#define RATE_US         50000
#define AGREE_SAMPLES   40
#define AGREE_US        25000 /* from one sample to the next: a second for all */
#define AGREE_100NS     10    /* 1 us */
#define AGREE_VPS       64    /* at most; more would take too long */
#define SAMPLE_TRIES    5
#define YOUNG_100NS     (3600ull * HZ_100NS)
#define TICK_100NS      100000 /* some hosts count the CPU time of threads in ticks */

/* |a - b| in parts of b's hundredth: up to 100 is 1 % */
static uint64_t off_by(uint64_t a, uint64_t b)
{
	return b == 0 ? UINT64_MAX : (a > b ? a - b : b - a) * 10000 / b;
}

#define ONE_PERCENT 100

/* What may lie between a clock and the TSC: a rate that was measured is as good as the host is idle. */
static uint64_t tolerance(void)
{
	return kernel.clock.tsc_source == TRACE_TSC_PIT ? 50 * ONE_PERCENT : ONE_PERCENT;
}

/* A clock and the TSC at one moment. */
struct sample {
	uint64_t tsc, val;
};

/* Of several tries the one that took least time: a VP may stand still for a while. */
static struct sample sample(uint64_t (*read)(void))
{
	struct sample s = {.tsc = 0};
	uint64_t before, val, after, least = UINT64_MAX;
	int i;

	for (i = 0; i < SAMPLE_TRIES; i++) {
		before = cpu_rdtsc();
		val = read();
		after = cpu_rdtsc();
		if (after - before < least) {
			least = after - before;
			s = (struct sample){.tsc = before + least / 2, .val = val};
		}
	}
	return s;
}

static void test_counter(struct conf *c)
{
	uint64_t last = conf_ref_time(), now;
	uint32_t i, backwards = 0;

	conf_at_most(c, last, YOUNG_100NS, "counter: began when the VM was made");
	for (i = 0; i < MONOTONIC_READS; i++, last = now) {
		now = conf_ref_time();
		backwards += now < last;
	}
	conf_equal(c, backwards, 0, "counter: never backwards");
}

static void test_rate(struct conf *c)
{
	struct sample from = sample(conf_ref_time), to;

	conf_delay_us(RATE_US);
	to = sample(conf_ref_time);
	conf_at_most(c,
		     off_by((to.val - from.val) * (kernel.clock.tsc_khz / 10),
			    (to.tsc - from.tsc) * 1000),
		     tolerance(), "counter: 10 MHz, measured with the TSC");
}

static void read_ref_time(void *arg)
{
	*(uint64_t *)arg = conf_ref_time();
}

/* Read here, on VP 1, and here again. */
static void test_order(struct conf *c)
{
	uint64_t before, there = 0;
	uint32_t i, disorder = 0;

	if (kernel.vp_table.count < 2) {
		conf_skip(c, "one VP only", "counter: the same on VP 1");
		return;
	}
	for (i = 0; i < 10; i++) {
		before = conf_ref_time();
		if (!conf_on_vp(c, 1, read_ref_time, &there))
			return;
		disorder += there < before || conf_ref_time() < there;
	}
	conf_equal(c, disorder, 0, "counter: never backwards between VPs");
}

static uint64_t page_time(const volatile struct hv_reference_tsc_page *p)
{
	unsigned __int128 product;
	uint32_t sequence;
	uint64_t time;

	do {
		sequence = p->sequence;
		cpu_barrier();
		product = (unsigned __int128)cpu_rdtsc() * p->scale;
		time = (uint64_t)(product >> 64) + (uint64_t)p->offset;
		cpu_barrier();
	} while (p->sequence != sequence);
	return time;
}

struct agreement {
	const struct hv_reference_tsc_page *page;
	uint64_t worst_100ns; /* how far the counter was outside of what the page said around it */
};

/* Of three reads the one that took least time counts: a VP may stand still for a while. */
static void compare(void *arg)
{
	struct agreement *a = arg;
	uint64_t least = UINT64_MAX, before, now, after, off, off_least = 0;
	int i;

	for (i = 0; i < 3; i++) {
		before = page_time(a->page);
		now = conf_ref_time();
		after = page_time(a->page);
		off = now < before ? before - now : now > after ? now - after : 0;
		if (after - before < least) {
			least = after - before;
			off_least = off;
		}
	}
	if (off_least > a->worst_100ns)
		a->worst_100ns = off_least;
}

/* On the boot VP and then on each other one, again and again. */
static void test_agreement(struct conf *c, const struct hv_reference_tsc_page *page)
{
	struct agreement here = {.page = page}, there = {.page = page};
	uint32_t vps = kernel.vp_table.count < AGREE_VPS ? kernel.vp_table.count : AGREE_VPS;
	uint32_t i, vp;

	for (i = 0; i < AGREE_SAMPLES; i++) {
		compare(&here);
		for (vp = 1; vp < vps; vp++) {
			if (!conf_on_vp(c, vp, compare, &there))
				return;
		}
		conf_delay_us(AGREE_US);
	}
	conf_at_most(c, here.worst_100ns, AGREE_100NS,
		     "TSC page: agrees with the counter within 1 us over a second");
	if (vps > 1)
		conf_at_most(c, there.worst_100ns, AGREE_100NS,
			     "TSC page: the same on all other VPs");
}

/* How many 100 ns the scale makes of a second of the TSC. */
static uint64_t scaled_second(uint64_t scale)
{
	return (uint64_t)((unsigned __int128)(kernel.clock.tsc_khz * 1000) * scale >> 64);
}

static void test_page(struct conf *c)
{
	const struct hv_reference_tsc_page *page = (const void *)c->page[2];
	const uint64_t before = conf_read(c, HV_X64_MSR_REFERENCE_TSC);
	uint64_t *rest = (uint64_t *)&c->page[2][40], others = 0;

	memset(c->page[2], 0, HV_HYP_PAGE_SIZE);
	conf_write(c, HV_X64_MSR_REFERENCE_TSC, (uint64_t)c->page[2]);
	conf_ok(c, page->sequence == 0 && page->scale == 0,
		"TSC page: stays as it is while disabled");
	conf_write(c, HV_X64_MSR_REFERENCE_TSC, (uint64_t)c->page[2] | HV_PAGE_MSR_ENABLE);
	if (page->sequence == HV_REFERENCE_TSC_SEQUENCE_INVALID) {
		conf_skip(c, "the host says that it can't be used", "TSC page");
	} else {
		conf_ok(c, page->sequence != UINT32_MAX, "TSC page: sequence is neither 0 nor -1");
		conf_equal(c, page->reserved, 0, "TSC page: reserved bytes are 0");
		conf_at_most(c, off_by(scaled_second(page->scale), HZ_100NS), tolerance(),
			     "TSC page: scale fits the TSC");
		for (; rest < (uint64_t *)c->page[3]; rest++)
			others |= *rest;
		conf_equal(c, others, 0, "TSC page: all zero behind its fields");
		test_agreement(c, page);
	}
	conf_write(c, HV_X64_MSR_REFERENCE_TSC, before);
}

static uint64_t apic_count(void)
{
	return apic_timer_read(&kernel.apic);
}

static void test_frequencies(struct conf *c)
{
	uint64_t tsc_hz = conf_read(c, HV_X64_MSR_TSC_FREQUENCY);
	uint64_t apic_hz = conf_read(c, HV_X64_MSR_APIC_FREQUENCY);
	struct sample ref, apic, ref_end, apic_end;

	apic_timer_start_masked(&kernel.apic, UINT32_MAX);
	ref = sample(conf_ref_time);
	apic = sample(apic_count);
	conf_delay_us(RATE_US);
	ref_end = sample(conf_ref_time);
	apic_end = sample(apic_count);
	apic_timer_start_masked(&kernel.apic, 0);
	conf_at_most(c,
		     off_by((ref_end.tsc - ref.tsc) * 10000 / (ref_end.val - ref.val),
			    tsc_hz / 1000),
		     ONE_PERCENT, "TSC_FREQUENCY: as measured with the counter, within 1 percent");
	conf_at_most(c,
		     off_by((apic.val - apic_end.val) * (tsc_hz / 1000000) /
				    ((apic_end.tsc - apic.tsc) / 1000),
			    apic_hz / 1000),
		     ONE_PERCENT, "APIC_FREQUENCY: as measured with the TSC, within 1 percent");
}

static void test_runtime(struct conf *c)
{
	uint64_t ref = conf_ref_time(), start = conf_read(c, HV_X64_MSR_VP_RUNTIME), ran;

	conf_delay_us(RATE_US);
	ran = conf_read(c, HV_X64_MSR_VP_RUNTIME) - start;
	ref = conf_ref_time() - ref;
	conf_ok(c, ran > 0, "VP_RUNTIME: grows while the VP runs");
	conf_at_most(c, ran, ref + ref / 100 + TICK_100NS,
		     "VP_RUNTIME: grows no faster than time, but for a tick");
}

void conf_time(struct conf *c)
{
	test_counter(c);
	test_rate(c);
	test_order(c);
	if (conf_has_eax(c, HV_MSR_REFERENCE_TSC_AVAILABLE))
		test_page(c);
	else
		conf_skip(c, "not offered", "TSC page");
	if (conf_has_eax(c, HV_ACCESS_FREQUENCY_MSRS))
		test_frequencies(c);
	else
		conf_skip(c, "not offered", "frequencies");
	if (conf_has_eax(c, HV_MSR_VP_RUNTIME_AVAILABLE))
		test_runtime(c);
	else
		conf_skip(c, "not offered", "VP_RUNTIME");
}
