/* SPDX-License-Identifier: MIT */
/* Synthetic timers: when they expire, how often, and what becomes of late and undelivered ones. */
#include "tests/unit/suites.h"
#include "hyperv/hv.h"

#include <pthread.h>
#include <string.h>

#include "tests/unit/hv_fixture.h"

#define VP      1
#define SINT    2
#define VECTOR  0xed
#define SIMP    3
#define MS      10000ull
#define MESSAGE ((uint64_t)SINT << HV_STIMER_SINT_SHIFT)
#define DIRECT  (HV_STIMER_DIRECT | (uint64_t)VECTOR << HV_STIMER_APIC_VECTOR_SHIFT)

static struct hv_fixture f;

static void setup(void)
{
	hv_fixture_init(&f, 2);
	fake_set_time(&f.host, 1000 * MS);
	hv_write(&f, VP, HV_X64_MSR_SIMP, fake_page_gpa(SIMP) | 1);
	hv_write(&f, VP, HV_X64_MSR_SINT0 + SINT, 0xf3);
	hv_write(&f, VP, HV_X64_MSR_SCONTROL, 1);
}

static void teardown(void)
{
	hv_fixture_fini(&f);
}

static void config(unsigned n, uint64_t val)
{
	hv_write(&f, VP, HV_X64_MSR_STIMER0_CONFIG + 2 * n, val);
}

static void count(unsigned n, uint64_t val)
{
	hv_write(&f, VP, HV_X64_MSR_STIMER0_COUNT + 2 * n, val);
}

static bool is_enabled(unsigned n)
{
	return hv_read(&f, VP, HV_X64_MSR_STIMER0_CONFIG + 2 * n) & HV_STIMER_ENABLE;
}

static unsigned irqs(void)
{
	return atomic_load(&f.host.irqs[VP]);
}

static struct hv_timer_message expiry(void)
{
	struct hv_timer_message m;
	struct hv_message *slot = hv_slot(&f, SIMP, SINT);

	ck_assert_uint_eq(slot->type, HVMSG_TIMER_EXPIRED);
	ck_assert_uint_eq(slot->payload_bytes, sizeof(m));
	ck_assert_uint_eq(slot->origin, 0);
	memcpy(&m, slot->payload, sizeof(m));
	return m;
}

START_TEST(one_shot)
{
	uint64_t due = 1000 * MS + 123;

	count(3, due);
	config(3, MESSAGE | HV_STIMER_ENABLE);
	ck_assert(f.host.timer[VP][3].armed);
	ck_assert_uint_eq(f.host.timer[VP][3].due_100ns, due);
	fake_pass_to(&f.host, due - 1);
	ck_assert_uint_eq(irqs(), 0);
	ck_assert(is_enabled(3));
	fake_pass_to(&f.host, due);
	ck_assert_uint_eq(irqs(), 1);
	ck_assert_uint_eq(expiry().timer, 3);
	ck_assert_uint_eq(expiry().expiration_time, due);
	ck_assert_uint_eq(expiry().delivery_time, due);
	ck_assert(!is_enabled(3));
	ck_assert_uint_eq(hv_read(&f, VP, HV_X64_MSR_STIMER0_COUNT + 6), due);
	fake_pass_to(&f.host, 2000 * MS);
	ck_assert_uint_eq(irqs(), 1);
}
END_TEST

/* As Linux does it: CONFIG once, then a COUNT for each event. */
START_TEST(auto_enable)
{
	config(0, DIRECT | HV_STIMER_ENABLE | HV_STIMER_AUTOENABLE);
	ck_assert(!f.host.timer[VP][0].armed);
	for (unsigned i = 1; i <= 3; i++) {
		count(0, (1000 + i) * MS);
		ck_assert(is_enabled(0));
		fake_pass_to(&f.host, (1000 + i) * MS);
		ck_assert_uint_eq(irqs(), i);
		ck_assert_uint_eq(atomic_load(&f.host.last_vector[VP]), VECTOR);
		ck_assert(!is_enabled(0));
	}
	count(0, 2000 * MS);
	count(0, 0);
	ck_assert(!is_enabled(0));
	ck_assert(!f.host.timer[VP][0].armed);
	/* Without the bit, COUNT alone starts nothing... */
	config(0, DIRECT);
	count(0, 1100 * MS);
	ck_assert(!is_enabled(0));
	/* ...but moves what runs. */
	config(0, DIRECT | HV_STIMER_ENABLE);
	count(0, 1200 * MS);
	fake_pass_to(&f.host, 1199 * MS);
	ck_assert_uint_eq(irqs(), 3);
	fake_pass_to(&f.host, 1200 * MS);
	ck_assert_uint_eq(irqs(), 4);
}
END_TEST

