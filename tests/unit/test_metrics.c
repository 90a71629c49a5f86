/* SPDX-License-Identifier: MIT */
/* Unit tests of a run's metrics: exact values, what is left out, and guests that lie. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "tests/unit/run_fixture.h"
#include "vmm/metrics.h"

START_TEST(test_serial)
{
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 5);
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_STARTUP_MS, 140);
	run_fixture_check(&m, METRIC_CREATE_MS, 4);
	run_fixture_check(&m, METRIC_SMP_BRINGUP_MS, 40);
	run_fixture_check(&m, METRIC_STAGE_KICK_MS, 4 * 1);
	run_fixture_check(&m, METRIC_STAGE_INIT_MS, 4 * 2);
	run_fixture_check(&m, METRIC_STAGE_CALIBRATE_MS, 4 * 5);
	run_fixture_check(&m, METRIC_STAGE_ONLINE_MS, 4 * 1);
	run_fixture_check(&m, METRIC_LPJ_ERROR_PPM, 0);
	run_fixture_check(&m, METRIC_LPJ_MIN, 4000);
	run_fixture_check(&m, METRIC_LPJ_MAX, 4000);
	run_fixture_check(&m, METRIC_EXITS, 10 + 11 + 12 + 13 + 14);
	run_fixture_check(&m, METRIC_RSS_KIB, 2048);
	run_fixture_fini(&r);
}
END_TEST

/* Stages that overlap count once, and gaps do not count. */
START_TEST(test_overlapping_stages)
{
	/* Calibration from, to: two overlap, one lies within the first, one stands apart. */
	static const double span[][2] = {{100, 120}, {110, 130}, {102, 103}, {200, 201}};
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 5);
	for (uint32_t i = 0; i < 4; i++) {
		run_fixture_event(&r, 4 - i, TRACE_VP_CALIBRATE)->tsc =
			run_fixture_guest_tsc(span[i][0]);
		run_fixture_event(&r, 4 - i, TRACE_VP_CALIBRATED)->tsc =
			run_fixture_guest_tsc(span[i][1]);
	}
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_STAGE_CALIBRATE_MS, 31);
	run_fixture_fini(&r);
}
END_TEST

/* With smp=kick the wait at the entry ends the kick, and the release begins the init. */
START_TEST(test_waits_at_entry)
{
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 2);
	run_fixture_add_event(&r, 1, TRACE_VP_WAIT, 101.5);
	run_fixture_add_event(&r, 1, TRACE_VP_RELEASED, 102.75);
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_STAGE_KICK_MS, 1.5);
	run_fixture_check(&m, METRIC_STAGE_WAIT_MS, 1.25);
	run_fixture_check(&m, METRIC_STAGE_INIT_MS, 0.25);
	run_fixture_fini(&r);
}
END_TEST

/* With smp=init it is a stage between the others. */
START_TEST(test_waits_after_init)
{
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 2);
	run_fixture_event(&r, 1, TRACE_VP_CALIBRATE)->tsc = run_fixture_guest_tsc(106);
	run_fixture_add_event(&r, 1, TRACE_VP_WAIT, 103);
	run_fixture_add_event(&r, 1, TRACE_VP_RELEASED, 106);
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_STAGE_KICK_MS, 1);
	run_fixture_check(&m, METRIC_STAGE_INIT_MS, 2);
	run_fixture_check(&m, METRIC_STAGE_WAIT_MS, 3);
	run_fixture_check(&m, METRIC_STAGE_CALIBRATE_MS, 2);
	run_fixture_fini(&r);
}
END_TEST

/* Two VPs one after the other, one beside both: with somebody in it, summed, first to last. */
START_TEST(test_three_readings_of_a_stage)
{
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 4);
	run_fixture_add_event(&r, 1, TRACE_VP_UCODE, 110);
	run_fixture_add_event(&r, 1, TRACE_VP_UCODE_END, 117);
	run_fixture_add_event(&r, 2, TRACE_VP_UCODE, 112);
	run_fixture_add_event(&r, 2, TRACE_VP_UCODE_END, 119);
	run_fixture_add_event(&r, 3, TRACE_VP_UCODE, 130);
	run_fixture_add_event(&r, 3, TRACE_VP_UCODE_END, 134);
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_STAGE_UCODE_MS, 9 + 4);
	run_fixture_check(&m, METRIC_STAGE_UCODE_SUM_MS, 7 + 7 + 4);
	run_fixture_check(&m, METRIC_STAGE_UCODE_SPAN_MS, 24);
	run_fixture_check(&m, METRIC_STAGE_INIT_MS, 6);
	run_fixture_check(&m, METRIC_STAGE_INIT_SUM_MS, 6);
	run_fixture_check(&m, METRIC_STAGE_INIT_SPAN_MS, 22);
	run_fixture_check(&m, METRIC_STAGE_INIT_CYCLES, 6000);
	ck_assert(!m.have[METRIC_STAGE_SIBLING_MS] && !m.have[METRIC_STAGE_WAIT_SUM_MS]);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_synic)
{
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 3);
	m = run_fixture_metrics(&r);
	ck_assert(!m.have[METRIC_SYNIC_INIT_MS] && !m.have[METRIC_SYNIC_VP_US]);
	r.guest.info.synic_begin_tsc = run_fixture_guest_tsc(121);
	r.guest.info.synic_end_tsc = run_fixture_guest_tsc(131);
	for (uint32_t i = 0; i < 3; i++) {
		run_fixture_add_event(&r, i, TRACE_VP_SYNIC, 122 + i);
		run_fixture_add_event(&r, i, TRACE_VP_SYNIC_END, 122 + i + 1 + (i == 0));
	}
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_SYNIC_INIT_MS, 10);
	run_fixture_check(&m, METRIC_SYNIC_VP_US, 1000);
	run_fixture_check(&m, METRIC_SYNIC_VP_MAX_US, 2000); /* the boot VP's counts too */
	run_fixture_event(&r, 0, TRACE_VP_SYNIC_END)->tsc = 1;
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_SYNIC_VP_MAX_US, 1000);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_calibrations)
{
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 3);
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_CALIBRATIONS, 0);
	r.guest.vp[0].flags = TRACE_VP_MEASURED_LPJ;
	r.guest.vp[2].flags = ~0u;
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_CALIBRATIONS, 2);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_modelled)
{
	struct guest_trace t = {.have_info = true};

	ck_assert(!guest_is_modelled(&t));
	t.info.online_us = 1;
	ck_assert(guest_is_modelled(&t));
	t.have_info = false;
	ck_assert(!guest_is_modelled(&t));
}
END_TEST

