/* SPDX-License-Identifier: MIT */
/* Body "stimer": when timers expire and what their registers say then. Body "lateness": how late. */
#include "guest-kernel/conformance/synic_vp.h"

#include "guest-kernel/kernel.h"

#define SINT            2
#define MS              10000u /* in 100 ns */
#define PERIODS         10
#define LAZY_MISSED     15
#define LATENESS_SHOTS  60
#define LATENESS_DELAY  (MS / 2)
#define NEVER           UINT64_MAX
#define UNKNOWN_TIME    UINT64_MAX
#define DIRECT_VECTOR_N 3
#define PATIENCE_US     1000000

static bool has_messages(const struct conf *c)
{
	return conf_has_eax(c, HV_MSR_SYNIC_AVAILABLE);
}

static uint64_t direct(unsigned vector_n)
{
	return HV_STIMER_ENABLE | HV_STIMER_DIRECT |
	       (uint64_t)CONF_VECTOR_N(vector_n) << HV_STIMER_APIC_VECTOR_SHIFT;
}

static bool is_enabled(struct conf *c, unsigned timer)
{
	return stimer_config(c, timer) & HV_STIMER_ENABLE;
}

static void test_one_shot(struct conf *c)
{
	uint64_t due;
	struct hv_timer_message t;

	synic_sint(c, SINT, 0, 0);
	conf_irqs_clear(c);
	due = conf_ref_time() + 2 * MS;
	stimer_set(c, 1, stimer_to_sint(SINT), due);
	conf_ok(c, is_enabled(c, 1) || conf_ref_time() >= due,
		"one-shot: enabled until it expires");
	conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1, "one-shot: expires once");
	t = synic_timer_message(c, SINT);
	conf_equal(c, t.expiration_time, due, "one-shot: the message names its time");
	conf_ok(c, t.delivery_time >= due, "one-shot: not early");
	conf_ok(c, !is_enabled(c, 1), "one-shot: disabled when it has expired");
	conf_equal(c, conf_read(c, HV_X64_MSR_STIMER0_COUNT + 2), due, "one-shot: COUNT stays");
	synic_free(c, SINT);
}

/* The clocks that a guest compares: its own TSC's and the timer's. */
static void test_not_early(struct conf *c)
{
	uint32_t i, early = 0;
	uint64_t due, now;

	for (i = 0; i < 10; i++) {
		conf_irqs_clear(c);
		due = conf_ref_time() + MS / 2 + i * 777;
		stimer_set(c, 0, stimer_to_sint(SINT), due);
		while (conf_irqs(c, 0, 0) == 0 && conf_ref_time() < due + 1000 * MS)
			cpu_pause();
		now = conf_ref_time();
		early += now < due;
		synic_free(c, SINT);
	}
	conf_equal(c, early, 0, "one-shot: never early in 10 times");
}

static void test_periodic(struct conf *c)
{
	uint64_t first = 0, last = 0, off_phase = 0;
	uint32_t i;

	conf_irqs_clear(c);
	stimer_set(c, 2, stimer_to_sint(SINT) | HV_STIMER_PERIODIC, 2 * MS);
	for (i = 0; i < PERIODS && synic_wait(c, SINT); i++) {
		last = synic_timer_message(c, SINT).expiration_time;
		first = i == 0 ? last : first;
		off_phase |= (last - first) % (2 * MS);
		synic_free(c, SINT);
	}
	conf_equal(c, i, PERIODS, "periodic: expires again and again");
	conf_equal(c, off_phase, 0, "periodic: times are whole periods apart");
	conf_ok(c, is_enabled(c, 2), "periodic: stays enabled");
	stimer_off(c, 2);
	synic_free(c, SINT);
	conf_irqs_clear(c);
	conf_delay_us(5000);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "periodic: stops when it is disabled");
	synic_free(c, SINT);
}