START_TEST(past_deadlines)
{
	static const uint64_t past[] = {1, 999 * MS, 1000 * MS};

	for (unsigned i = 0; i < 3; i++) {
		config(0, DIRECT | HV_STIMER_AUTOENABLE);
		count(0, past[i]);
		ck_assert_uint_eq(irqs(), i + 1);
		ck_assert(!is_enabled(0));
		ck_assert(!f.host.timer[VP][0].armed);
	}
}
END_TEST

/* Direct mode needs no SynIC. */
START_TEST(direct_without_synic)
{
	hv_write(&f, VP, HV_X64_MSR_SCONTROL, 0);
	hv_write(&f, VP, HV_X64_MSR_SIMP, 0);
	config(0, DIRECT | HV_STIMER_AUTOENABLE);
	count(0, 1001 * MS);
	fake_pass_to(&f.host, 1001 * MS);
	ck_assert_uint_eq(irqs(), 1);
	ck_assert(!atomic_load(&f.host.last_auto_eoi[VP]));
}
END_TEST

START_TEST(no_deadline_at_all)
{
	config(0, DIRECT | HV_STIMER_AUTOENABLE | (_i ? HV_STIMER_PERIODIC : 0));
	count(0, UINT64_MAX);
	ck_assert(is_enabled(0));
	ck_assert(!f.host.timer[VP][0].armed);
	count(0, HV_STIMER_HORIZON_100NS + 1000 * MS + 1);
	ck_assert_int_eq(f.host.timer[VP][0].armed, false);
	count(0, HV_STIMER_HORIZON_100NS);
	ck_assert(f.host.timer[VP][0].armed);
	hv_stimer_expired(f.p, VP, 0); /* much too early: armed again */
	ck_assert_uint_eq(f.host.timer[VP][0].arms, 2);
	ck_assert_uint_eq(irqs(), 0);
	f.host.timer[VP][0].armed = true;
	count(0, 0);
	hv_stimer_expired(f.p, VP, 0); /* too late to be of any interest */
	ck_assert_uint_eq(irqs(), 0);
}
END_TEST

/* A thousand periods, each message taken at once: the phase is kept to the end. */
START_TEST(periodic_does_not_drift)
{
	count(1, MS);
	config(1, MESSAGE | HV_STIMER_ENABLE | HV_STIMER_PERIODIC | (_i ? HV_STIMER_LAZY : 0));
	for (unsigned i = 1; i <= 1000; i++) {
		uint64_t late = i * 7 % 400; /* the host is never quite on time */

		ck_assert_uint_eq(f.host.timer[VP][1].due_100ns, (1000 + i) * MS);
		fake_set_time(&f.host, (1000 + i) * MS + late);
		f.host.timer[VP][1].armed = false;
		hv_stimer_expired(f.p, VP, 1);
		ck_assert_uint_eq(irqs(), i);
		ck_assert_uint_eq(expiry().expiration_time, (1000 + i) * MS);
		ck_assert_uint_eq(expiry().delivery_time, (1000 + i) * MS + late);
		hv_take(&f, VP, hv_slot(&f, SIMP, SINT));
	}
	ck_assert(is_enabled(1));
}
END_TEST

/* Four periods late: not lazy, they come at half the distance; lazy, they don't come at all. */
START_TEST(short_stall)
{
	uint64_t now = 1005 * MS + MS / 4;
	bool lazy = _i;

	count(0, MS);
	config(0, DIRECT | HV_STIMER_ENABLE | HV_STIMER_PERIODIC | (lazy ? HV_STIMER_LAZY : 0));
	fake_set_time(&f.host, now);
	fake_pass_to(&f.host, now);
	ck_assert_uint_eq(irqs(), 1);
	ck_assert_uint_eq(f.host.timer[VP][0].due_100ns, lazy ? 1006 * MS : now + MS / 2);
	/* When time enough has gone by, none is missing, and the phase is what it was. */
	fake_pass_to(&f.host, 1020 * MS);
	ck_assert_uint_eq(irqs(), lazy ? 16 : 20);
	ck_assert_uint_eq(f.host.timer[VP][0].due_100ns, 1021 * MS);
}
END_TEST

