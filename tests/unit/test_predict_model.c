/* SPDX-License-Identifier: MIT */
/* Unit tests of the bring-up model: times that can be worked out by hand, and what was published. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "bench/predict_claims.h"
#include "bench/predict_model.h"
#include "bench/time_heap.h"
#include "tests/unit/suites.h"

#define EXACT      1e-9
#define CLAIM_PART 0.15

static double run(const struct predict_machine *m)
{
	double ms;

	ck_assert_int_eq(predict_bring_up(m, &ms), 0);
	return ms;
}

static void check_ms(const struct predict_machine *m, double ms)
{
	ck_assert_double_eq_tol(run(m), ms, EXACT);
}

START_TEST(test_heap)
{
	static const double keys[] = {5, 3, 9, 3, 1, 7};
	static const uint32_t order[] = {4, 1, 3, 0, 5, 2}; /* of equal keys the lower number */
	struct time_heap h;

	ck_assert_int_eq(time_heap_init(&h, 6), 0);
	for (uint32_t i = 0; i < 6; i++)
		time_heap_add(&h, keys[i], i);
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_uint_eq(time_heap_take(&h), order[i]);
	ck_assert_uint_eq(h.count, 0);
	time_heap_fini(&h);
}
END_TEST

/* 5 VPs, each stage with a time of its own, as many cores as VPs. */
static struct predict_machine machine(enum predict_mode mode)
{
	return (struct predict_machine){
		.mode = mode,
		.vps = 5,
		.sockets = 1,
		.threads = 1,
		.cores = 5,
		.cost_us = {[PREDICT_KICK] = 10,
			    [PREDICT_START] = 100,
			    [PREDICT_INIT] = 200,
			    [PREDICT_CALIBRATE] = 1000,
			    [PREDICT_ONLINE] = 50,
			    [PREDICT_RELEASE] = 5},
	};
}

START_TEST(test_serial)
{
	struct predict_machine m = machine(PREDICT_SERIAL);

	check_ms(&m, 4 * 1.365);
}
END_TEST

/* The last kick at 40; the first turn then, when its VP waits already; the last has all behind it. */
START_TEST(test_kick_first)
{
	struct predict_machine m = machine(PREDICT_KICK_FIRST);

	m.cost_us[PREDICT_START] = 20;
	check_ms(&m, 0.040 + 4 * (0.005 + 0.200 + 1.000 + 0.050));
}
END_TEST

/* The first VP is at its wait point at 310, long after it was released: the others are there by then. */
START_TEST(test_init_first)
{
	struct predict_machine m = machine(PREDICT_INIT_FIRST);

	check_ms(&m, 0.310 + 1.050 + 3 * (0.005 + 1.050));
}
END_TEST

START_TEST(test_full)
{
	struct predict_machine m = machine(PREDICT_FULL);

	check_ms(&m, 0.010 + 0.100 + 0.200 + 1.000 + 0.050 + 0.005);
}
END_TEST

START_TEST(test_hvcall)
{
	struct predict_machine m = machine(PREDICT_HVCALL);

	check_ms(&m, 0.040 + 1.350 + 0.005);
}
END_TEST

/* Four VPs on two cores compute half as fast, and sleep as fast as ever. */
START_TEST(test_shared_cores)
{
	struct predict_machine m = machine(PREDICT_FULL);

	m.cores = 2;
	check_ms(&m, 0.010 + 2 * 0.300 + 1.000 + 2 * 0.050 + 0.005);
	m.cores = 1;
	check_ms(&m, 0.010 + 4 * 0.300 + 1.000 + 4 * 0.050 + 0.005);
}
END_TEST

/* Cores of 2: the boot VP's sibling pays for no microcode, and VP 4 has no sibling. */
START_TEST(test_microcode)
{
	struct predict_machine m = {
		.mode = PREDICT_SERIAL,
		.vps = 5,
		.sockets = 1,
		.threads = 2,
		.cores = 5,
		.cost_us = {[PREDICT_UCODE] = 7000, [PREDICT_IDENTIFY] = 100},
	};

	check_ms(&m, 2 * 7.0 + 4 * 0.1);
	m.mode = PREDICT_FULL; /* siblings wait, and then identify themselves */
	check_ms(&m, 7.0 + 0.1);
}
END_TEST

