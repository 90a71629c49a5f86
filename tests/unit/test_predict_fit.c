/* SPDX-License-Identifier: MIT */
/* Unit tests of the fit: made-up measurements whose costs are known, and documents without any. */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/predict_fit.h"
#include "tests/unit/suites.h"

#define NEAR 1e-3

/*
 * A run whose stages cost what they are said to, on a host of 2 cores. Where VPs share these, each
 * stage is measured as that much longer.
 */
static json_t *run(const char *smp, uint32_t vps, double per_vp_us, double synic_us)
{
	struct predict_machine m = {
		.mode = predict_mode_find(smp),
		.vps = vps,
		.sockets = 1,
		.threads = 1,
		.cores = 2,
		.cost_us = {[PREDICT_START] = 100 + per_vp_us * vps,
			    [PREDICT_INIT] = 40,
			    [PREDICT_CALIBRATE] = 500,
			    [PREDICT_ONLINE] = 10},
	};
	double ms, stretch = 1, others = vps - 1;
	json_t *r;

	if (m.mode == PREDICT_SERIAL)
		m.cost_us[PREDICT_RELEASE] = 20;
	else
		stretch = others / 2;
	ck_assert_int_eq(predict_bring_up(&m, &ms), 0);
	r = json_pack("{s:{s:s, s:i, s:s}, s:{s:f, s:f, s:f, s:f, s:f}, s:[]}", "params", "smp",
		      smp, "cpus", (int)vps, "synic", "parallel", "metrics", "smp_bringup_ms", ms,
		      "stage.kick_sum_ms", m.cost_us[PREDICT_START] * others * stretch / 1000,
		      "stage.init_sum_ms", 40 * others * stretch / 1000, "stage.calibrate_sum_ms",
		      500 * others / 1000, "stage.online_sum_ms", 10 * others * stretch / 1000,
		      "vps");
	ck_assert_ptr_nonnull(r);
	if (synic_us > 0)
		json_object_set_new(json_object_get(r, "metrics"), "synic_init_ms",
				    json_real(synic_us * vps / 2 / 1000));
	return r;
}

static json_t *document(json_t *runs)
{
	return json_pack("{s:{s:i}, s:o}", "host", "cpus_online", 2, "runs", runs);
}

static void read_sets(struct predict_sets *sets, const json_t *d)
{
	struct err e = {""};

	ck_assert_msg(predict_sets_read(sets, d, &e) == 0, "%s", e.text);
}

static double predicted(const struct predict_set *s, const struct predict_fit *f, uint32_t vps,
			uint32_t cores)
{
	struct predict_machine m = predict_machine_at(s, f, vps, cores);
	double ms;

	ck_assert_int_eq(predict_bring_up(&m, &ms), 0);
	return ms;
}

static void check_near(double value, double expected)
{
	ck_assert_msg(fabs(value / expected - 1) < NEAR, "%g is not %g", value, expected);
}

/* Costs that grow with the VP count, found again, and a count that was left out. */
static void check_mode(const char *smp)
{
	json_t *d = document(
		json_pack("[o, o, o]", run(smp, 32, 2, 0), run(smp, 8, 2, 0), run(smp, 16, 2, 0)));
	json_t *expected = run(smp, 512, 2, 0), *metrics = json_object_get(expected, "metrics");
	struct predict_sets sets;
	struct predict_fit f;

	read_sets(&sets, d);
	ck_assert_uint_eq(sets.count, 1);
	ck_assert_uint_eq(sets.set[0].samples, 3);
	ck_assert_uint_eq(sets.set[0].sample[0].vps, 8);
	for (size_t left_out = 0; left_out <= 3; left_out++) {
		ck_assert_int_eq(predict_fit(&f, &sets.set[0], left_out), 0);
		check_near(predicted(&sets.set[0], &f, 512, 2),
			   json_real_value(json_object_get(metrics, "smp_bringup_ms")));
	}
	predict_sets_fini(&sets);
	json_decref(expected);
	json_decref(d);
}

START_TEST(test_serial)
{
	struct predict_sets sets;
	struct predict_fit f;
	json_t *d = document(json_pack("[o]", run("serial", 9, 0, 0)));

	read_sets(&sets, d);
	ck_assert_int_eq(predict_fit(&f, &sets.set[0], 1), 0);
	ck_assert_double_eq_tol(f.at_zero[PREDICT_RELEASE], 20, NEAR);
	ck_assert_double_eq_tol(f.at_zero[PREDICT_INIT], 40, NEAR);
	ck_assert_double_eq_tol(f.per_vp[PREDICT_INIT], 0, NEAR);
	predict_sets_fini(&sets);
	json_decref(d);
	check_mode("serial");
}
END_TEST