/* What a lazy timer missed while its slot was in use, it does not make up for. */
static void test_lazy(struct conf *c)
{
	uint64_t start, elapsed, first = 0, last = 0, off_phase = 0;
	uint32_t i;

	stimer_set(c, 2, stimer_to_sint(SINT) | HV_STIMER_PERIODIC | HV_STIMER_LAZY, 2 * MS);
	conf_ok(c, synic_wait(c, SINT), "lazy: expires");
	conf_delay_us(LAZY_MISSED * 2000);
	start = conf_ref_time();
	for (i = 0; i < PERIODS && synic_wait(c, SINT); i++) {
		last = synic_timer_message(c, SINT).expiration_time;
		first = i == 0 ? last : first;
		off_phase |= (last - first) % (2 * MS);
		synic_free(c, SINT);
	}
	elapsed = conf_ref_time() - start;
	conf_equal(c, i, PERIODS, "lazy: goes on when its slot is free again");
	conf_equal(c, off_phase, 0, "lazy: times are whole periods apart");
	/* One was in the slot, one may have waited behind it, and one period may have begun before. */
	conf_ok(c, elapsed >= (PERIODS - 4) * 2 * MS, "lazy: what was missed is not made up for");
	stimer_off(c, 2);
	synic_free(c, SINT);
	synic_free(c, SINT);
}

static void test_auto_enable(struct conf *c)
{
	conf_irqs_clear(c);
	conf_write(c, HV_X64_MSR_STIMER0_COUNT, 0);
	conf_write(c, HV_X64_MSR_STIMER0_CONFIG,
		   (stimer_to_sint(SINT) & ~HV_STIMER_ENABLE) | HV_STIMER_AUTOENABLE);
	conf_ok(c, !is_enabled(c, 0), "auto-enable: not before COUNT is written");
	conf_write(c, HV_X64_MSR_STIMER0_COUNT, conf_ref_time() + MS);
	conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1, "auto-enable: COUNT starts it");
	conf_ok(c, !is_enabled(c, 0), "auto-enable: off again afterwards");
	synic_free(c, SINT);
	conf_write(c, HV_X64_MSR_STIMER0_COUNT, conf_ref_time() + MS);
	conf_equal(c, conf_irqs_wait(c, 0, 0, 2), 2, "auto-enable: COUNT starts it once more");
	synic_free(c, SINT);
	stimer_off(c, 0);
}

/*
 * Starts a timer and writes val to one of its registers, before it is due: a VP that stood still
 * meanwhile tries again.
 */
static void start_and_write(struct conf *c, uint32_t msr, uint64_t val)
{
	uint64_t due;
	int tries;

	for (tries = 0; tries < 5; tries++) {
		due = conf_ref_time() + 10 * MS;
		stimer_set(c, 0, stimer_to_sint(SINT), due);
		conf_write(c, msr, val);
		if (conf_ref_time() < due)
			break;
		synic_free(c, SINT);
	}
	conf_irqs_clear(c);
}

static void test_stopping(struct conf *c)
{
	start_and_write(c, HV_X64_MSR_STIMER0_COUNT, 0);
	conf_note(c, "COUNT 0: Enabled is %s", is_enabled(c, 0) ? "left as it was" : "cleared");
	conf_delay_us(15000);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "COUNT 0 stops the timer");
	start_and_write(c, HV_X64_MSR_STIMER0_CONFIG, 0);
	conf_delay_us(15000);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "CONFIG 0 stops the timer");
	start_and_write(c, HV_X64_MSR_STIMER0_COUNT, NEVER);
	conf_delay_us(15000);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "COUNT 2^64 - 1 is far away");
	conf_ok(c, is_enabled(c, 0), "COUNT 2^64 - 1: still enabled");
	stimer_off(c, 0);
	synic_free(c, SINT);
}

