/* SPDX-License-Identifier: MIT */
/* Reference time: counter and TSC page agree, at real rates, from the start to far away. */
#include "tests/unit/suites.h"
#include "hyperv/hv.h"

#include <string.h>

#include "tests/unit/hv_fixture.h"

#define PAGE 5

static struct hv_fixture f;

static void setup(void)
{
	hv_fixture_init(&f, 2);
}

static void teardown(void)
{
	hv_fixture_fini(&f);
}

static void new_rate(uint64_t tsc_hz)
{
	hv_partition_free(f.p);
	f.cfg.tsc_hz = tsc_hz;
	f.p = hv_partition_new(&f.cfg, &fake_hv_host_ops, &f.host);
	ck_assert_ptr_nonnull(f.p);
}

static struct hv_reference_tsc_page page(void)
{
	struct hv_reference_tsc_page t;

	memcpy(&t, fake_page(&f.host, PAGE), sizeof(t));
	return t;
}

/* What a guest computes (TLFS, reference TSC mechanism). */
static uint64_t page_time(uint64_t tsc)
{
	struct hv_reference_tsc_page t = page();

	return (uint64_t)((unsigned __int128)tsc * t.scale >> 64) + (uint64_t)t.offset;
}

static const uint64_t rates[] = {10000001,   1000000000, 2445430000,
				 2595123456, 5999999999, UINT64_MAX};

START_TEST(counter_and_page_agree)
{
	uint64_t hz = rates[_i], start = 123456789012345;

	new_rate(hz);
	atomic_store(&f.host.guest_tsc, start);
	hv_ref_time_start(f.p, start);
	hv_write(&f, 0, HV_X64_MSR_REFERENCE_TSC, fake_page_gpa(PAGE) | 1);
	ck_assert_uint_ne(page().sequence, 0);
	ck_assert_uint_ne(page().sequence, UINT32_MAX);
	ck_assert_uint_eq(hv_read(&f, 0, HV_X64_MSR_TIME_REF_COUNT), 0);
	for (uint64_t seconds = 1; seconds <= 1ull << 30; seconds *= 2) {
		uint64_t tsc, t;

		if (__builtin_mul_overflow(hz, seconds, &tsc) ||
		    __builtin_add_overflow(tsc, start, &tsc))
			break;
		atomic_store(&f.host.guest_tsc, tsc);
		t = hv_read(&f, 1, HV_X64_MSR_TIME_REF_COUNT);
		ck_assert_uint_eq(t, page_time(tsc));
		ck_assert_uint_eq(t, hv_ref_time_100ns(f.p, 0));
		/* The scale is cut off after 64 bits, which costs less than a tick in 30 years. */
		ck_assert_uint_le(t, seconds * 10000000 + 1);
		ck_assert_uint_ge(t, seconds * 10000000 - 1);
	}
}
END_TEST

/* A timer armed with it is never early, and late by less than a TSC tick. */
START_TEST(back_to_the_tsc)
{
	uint64_t start = 987654321;

	new_rate(rates[_i]);
	hv_ref_time_start(f.p, start);
	for (uint64_t t = 1; t < 1ull << 50; t = t * 3 + 1) {
		uint64_t tsc = hv_ref_time_to_tsc(f.p, t);

		if (tsc == UINT64_MAX)
			break;
		atomic_store(&f.host.guest_tsc, tsc);
		ck_assert_uint_ge(hv_ref_time_100ns(f.p, 0), t);
		atomic_store(&f.host.guest_tsc, tsc - 1);
		ck_assert_uint_lt(hv_ref_time_100ns(f.p, 0), t);
	}
	ck_assert_uint_eq(hv_ref_time_to_tsc(f.p, UINT64_MAX), UINT64_MAX);
}
END_TEST