/* An hour late: no flood. */
START_TEST(long_stall)
{
	uint64_t now = 1000 * MS + 3600000 * MS;
	bool lazy = _i;

	count(0, MS);
	config(0, DIRECT | HV_STIMER_ENABLE | HV_STIMER_PERIODIC | (lazy ? HV_STIMER_LAZY : 0));
	fake_set_time(&f.host, now);
	fake_pass_to(&f.host, now + 100 * MS);
	ck_assert_uint_eq(irqs(), 101 + (lazy ? 0 : 9));
	ck_assert_uint_eq(f.host.timer[VP][0].due_100ns, now + 101 * MS);
}
END_TEST

/* A period of 100 ns makes no more than one expiry in 100 us. */
START_TEST(tiny_period)
{
	count(0, 1);
	config(0, DIRECT | HV_STIMER_ENABLE | HV_STIMER_PERIODIC | (_i ? HV_STIMER_LAZY : 0));
	fake_pass_to(&f.host, 1010 * MS);
	ck_assert_uint_le(irqs(), 101);
	ck_assert_uint_ge(irqs(), 99);
}
END_TEST

/* kvm-unit-tests' hyperv_stimer: busy slot, no expiry counted, then EOM brings it. */
START_TEST(one_shot_waits_for_the_slot)
{
	struct hv_message *slot = hv_slot(&f, SIMP, SINT);

	slot->type = 0x1234;
	config(0, MESSAGE | HV_STIMER_AUTOENABLE);
	count(0, 1001 * MS);
	fake_pass_to(&f.host, 1002 * MS);
	ck_assert_uint_eq(irqs(), 0);
	ck_assert_uint_eq(slot->type, 0x1234);
	ck_assert_uint_eq(slot->flags, HV_MESSAGE_PENDING);
	ck_assert(is_enabled(0));
	hv_take(&f, VP, slot);
	ck_assert_uint_eq(irqs(), 1);
	ck_assert_uint_eq(expiry().expiration_time, 1001 * MS);
	ck_assert_uint_eq(expiry().delivery_time, 1002 * MS);
	ck_assert(!is_enabled(0));
}
END_TEST

/* The tick that waits is kept, with its time; those that come meanwhile are lost. */
START_TEST(periodic_waits_for_the_slot)
{
	struct hv_message *slot = hv_slot(&f, SIMP, SINT);

	count(0, MS);
	config(0, MESSAGE | HV_STIMER_ENABLE | HV_STIMER_PERIODIC);
	fake_pass_to(&f.host, 1005 * MS);
	ck_assert_uint_eq(irqs(), 1);
	ck_assert_uint_eq(expiry().expiration_time, 1001 * MS);
	hv_take(&f, VP, slot);
	ck_assert_uint_eq(irqs(), 2);
	ck_assert_uint_eq(expiry().expiration_time, 1002 * MS);
	hv_take(&f, VP, slot);
	ck_assert_uint_eq(slot->type, HVMSG_NONE);
	fake_pass_to(&f.host, 1006 * MS);
	ck_assert_uint_eq(expiry().expiration_time, 1006 * MS);
}
END_TEST

START_TEST(waits_for_synic)
{
	hv_write(&f, VP, HV_X64_MSR_SCONTROL, 0);
	config(0, MESSAGE | HV_STIMER_AUTOENABLE);
	config(1, MESSAGE | HV_STIMER_AUTOENABLE);
	count(1, 1001 * MS);
	count(0, 1002 * MS);
	fake_pass_to(&f.host, 1003 * MS);
	ck_assert_uint_eq(irqs(), 0);
	hv_write(&f, VP, HV_X64_MSR_SCONTROL, 1);
	ck_assert_uint_eq(irqs(), 1);
	ck_assert_uint_eq(expiry().timer, 0);
	ck_assert_uint_eq(hv_slot(&f, SIMP, SINT)->flags, HV_MESSAGE_PENDING);
	hv_take(&f, VP, hv_slot(&f, SIMP, SINT));
	ck_assert_uint_eq(expiry().timer, 1);
	ck_assert_uint_eq(hv_slot(&f, SIMP, SINT)->flags, 0);
	/* Written anew, a timer forgets what waited. */
	count(0, 1003 * MS);
	count(0, 0);
	hv_take(&f, VP, hv_slot(&f, SIMP, SINT));
	ck_assert_uint_eq(hv_slot(&f, SIMP, SINT)->type, HVMSG_NONE);
}
END_TEST

static const uint64_t illegal[] = {
	1 << 13,
	1 << 14,
	1 << 15,
	1 << 20,
	1ull << 63,
	HV_STIMER_DIRECT | HV_STIMER_ENABLE,
	HV_STIMER_DIRECT | HV_STIMER_AUTOENABLE | 15 << HV_STIMER_APIC_VECTOR_SHIFT,
};