/* A later deadline in place of an earlier one. */
static void test_new_count(struct conf *c)
{
	uint64_t later = conf_ref_time() + 30 * MS;

	start_and_write(c, HV_X64_MSR_STIMER0_COUNT, later);
	conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1, "a new COUNT: expires once");
	conf_equal(c, synic_timer_message(c, SINT).expiration_time, later,
		   "a new COUNT replaces the old one");
	synic_free(c, SINT);
	stimer_off(c, 0);
}

/* SINT 0 is no place for timers; where that is noticed, and when, sources disagree. */
static void test_sint_0(struct conf *c)
{
	stimer_set(c, 0, HV_STIMER_ENABLE, conf_ref_time() + 1000 * MS);
	conf_note(c, "SINT 0: the timer is %s", is_enabled(c, 0) ? "enabled" : "not enabled");
	stimer_set(c, 0, 0, 0);
	conf_write(c, HV_X64_MSR_STIMER0_CONFIG, stimer_to_sint(SINT));
	conf_write(c, HV_X64_MSR_STIMER0_CONFIG, HV_STIMER_ENABLE);
	conf_ok(c, !is_enabled(c, 0), "SINT 0: a timer that was enabled does not stay so");
	stimer_off(c, 0);
}

static void test_direct(struct conf *c)
{
	uint64_t due;

	if (!conf_has_edx(c, HV_STIMER_DIRECT_MODE_AVAILABLE)) {
		conf_write_faults(c, HV_X64_MSR_STIMER0_CONFIG, HV_STIMER_DIRECT,
				  "direct mode is not offered");
		return;
	}
	conf_irqs_clear(c);
	due = conf_ref_time() + 2 * MS;
	stimer_set(c, 3, direct(DIRECT_VECTOR_N), due);
	conf_equal(c, conf_irqs_wait(c, 0, DIRECT_VECTOR_N, 1), 1, "direct: one interrupt");
	conf_ok(c, conf_ref_time() >= due, "direct: not early");
	conf_ok(c, !is_enabled(c, 3), "direct: disabled when it has expired");
	stimer_set(c, 3, direct(DIRECT_VECTOR_N), 1);
	conf_equal(c, conf_irqs_wait(c, 0, DIRECT_VECTOR_N, 2), 2, "direct: a time that is past");
	stimer_set(c, 3, direct(DIRECT_VECTOR_N) | HV_STIMER_PERIODIC, 2 * MS);
	conf_ok(c, conf_irqs_wait(c, 0, DIRECT_VECTOR_N, 7) >= 7, "direct: periodic");
	stimer_off(c, 3);
	if (!has_messages(c))
		return;
	/* Direct mode does without a SynIC. */
	conf_irqs_clear(c);
	conf_write(c, HV_X64_MSR_SCONTROL, 0);
	stimer_set(c, 3, direct(DIRECT_VECTOR_N), 1);
	conf_equal(c, conf_irqs_wait(c, 0, DIRECT_VECTOR_N, 1), 1, "direct: with the SynIC off");
	conf_write(c, HV_X64_MSR_SCONTROL, HV_SYNIC_CONTROL_ENABLE);
	conf_equal(c, synic_slot(c, 0)->type, HVMSG_NONE, "direct: no message");
}

struct far_timer {
	bool faulted;
	uint64_t due;
};

static void start_there(void *arg)
{
	struct far_timer *t = arg;

	t->due = conf_ref_time() + MS;
	t->faulted = cpu_wrmsr_safe(HV_X64_MSR_STIMER0_COUNT, t->due) ||
		     cpu_wrmsr_safe(HV_X64_MSR_STIMER0_CONFIG, direct(DIRECT_VECTOR_N));
}