START_TEST(test_sockets)
{
	struct predict_machine m = {
		.mode = PREDICT_SERIAL,
		.vps = 8,
		.sockets = 4,
		.threads = 2,
		.cores = 8,
		.cost_us = {[PREDICT_TSCSYNC] = 20000, [PREDICT_REMOTE] = 1000},
	};

	check_ms(&m, 3 * 21.0);
	m.known = true;
	m.cost_us[PREDICT_CALIBRATE] = 80000;
	check_ms(&m, 3 * 101.0);
	m.known = false;
	check_ms(&m, 3 * 21.0 + 7 * 80.0);
	m.sockets = 3; /* of 3, 3 and 2 VPs: a further socket's first VP need be no first thread */
	m.cost_us[PREDICT_CALIBRATE] = 0;
	ck_assert_double_gt(run(&m), 2 * 20.0);
}
END_TEST

START_TEST(test_small)
{
	for (unsigned mode = 0; mode < PREDICT_MODES; mode++) {
		struct predict_machine m = machine(mode);

		m.vps = 1;
		check_ms(&m, 0);
		m.vps = 2; /* where there are turns, the only VP has its turn before it is there */
		check_ms(&m,
			 mode == PREDICT_KICK_FIRST || mode == PREDICT_INIT_FIRST ? 1.36 : 1.365);
		for (unsigned c = 0; c < PREDICT_COSTS; c++)
			m.cost_us[c] = 0;
		check_ms(&m, 0);
		m.vps = 65535;
		check_ms(&m, 0);
	}
}
END_TEST

START_TEST(test_names)
{
	for (unsigned mode = 0; mode < PREDICT_MODES; mode++)
		ck_assert_uint_eq(predict_mode_find(predict_mode_name(mode)), mode);
	ck_assert_uint_eq(predict_mode_find("sideways"), PREDICT_MODES);
}
END_TEST

START_TEST(test_synic)
{
	ck_assert_double_eq_tol(predict_synic_ms(false, 100, 2, 30), 3, EXACT);
	ck_assert_double_eq_tol(predict_synic_ms(true, 100, 2, 30), 1.5, EXACT);
	ck_assert_double_eq_tol(predict_synic_ms(true, 100, 1000, 30), 0.03, EXACT);
}
END_TEST

/* All are within 15 %, and those that are no mere sums of their own costs are among them. */
START_TEST(test_claims)
{
	unsigned tests = 0;

	for (const struct predict_claim *c = predict_claims; c->name; c++) {
		double ms;

		ck_assert_int_eq(predict_claim_ms(c, &ms), 0);
		ck_assert_msg(fabs(ms / c->published_ms - 1) < CLAIM_PART, "%s: %g ms, not %g",
			      c->name, ms, c->published_ms);
		tests += !c->is_fitted;
	}
	ck_assert_uint_ge(tests, 3);
}
END_TEST

Suite *predict_model_suite(void)
{
	Suite *s = suite_create("predict_model");
	TCase *c = tcase_create("predict_model");

	tcase_set_timeout(c, 30);
	tcase_add_test(c, test_heap);
	tcase_add_test(c, test_serial);
	tcase_add_test(c, test_kick_first);
	tcase_add_test(c, test_init_first);
	tcase_add_test(c, test_full);
	tcase_add_test(c, test_hvcall);
	tcase_add_test(c, test_shared_cores);
	tcase_add_test(c, test_microcode);
	tcase_add_test(c, test_sockets);
	tcase_add_test(c, test_small);
	tcase_add_test(c, test_names);
	tcase_add_test(c, test_synic);
	tcase_add_test(c, test_claims);
	suite_add_tcase(s, c);
	return s;
}