START_TEST(illegal_config)
{
	config(0, MESSAGE);
	ck_assert_int_eq(hv_msr_write(f.p, VP, HV_X64_MSR_STIMER0_CONFIG, illegal[_i]), HV_MSR_GP);
	ck_assert_uint_eq(hv_read(&f, VP, HV_X64_MSR_STIMER0_CONFIG), MESSAGE);
}
END_TEST

START_TEST(sint_0_does_not_enable)
{
	count(0, 1100 * MS);
	config(0, HV_STIMER_ENABLE | HV_STIMER_AUTOENABLE);
	ck_assert(!is_enabled(0));
	count(0, 1200 * MS);
	ck_assert(!is_enabled(0));
	ck_assert(!f.host.timer[VP][0].armed);
}
END_TEST

START_TEST(direct_needs_its_feature)
{
	struct hv_config cfg = f.cfg;
	struct hv_partition *p;

	cfg.features.on &= ~HV_FEATURE_BIT(HV_FEATURE_STIMER_DIRECT);
	p = hv_partition_new(&cfg, &fake_hv_host_ops, &f.host);
	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(hv_msr_write(p, 0, HV_X64_MSR_STIMER0_CONFIG, HV_STIMER_DIRECT),
			 HV_MSR_GP);
	ck_assert_int_eq(hv_msr_write(p, 0, HV_X64_MSR_STIMER0_CONFIG, 0), HV_MSR_OK);
	hv_partition_free(p);
}
END_TEST

START_TEST(reset_stops)
{
	for (unsigned n = 0; n < HV_STIMER_COUNT; n++) {
		config(n, DIRECT | HV_STIMER_AUTOENABLE);
		count(n, 1100 * MS);
		ck_assert(f.host.timer[VP][n].armed);
	}
	hv_partition_reset(f.p);
	for (unsigned n = 0; n < HV_STIMER_COUNT; n++)
		ck_assert(!f.host.timer[VP][n].armed);
	hv_stimer_expired(f.p, VP, 0);
	fake_pass_to(&f.host, 2000 * MS);
	ck_assert_uint_eq(irqs(), 0);
}
END_TEST

#define ROUNDS 5000

static void *io_thread(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < ROUNDS; i++) {
		atomic_fetch_add(&f.host.guest_tsc, 2 * MS);
		hv_stimer_expired(f.p, VP, 0);
	}
	return NULL;
}

/* The VP writes its timer and takes messages while another thread reports expiries. */
START_TEST(expiries_beside_writes)
{
	struct hv_message *slot = hv_slot(&f, SIMP, SINT);
	pthread_t thread;
	unsigned taken = 0;

	config(0, MESSAGE | HV_STIMER_AUTOENABLE);
	ck_assert_int_eq(pthread_create(&thread, NULL, io_thread, NULL), 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		if (i % 50 == 0)
			count(0, atomic_load(&f.host.guest_tsc) / 2 + MS);
		if (__atomic_load_n(&slot->type, __ATOMIC_ACQUIRE) == HVMSG_NONE)
			continue;
		hv_take(&f, VP, slot);
		taken++;
	}
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	/* And one that nothing gets in the way of. */
	count(0, 1);
	ck_assert_uint_eq(slot->type, HVMSG_TIMER_EXPIRED);
	ck_assert_uint_gt(irqs(), taken);
}
END_TEST

#define N(a) (sizeof(a) / sizeof((a)[0]))

Suite *hv_stimer_suite(void)
{
	Suite *s = suite_create("hv_stimer");
	TCase *t = tcase_create("stimer");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, one_shot);
	tcase_add_test(t, auto_enable);
	tcase_add_test(t, past_deadlines);
	tcase_add_test(t, direct_without_synic);
	tcase_add_loop_test(t, no_deadline_at_all, 0, 2);
	tcase_add_loop_test(t, periodic_does_not_drift, 0, 2);
	tcase_add_loop_test(t, short_stall, 0, 2);
	tcase_add_loop_test(t, long_stall, 0, 2);
	tcase_add_loop_test(t, tiny_period, 0, 2);
	tcase_add_test(t, one_shot_waits_for_the_slot);
	tcase_add_test(t, periodic_waits_for_the_slot);
	tcase_add_test(t, waits_for_synic);
	tcase_add_loop_test(t, illegal_config, 0, N(illegal));
	tcase_add_test(t, sint_0_does_not_enable);
	tcase_add_test(t, direct_needs_its_feature);
	tcase_add_test(t, reset_stops);
	tcase_add_test(t, expiries_beside_writes);
	suite_add_tcase(s, t);
	return s;
}
