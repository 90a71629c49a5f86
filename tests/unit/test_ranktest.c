/* SPDX-License-Identifier: MIT */
/* Unit tests of the rank test, the shift and Holm's correction, against published and hand-made values. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/unit/suites.h"
#include "bench/ranktest.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Permeability constants of the human chorioamnion at term and at 12 to 26 weeks: Hollander and
 * Wolfe, Nonparametric Statistical Methods (1973), table 4.1; the example of R's wilcox.test, which
 * gives W = 35 and p = 0.1272 for one side.
 */
static const double at_term[] = {0.73, 0.80, 0.83, 1.04, 1.38, 1.45, 1.46, 1.64, 1.89, 1.91};
static const double before[] = {0.74, 0.88, 0.90, 1.15, 1.21};

/* R's data set airquality, ozone in May and August: W = 127.5, p = 0.0001208 by approximation. */
static const double may[] = {41, 36, 12, 18, 28, 23, 19, 8, 7,  16, 11, 14,  18,
			     14, 34, 6,  30, 11, 1,  11, 4, 32, 23, 45, 115, 37};
static const double august[] = {39, 9,  16, 78, 35, 66, 122, 89,  110, 44, 28,  65, 22,
				59, 23, 31, 44, 21, 9,  45,  168, 73,  76, 118, 84, 85};

static struct ranktest test(const double *x, size_t n, const double *y, size_t m)
{
	struct ranktest t;

	ck_assert_int_eq(ranktest_compute(&t, x, n, y, m), 0);
	return t;
}

START_TEST(test_hollander_wolfe)
{
	struct ranktest t = test(at_term, COUNT(at_term), before, COUNT(before));
	struct ranktest back = test(before, COUNT(before), at_term, COUNT(at_term));

	ck_assert(t.is_exact);
	ck_assert_double_eq(t.u, 50 - 35);
	ck_assert_double_eq(back.u, 35);
	ck_assert_double_eq_tol(t.p, 2 * 382.0 / 3003, 1e-12); /* of C(15, 5) = 3003 orders */
	ck_assert_double_eq_tol(t.p / 2, 0.1272, 5e-5);
	ck_assert_double_eq(back.p, t.p);
	ck_assert_double_eq_tol(t.p_least, 2.0 / 3003, 1e-15);
}
END_TEST

/* Their estimate is 0.305 with an interval from -0.15 to 0.76, of at_term over before. */
START_TEST(test_shift)
{
	struct rankshift s;

	ck_assert_int_eq(rankshift_compute(&s, before, COUNT(before), at_term, COUNT(at_term)), 0);
	ck_assert_double_eq_tol(s.shift, 0.305, 1e-12);
	ck_assert_double_eq_tol(s.interval[0], -0.15, 1e-12);
	ck_assert_double_eq_tol(s.interval[1], 0.76, 1e-12);
	ck_assert_int_eq(rankshift_compute(&s, at_term, COUNT(at_term), before, COUNT(before)), 0);
	ck_assert_double_eq_tol(s.shift, -0.305, 1e-12);
}
END_TEST

START_TEST(test_normal)
{
	struct ranktest t = test(may, COUNT(may), august, COUNT(august));

	ck_assert_double_eq(t.u, 26 * 26 - 127.5);
	/* 15 values are there twice or more: the sum of t^3 - t over them is 90 */
	ck_assert_double_eq_tol(ranktest_p_normal(t.u, 26, 26, 90), 0.0001208, 5e-8);
	ck_assert_double_eq_tol(t.p, 0.0001208, 6e-5); /* the exact one is not far */
}
END_TEST

/* Two samples of three that do not overlap: 1 of 20 orders on either side. */
START_TEST(test_apart)
{
	const double x[] = {1, 2, 3}, y[] = {7, 8, 9};
	struct ranktest t = test(x, 3, y, 3);

	ck_assert_double_eq(t.u, 9);
	ck_assert_double_eq_tol(t.p, 0.1, 1e-15);
	ck_assert_double_eq_tol(t.p_least, 0.1, 1e-15);
	t = test(y, 3, x, 3);
	ck_assert_double_eq(t.u, 0);
	ck_assert_double_eq_tol(t.p, 0.1, 1e-15);
}
END_TEST

/* Midranks 1 3.5 3.5 3.5 3.5 ... : counted by hand over all C(8, 4) = 70 choices. */
START_TEST(test_ties)
{
	const double x[] = {1, 2, 2, 3}, y[] = {2, 3, 4, 4}, same[] = {5, 5, 5};
	struct ranktest t = test(x, 4, y, 4);

	ck_assert_double_eq(t.u, 13.5);
	ck_assert_double_eq_tol(t.p, 14.0 / 70, 1e-12);
	t = test(same, 3, same, 3);
	ck_assert_double_eq(t.u, 4.5);
	ck_assert_double_eq(t.p, 1);
}
END_TEST