/* The stages are as long as the cores are shared; what they cost is found all the same. */
START_TEST(test_full)
{
	check_mode("full");
}
END_TEST

/* 180 us of 8 VPs, 100 us of 16: as if more VPs made them cheaper. */
START_TEST(test_falling)
{
	struct predict_sets sets;
	struct predict_fit f;
	json_t *d = document(json_pack("[o, o]", run("serial", 8, 10, 0), run("serial", 16, 0, 0)));

	read_sets(&sets, d);
	ck_assert_int_eq(predict_fit(&f, &sets.set[0], 2), 0);
	ck_assert_double_eq_tol(f.per_vp[PREDICT_START], 0, NEAR);
	ck_assert_double_eq_tol(f.at_zero[PREDICT_START], (8 * 180 + 16 * 100) / 24.0, NEAR);
	predict_sets_fini(&sets);
	json_decref(d);
}
END_TEST

/* Scattered costs are no slope. */
START_TEST(test_scatter)
{
	struct predict_sets sets;
	struct predict_fit f;
	json_t *d =
		document(json_pack("[o, o, o, o]", run("serial", 8, 1, 0), run("serial", 16, 0, 0),
				   run("serial", 32, 1, 0), run("serial", 64, 0.2, 0)));

	read_sets(&sets, d);
	ck_assert_int_eq(predict_fit(&f, &sets.set[0], 4), 0);
	ck_assert_double_eq_tol(f.per_vp[PREDICT_START], 0, NEAR);
	predict_sets_fini(&sets);
	json_decref(d);
}
END_TEST

START_TEST(test_synic)
{
	struct predict_sets sets;
	struct predict_fit f;
	json_t *d = document(json_pack("[o, o]", run("full", 10, 0, 30), run("full", 20, 0, 30)));

	read_sets(&sets, d);
	ck_assert_int_eq(predict_fit(&f, &sets.set[0], 2), 0);
	check_near(predict_set_synic_ms(&sets.set[0], &f, 1000, 2), 15);
	check_near(predict_set_synic_ms(&sets.set[0], &f, 1000, 100), 0.3);
	predict_sets_fini(&sets);
	json_decref(d);
}
END_TEST

/* Sets differ in what is not the VP count; runs of one VP, and what lacks metrics, are passed over. */
START_TEST(test_sets)
{
	json_t *poor = run("full", 4, 0, 0), *alone = run("full", 4, 0, 0), *d;
	struct predict_sets sets;

	json_object_del(json_object_get(poor, "metrics"), "stage.init_sum_ms");
	json_object_set_new(json_object_get(alone, "params"), "cpus", json_integer(1));
	d = document(json_pack("[o, o, o, o]", poor, run("serial", 4, 0, 0), alone,
			       run("full", 8, 0, 0)));
	read_sets(&sets, d);
	ck_assert_uint_eq(sets.count, 2);
	ck_assert_uint_eq(sets.set[0].samples, 1);
	ck_assert_uint_eq(sets.set[0].sample[0].vps, 8);
	predict_sets_fini(&sets);
	json_decref(d);
}
END_TEST

START_TEST(test_nothing)
{
	json_t *strange = run("full", 4, 0, 0), *d;
	struct predict_sets sets;
	struct err e = {""};

	json_object_set_new(json_object_get(strange, "params"), "smp", json_string("sideways"));
	d = document(json_pack("[o]", strange));
	ck_assert_int_eq(predict_sets_read(&sets, d, &e), -EINVAL);
	ck_assert_ptr_nonnull(strstr(e.text, "no run of 2 or more VPs has smp_bringup_ms"));
	predict_sets_fini(&sets);
	json_decref(d);
}
END_TEST

Suite *predict_fit_suite(void)
{
	Suite *s = suite_create("predict_fit");
	TCase *c = tcase_create("predict_fit");

	tcase_set_timeout(c, 30);
	tcase_add_test(c, test_serial);
	tcase_add_test(c, test_full);
	tcase_add_test(c, test_falling);
	tcase_add_test(c, test_scatter);
	tcase_add_test(c, test_synic);
	tcase_add_test(c, test_sets);
	tcase_add_test(c, test_nothing);
	suite_add_tcase(s, c);
	return s;
}