static void test_other_vp(struct conf *c)
{
	struct far_timer t;

	if (kernel.vp_table.count < 2 || !conf_has_edx(c, HV_STIMER_DIRECT_MODE_AVAILABLE)) {
		conf_skip(c, "one VP only, or no direct mode", "a timer of VP 1");
		return;
	}
	conf_irqs_clear(c);
	if (!conf_on_vp(c, 1, start_there, &t))
		return;
	conf_ok(c, !t.faulted, "a timer of VP 1 can be set");
	conf_equal(c, conf_irqs_wait(c, 1, DIRECT_VECTOR_N, 1), 1, "a timer of VP 1: wakes VP 1");
	conf_equal(c, conf_irqs(c, 0, DIRECT_VECTOR_N), 0, "a timer of VP 1: not the boot VP");
}

void conf_stimer(struct conf *c)
{
	struct synic_vp s;

	if (has_messages(c)) {
		synic_open(c, &s);
		test_one_shot(c);
		test_not_early(c);
		test_periodic(c);
		test_lazy(c);
		test_auto_enable(c);
		test_stopping(c);
		test_new_count(c);
		test_sint_0(c);
	} else {
		conf_skip(c, "no SynIC", "timers that send messages");
	}
	test_direct(c);
	test_other_vp(c);
	if (has_messages(c))
		synic_close(c, &s);
}

/* Sorted insertion; there are few. */
static void insert(uint64_t *sorted, uint32_t count, uint64_t val)
{
	for (; count > 0 && sorted[count - 1] > val; count--)
		sorted[count] = sorted[count - 1];
	sorted[count] = val;
}

/* From the due time to the first instructions of the handler, in 100 ns; or UNKNOWN_TIME. */
static uint64_t lateness(struct conf *c, uint64_t config)
{
	uint64_t due = conf_ref_time() + LATENESS_DELAY, isr, now;
	unsigned vector = CONF_VECTOR_N(DIRECT_VECTOR_N);
	uint64_t start = cpu_rdtsc(), patience = conf_tsc_of_us(PATIENCE_US);

	conf_irqs_clear(c);
	stimer_set(c, 0, config, due);
	while (conf_irqs(c, 0, DIRECT_VECTOR_N) == 0) {
		if (cpu_rdtsc() - start > patience)
			return UNKNOWN_TIME;
		cpu_pause();
	}
	now = conf_ref_time();
	isr = now - (cpu_rdtsc() - c->irqs[0].tsc[vector]) * 10 / (kernel.clock.tsc_khz / 1000);
	return isr > due ? isr - due : 0;
}

static void measure(struct conf *c, uint64_t config, const char *what)
{
	uint64_t sorted[LATENESS_SHOTS], late;
	uint32_t i;

	for (i = 0; i < LATENESS_SHOTS; i++) {
		late = lateness(c, config);
		if (late == UNKNOWN_TIME)
			break;
		insert(sorted, i, late);
		if (has_messages(c))
			synic_free(c, SINT);
	}
	if (!conf_equal(c, i, LATENESS_SHOTS, "%s: all timers expire", what))
		return;
	conf_note(c, "%s: median %lu.%lu us late, p99 %lu.%lu us, of %u", what,
		  sorted[LATENESS_SHOTS / 2] / 10, sorted[LATENESS_SHOTS / 2] % 10,
		  sorted[LATENESS_SHOTS * 99 / 100] / 10, sorted[LATENESS_SHOTS * 99 / 100] % 10,
		  LATENESS_SHOTS);
	conf_ok(c, sorted[LATENESS_SHOTS / 2] < 100 * MS, "%s: the median is below 100 ms", what);
}

void conf_lateness(struct conf *c)
{
	struct synic_vp s;

	if (has_messages(c)) {
		synic_open(c, &s);
		synic_sint(c, SINT, DIRECT_VECTOR_N, 0);
		measure(c, stimer_to_sint(SINT), "message");
		stimer_off(c, 0);
	}
	if (conf_has_edx(c, HV_STIMER_DIRECT_MODE_AVAILABLE))
		measure(c, direct(DIRECT_VECTOR_N), "direct");
	stimer_off(c, 0);
	if (has_messages(c))
		synic_close(c, &s);
}