START_TEST(test_names)
{
	ck_assert_str_eq(guest_smp_name(TRACE_SMP_HVCALL), "hvcall");
	ck_assert_ptr_null(guest_smp_name(0));
	ck_assert_ptr_null(guest_smp_name(TRACE_SMP_HVCALL + 1));
	ck_assert_str_eq(guest_lpj_name(TRACE_LPJ_KNOWN), "known");
	ck_assert_ptr_null(guest_lpj_name(UINT32_MAX));
	ck_assert_str_eq(guest_synic_name(TRACE_SYNIC_OFF), "off");
	ck_assert_ptr_null(guest_synic_name(3));
	for (unsigned i = 1; i < GUEST_MARKS; i++)
		ck_assert_ptr_nonnull(guest_mark_name(i));
	ck_assert_ptr_null(guest_mark_name(0));
	ck_assert_ptr_null(guest_mark_name(GUEST_MARKS));
}
END_TEST

START_TEST(test_broadcast_kick)
{
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 3);
	run_fixture_event(&r, 1, TRACE_VP_KICK)->vp = UINT32_MAX;
	run_fixture_event(&r, 2, TRACE_VP_KICK)->vp = 0;
	m = run_fixture_metrics(&r);
	/* Both from the first of the two kicks, at 100, to their starts, at 101 and 111. */
	run_fixture_check(&m, METRIC_STAGE_KICK_MS, 11);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_lpj_error)
{
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 3);
	r.guest.vp[0].lpj = 4040; /* the boot VP counts too: 10000 ppm */
	r.guest.vp[2].lpj = 3900; /* 25000 ppm below */
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_LPJ_ERROR_PPM, 25000);
	run_fixture_check(&m, METRIC_LPJ_MIN, 3900);
	run_fixture_check(&m, METRIC_LPJ_MAX, 4040);
	r.guest.vp[2].online = 0; /* what is not online has no say */
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_LPJ_ERROR_PPM, 10000);
	run_fixture_fini(&r);
}
END_TEST

/* The reference is in integers, as kernels compute it, and of the host's frequency. */
START_TEST(test_lpj_reference)
{
	struct run_record r;

	run_fixture_init(&r, 1);
	r.tsc_khz = 2445427;
	r.guest.info.hz = 300;
	ck_assert_uint_eq(metrics_lpj_reference(&r), 8151423);
	r.guest.info.hz = 0;
	ck_assert_uint_eq(metrics_lpj_reference(&r), 0);
	r.guest.info.hz = 1;
	r.tsc_khz = UINT64_MAX / 1000;
	ck_assert_uint_ne(metrics_lpj_reference(&r), 0);
	r.tsc_khz++;
	ck_assert_uint_eq(metrics_lpj_reference(&r), 0);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_one_vp)
{
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 1);
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_SMP_BRINGUP_MS, 0); /* measured, and nothing to do */
	ck_assert(!m.have[METRIC_STAGE_KICK_MS] && !m.have[METRIC_STAGE_ONLINE_MS]);
	run_fixture_fini(&r);
}
END_TEST

static void check_no_guest_metric(const struct run_record *r)
{
	struct metrics m = run_fixture_metrics(r);

	ck_assert(!m.have[METRIC_STARTUP_MS] && !m.have[METRIC_SMP_BRINGUP_MS]);
	ck_assert(!m.have[METRIC_STAGE_CALIBRATE_MS] && !m.have[METRIC_LPJ_ERROR_PPM]);
	ck_assert(!m.have[METRIC_LPJ_MIN]);
	run_fixture_check(&m, METRIC_CREATE_MS, 4);
	run_fixture_check(&m, METRIC_EXITS, 33);
}

