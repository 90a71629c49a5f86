/* SPDX-License-Identifier: MIT */
/* Unit tests of the statistics, against values computed by hand. */
#include <check.h>
#include <errno.h>
#include <math.h>

#include "tests/unit/suites.h"
#include "vmm/quantile.h"
#include "bench/stats.h"

#define EXACT 1e-12

static struct stats compute(const double *value, size_t n)
{
	struct stats s;

	ck_assert_int_eq(stats_compute(&s, value, n, STATS_SEED), 0);
	ck_assert_uint_eq(s.n, n);
	return s;
}

START_TEST(test_odd)
{
	const double value[] = {3, 1, 5, 2, 4};
	struct stats s = compute(value, 5);

	ck_assert_double_eq(s.median, 3);
	ck_assert_double_eq_tol(s.p5, 1.2, EXACT); /* position 4 * 0.05 = 0.2 */
	ck_assert_double_eq_tol(s.p95, 4.8, EXACT);
	ck_assert_double_eq(s.mad, 1); /* of 2 1 0 1 2 */
	ck_assert_double_eq(s.min, 1);
	ck_assert_double_eq(s.max, 5);
	ck_assert_double_eq(value[0], 3); /* the sample stays as it is */
}
END_TEST

START_TEST(test_even)
{
	const double value[] = {10, 1, 2, 4};
	struct stats s = compute(value, 4);

	ck_assert_double_eq(s.median, 3);
	ck_assert_double_eq_tol(s.p5, 1.15, EXACT); /* position 3 * 0.05 = 0.15 */
	ck_assert_double_eq_tol(s.p95, 9.1, EXACT); /* 2.85: 4 + 0.85 * 6 */
	ck_assert_double_eq(s.mad, 1.5);            /* of 1 1 2 7 */
}
END_TEST

START_TEST(test_one)
{
	const double value[] = {-7.5};
	struct stats s = compute(value, 1);

	ck_assert_double_eq(s.median, -7.5);
	ck_assert_double_eq(s.p5, -7.5);
	ck_assert_double_eq(s.p95, -7.5);
	ck_assert_double_eq(s.mad, 0);
	ck_assert_double_eq(s.ci95[0], -7.5);
	ck_assert_double_eq(s.ci95[1], -7.5);
}
END_TEST

/* MAD is not moved by one wild value. */
START_TEST(test_outlier)
{
	const double value[] = {100, 101, 102, 103, 1e9};
	struct stats s = compute(value, 5);

	ck_assert_double_eq(s.median, 102);
	ck_assert_double_eq(s.mad, 1);
	ck_assert_double_eq(s.max, 1e9);
}
END_TEST

START_TEST(test_quantile_ends)
{
	const double sorted[] = {1, 2, 4};

	ck_assert_double_eq(quantile(sorted, 3, 0), 1);
	ck_assert_double_eq(quantile(sorted, 3, 0.5), 2);
	ck_assert_double_eq(quantile(sorted, 3, 0.75), 3);
	ck_assert_double_eq(quantile(sorted, 3, 1), 4);
}
END_TEST

/*
 * Two values have three medians of resamples, a quarter of them at either end; three values have
 * the least one as median with a probability of 7/27. Both are far above 2.5 %.
 */
START_TEST(test_bootstrap_small)
{
	const double two[] = {0, 10}, three[] = {1, 2, 3};
	struct stats s = compute(two, 2);

	ck_assert_double_eq(s.ci95[0], 0);
	ck_assert_double_eq(s.ci95[1], 10);
	s = compute(three, 3);
	ck_assert_double_eq(s.ci95[0], 1);
	ck_assert_double_eq(s.ci95[1], 3);
}
END_TEST

/*
 * Of 1..21 the resample's median is at most k when 11 or more draws are: binomial(21, k/21). That
 * puts the 2.5 % point of its distribution at 7 and, by symmetry, the other at 15.
 */
START_TEST(test_bootstrap_binomial)
{
	double value[21];
	struct stats s;

	for (int i = 0; i < 21; i++)
		value[i] = i + 1;
	s = compute(value, 21);
	ck_assert_double_eq_tol(s.ci95[0], 7, 1);
	ck_assert_double_eq_tol(s.ci95[1], 15, 1);
	ck_assert_double_eq(s.median, 11);
}
END_TEST

START_TEST(test_reproducible)
{
	double value[50];
	struct stats a, b, c;

	for (int i = 0; i < 50; i++)
		value[i] = sqrt(i) * (i % 7);
	ck_assert_int_eq(stats_compute(&a, value, 50, 1), 0);
	ck_assert_int_eq(stats_compute(&b, value, 50, 1), 0);
	ck_assert_int_eq(stats_compute(&c, value, 50, 2), 0);
	ck_assert_double_eq(a.ci95[0], b.ci95[0]);
	ck_assert_double_eq(a.ci95[1], b.ci95[1]);
	ck_assert(a.ci95[0] <= a.median && a.median <= a.ci95[1]);
	ck_assert(c.ci95[0] <= c.median && c.median <= c.ci95[1]);
}
END_TEST

START_TEST(test_refused)
{
	const double nan_at_end[] = {1, 2, NAN}, inf_at_start[] = {INFINITY, 1};
	struct stats s;

	ck_assert_int_eq(stats_compute(&s, nan_at_end, 3, 1), -EINVAL);
	ck_assert_int_eq(stats_compute(&s, inf_at_start, 2, 1), -EINVAL);
	ck_assert_int_eq(stats_compute(&s, nan_at_end, 0, 1), -EINVAL);
	ck_assert_int_eq(stats_compute(&s, nan_at_end, 2, 1), 0);
}
END_TEST

Suite *stats_suite(void)
{
	Suite *s = suite_create("stats");
	TCase *c = tcase_create("stats");

	tcase_add_test(c, test_odd);
	tcase_add_test(c, test_even);
	tcase_add_test(c, test_one);
	tcase_add_test(c, test_outlier);
	tcase_add_test(c, test_quantile_ends);
	tcase_add_test(c, test_bootstrap_small);
	tcase_add_test(c, test_bootstrap_binomial);
	tcase_add_test(c, test_reproducible);
	tcase_add_test(c, test_refused);
	suite_add_tcase(s, c);
	return s;
}