/* Most KVMs start a VP's TSC at 0, later than the partition. */
START_TEST(starts_before_the_guests_tsc)
{
	uint64_t due = 50000000 + 7, tsc;

	new_rate(rates[_i]);
	atomic_store(&f.host.guest_tsc, 0);
	hv_ref_time_start(f.p, -(1ull << 62)); /* 2^62 ticks ago */
	hv_write(&f, 0, HV_X64_MSR_REFERENCE_TSC, fake_page_gpa(PAGE) | 1);
	ck_assert_uint_eq(hv_read(&f, 0, HV_X64_MSR_TIME_REF_COUNT),
			  (uint64_t)(((unsigned __int128)1 << 62) * page().scale >> 64));
	hv_write(&f, 0, HV_X64_MSR_REFERENCE_TSC, 0);

	new_rate(1000000000);
	hv_ref_time_start(f.p, (uint64_t)-5000000000ll);
	hv_write(&f, 0, HV_X64_MSR_REFERENCE_TSC, fake_page_gpa(PAGE) | 1);
	ck_assert_uint_ge(page_time(0), 50000000 - 1);
	ck_assert_uint_le(page_time(0), 50000000);
	ck_assert_uint_eq(hv_ref_time_100ns(f.p, 0), page_time(0));
	ck_assert_uint_eq(hv_ref_time_to_tsc(f.p, 1), 0);
	tsc = hv_ref_time_to_tsc(f.p, due);
	ck_assert_uint_ge(tsc, 700);
	ck_assert_uint_le(tsc, 900);
	ck_assert_uint_ge(page_time(tsc), due);
	ck_assert_uint_lt(page_time(tsc - 1), due);
}
END_TEST

START_TEST(page_comes_and_goes)
{
	uint8_t zero[HV_HYP_PAGE_SIZE - sizeof(struct hv_reference_tsc_page)] = {0};

	hv_write(&f, 0, HV_X64_MSR_REFERENCE_TSC, fake_page_gpa(PAGE));
	ck_assert(fake_ram_pristine(&f.host));
	hv_write(&f, 0, HV_X64_MSR_REFERENCE_TSC, fake_page_gpa(PAGE) | 1);
	ck_assert_uint_eq(page().scale, 1ull << 63); /* 20 MHz: half a unit for each tick */
	ck_assert_uint_eq(page().reserved, 0);
	ck_assert_mem_eq(fake_page(&f.host, PAGE) + sizeof(struct hv_reference_tsc_page), zero,
			 sizeof(zero));
	ck_assert_uint_eq(hv_read(&f, 1, HV_X64_MSR_REFERENCE_TSC), fake_page_gpa(PAGE) | 1);
	/* Spoilt by the guest, it is good again the next time it is shown. */
	memset(fake_page(&f.host, PAGE), 0xff, sizeof(struct hv_reference_tsc_page));
	hv_write(&f, 1, HV_X64_MSR_REFERENCE_TSC, 0);
	ck_assert(fake_ram_pristine(&f.host));
	hv_write(&f, 1, HV_X64_MSR_REFERENCE_TSC, fake_page_gpa(PAGE) | 1);
	ck_assert_uint_eq(page().scale, 1ull << 63);
	hv_partition_reset(f.p);
	ck_assert(fake_ram_pristine(&f.host));
}
END_TEST

/* Slower than the units of reference time: a page that says so, and a counter that stands still. */
START_TEST(too_slow_a_tsc)
{
	new_rate(10000000);
	atomic_store(&f.host.guest_tsc, 1ull << 60);
	hv_write(&f, 0, HV_X64_MSR_REFERENCE_TSC, fake_page_gpa(PAGE) | 1);
	ck_assert_uint_eq(page().sequence, HV_REFERENCE_TSC_SEQUENCE_INVALID);
	ck_assert_uint_eq(hv_read(&f, 0, HV_X64_MSR_TIME_REF_COUNT), 0);
	ck_assert_uint_eq(hv_ref_time_to_tsc(f.p, 1), UINT64_MAX);
}
END_TEST

Suite *hv_time_suite(void)
{
	Suite *s = suite_create("hv_time");
	TCase *t = tcase_create("time");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, counter_and_page_agree, 0, sizeof(rates) / sizeof(rates[0]));
	tcase_add_loop_test(t, back_to_the_tsc, 0, sizeof(rates) / sizeof(rates[0]));
	tcase_add_loop_test(t, starts_before_the_guests_tsc, 0, sizeof(rates) / sizeof(rates[0]));
	tcase_add_test(t, page_comes_and_goes);
	tcase_add_test(t, too_slow_a_tsc);
	suite_add_tcase(s, t);
	return s;
}