START_TEST(test_incomplete_trace)
{
	struct run_record r;

	run_fixture_init(&r, 3);
	r.guest.complete = false;
	check_no_guest_metric(&r);
	r.guest.complete = true;
	r.guest.have_info = false;
	check_no_guest_metric(&r);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_nothing_measured)
{
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 2);
	r.rss_kib = 0;
	r.vps_created_tsc = 0;
	r.vp[0].exits = 0;
	r.vp[1].exits = 0;
	r.guest.info.smp_begin_tsc = 0;
	r.guest.vp[0].lpj = 0;
	r.guest.vp[1].lpj = 0;
	m = run_fixture_metrics(&r);
	ck_assert(!m.have[METRIC_RSS_KIB] && !m.have[METRIC_CREATE_MS] && !m.have[METRIC_EXITS]);
	ck_assert(!m.have[METRIC_SMP_BRINGUP_MS] && !m.have[METRIC_LPJ_MIN]);
	ck_assert(!m.have[METRIC_LPJ_ERROR_PPM]);
	run_fixture_fini(&r);
}
END_TEST

/* Ends before beginnings, VPs that do not exist, unknown events, records twice. */
START_TEST(test_hostile_guest)
{
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 3);
	r.guest.info.smp_end_tsc = r.guest.info.smp_begin_tsc - 1;
	run_fixture_event(&r, 1, TRACE_VP_CALIBRATED)->tsc = 1;
	run_fixture_event(&r, 1, TRACE_VP_INIT)->event = UINT16_MAX;
	run_fixture_event(&r, 2, TRACE_VP_ONLINE)->vp = 3;
	run_fixture_event(&r, 1, TRACE_VP_ONLINE)->event = 0;
	r.guest.vp[1].vp = UINT32_MAX;
	r.guest.vp[2].vp = 0; /* again */
	r.guest.vp[2].lpj = UINT64_MAX;
	m = run_fixture_metrics(&r);
	ck_assert(!m.have[METRIC_SMP_BRINGUP_MS]);
	ck_assert(!m.have[METRIC_STAGE_ONLINE_MS]);
	run_fixture_check(&m, METRIC_STAGE_CALIBRATE_MS, 5);
	run_fixture_check(&m, METRIC_STAGE_INIT_MS, 2);
	run_fixture_check(&m, METRIC_LPJ_MAX, 4000);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_online_outside_the_run)
{
	struct run_record r;

	run_fixture_init(&r, 3);
	ck_assert_uint_eq(metrics_all_online_tsc(&r), RUN_FIXTURE_START + 120000);
	r.guest.info.smp_end_tsc = r.start_tsc - 1 + r.tsc_offset;
	ck_assert_uint_eq(metrics_all_online_tsc(&r), 0);
	r.guest.info.smp_end_tsc = r.end_tsc + r.tsc_offset;
	ck_assert_uint_eq(metrics_all_online_tsc(&r), r.end_tsc);
	r.guest.info.smp_end_tsc++;
	ck_assert_uint_eq(metrics_all_online_tsc(&r), 0);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_run_ms)
{
	struct run_record r = {.tsc_khz = 2000};

	ck_assert_double_eq(run_ms(&r, 1000, 4000), 1.5);
	ck_assert_double_eq(run_ms(&r, 4000, 1000), 0);
	ck_assert_double_eq(run_ms(&r, 0, 4000), 0);
	ck_assert_double_eq(run_ms(&r, 1000, 0), 0);
	r.tsc_khz = 0;
	ck_assert_double_eq(run_ms(&r, 1000, 4000), 0);
}
END_TEST

START_TEST(test_units)
{
	ck_assert_str_eq(metric_unit("smp_bringup_ms"), "ms");
	ck_assert_str_eq(metric_unit("rss_kib"), "KiB");
	ck_assert_str_eq(metric_unit("no_such_metric"), "");
}
END_TEST

Suite *metrics_suite(void)
{
	Suite *s = suite_create("metrics");
	TCase *c = tcase_create("metrics");

	tcase_add_test(c, test_serial);
	tcase_add_test(c, test_overlapping_stages);
	tcase_add_test(c, test_waits_at_entry);
	tcase_add_test(c, test_waits_after_init);
	tcase_add_test(c, test_three_readings_of_a_stage);
	tcase_add_test(c, test_synic);
	tcase_add_test(c, test_calibrations);
	tcase_add_test(c, test_modelled);
	tcase_add_test(c, test_names);
	tcase_add_test(c, test_broadcast_kick);
	tcase_add_test(c, test_lpj_error);
	tcase_add_test(c, test_lpj_reference);
	tcase_add_test(c, test_one_vp);
	tcase_add_test(c, test_incomplete_trace);
	tcase_add_test(c, test_nothing_measured);
	tcase_add_test(c, test_hostile_guest);
	tcase_add_test(c, test_online_outside_the_run);
	tcase_add_test(c, test_run_ms);
	tcase_add_test(c, test_units);
	suite_add_tcase(s, c);
	return s;
}