static int double_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Exact and normal p agree where one ends and the other begins; a shift is found by both. */
START_TEST(test_border)
{
	double x[33], y[33];
	struct ranktest exact, normal;

	for (size_t i = 0; i < 33; i++) {
		x[i] = (double)(i * 37 % 101);
		y[i] = (double)(i * 53 % 97) + 29.5;
	}
	exact = test(x, 32, y, 32);
	normal = test(x, 33, y, 33);
	ck_assert(exact.is_exact && !normal.is_exact);
	ck_assert_double_eq_tol(exact.p, ranktest_p_normal(exact.u, 32, 32, 0), 0.002);
	ck_assert(normal.p > 0 && normal.p < 0.05);
	ck_assert(normal.p_least > 0 && normal.p_least < 1e-10);
}
END_TEST

/* The selection without a table of differences is right for every rank. */
START_TEST(test_shift_brute_force)
{
	double x[40], y[37], all[40 * 37];
	struct rankshift s;
	size_t count = 0;

	for (size_t i = 0; i < 40; i++)
		x[i] = sin((double)i) * 10;
	for (size_t i = 0; i < 37; i++)
		y[i] = floor(cos((double)i * 3) * 8) / 2 - 3;
	qsort(x, 40, sizeof(x[0]), double_compare);
	qsort(y, 37, sizeof(y[0]), double_compare);
	for (size_t i = 0; i < 40; i++) {
		for (size_t k = 0; k < 37; k++)
			all[count++] = y[k] - x[i];
	}
	qsort(all, count, sizeof(all[0]), double_compare);
	ck_assert_int_eq(rankshift_compute(&s, x, 40, y, 37), 0);
	ck_assert_double_eq(s.shift, (all[count / 2 - 1] + all[count / 2]) / 2);
	/* C = floor(nm/2 - 1.96 sqrt(nm(n+m+1)/12)) = floor(740 - 192.18) */
	ck_assert_double_eq(s.interval[0], all[547 - 1]);
	ck_assert_double_eq(s.interval[1], all[count - 547]);
}
END_TEST

START_TEST(test_small)
{
	const double one[] = {4}, two[] = {4, 6}, zero[] = {0, 0, 0, 0};
	struct rankshift s;
	struct ranktest t = test(one, 1, one, 1);

	ck_assert_double_eq(t.p, 1);
	ck_assert_double_eq(t.p_least, 1);
	ck_assert_int_eq(rankshift_compute(&s, one, 1, two, 2), 0);
	ck_assert_double_eq(s.shift, 1);
	ck_assert(isinf(s.interval[0]) &&
		  isinf(s.interval[1])); /* no interval, rather than a wrong one */
	ck_assert_int_eq(rankshift_compute(&s, zero, 4, zero, 4), 0);
	ck_assert_double_eq(s.shift, 0);
	ck_assert(!signbit(s.shift));
	ck_assert_double_eq(s.interval[1], 0);
}
END_TEST

/* 2 / C(2n, n): 2/2, 2/6, 2/20, 2/70, 2/252, 2/924 ... */
START_TEST(test_runs_needed)
{
	ck_assert_uint_eq(ranktest_runs_needed(1), 1);
	ck_assert_uint_eq(ranktest_runs_needed(0.1), 3);
	ck_assert_uint_eq(ranktest_runs_needed(0.05), 4);
	ck_assert_uint_eq(ranktest_runs_needed(0.01), 5);
	ck_assert_uint_eq(ranktest_runs_needed(0.001), 7);
	ck_assert(ranktest_runs_needed(1e-300) > 400);
}
END_TEST

/* As p.adjust(method = "holm") of R gives them. */
START_TEST(test_holm)
{
	const double p[] = {0.04, 0.01, 0.03, 0.02}, large[] = {0.9, 0.6};
	double adjusted[4];

	ck_assert_int_eq(holm_adjust(p, adjusted, 4), 0);
	ck_assert_double_eq_tol(adjusted[1], 0.04, 1e-15);
	ck_assert_double_eq_tol(adjusted[3], 0.06, 1e-15);
	ck_assert_double_eq_tol(adjusted[2], 0.06, 1e-15);
	ck_assert_double_eq_tol(adjusted[0], 0.06, 1e-15);
	ck_assert_int_eq(holm_adjust(large, adjusted, 2), 0);
	ck_assert_double_eq(adjusted[0], 1);
	ck_assert_double_eq(adjusted[1], 1);
	ck_assert_int_eq(holm_adjust(NULL, NULL, 0), 0);
}
END_TEST

Suite *ranktest_suite(void)
{
	Suite *s = suite_create("ranktest");
	TCase *c = tcase_create("ranktest");

	tcase_add_test(c, test_hollander_wolfe);
	tcase_add_test(c, test_shift);
	tcase_add_test(c, test_normal);
	tcase_add_test(c, test_apart);
	tcase_add_test(c, test_ties);
	tcase_add_test(c, test_border);
	tcase_add_test(c, test_shift_brute_force);
	tcase_add_test(c, test_small);
	tcase_add_test(c, test_runs_needed);
	tcase_add_test(c, test_holm);
	suite_add_tcase(s, c);
	return s;
}
