/* SPDX-License-Identifier: MIT */
/* Two samples against each other: rank test, shift with its interval, correction for many tests. */
#ifndef VPUP_BENCH_RANKTEST_H
#define VPUP_BENCH_RANKTEST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Up to this many values in both samples together p is exact; above it is that of the normal
 * approximation.
 */
#define RANKTEST_EXACT_MAX 64

struct ranktest {
	double u;       /* Mann and Whitney's U of y: pairs with x < y, ties count half */
	double p;       /* two-sided */
	double p_least; /* what two samples of these sizes would give that do not overlap at all */
	bool is_exact;
};

/*
 * Wilcoxon's rank sum test (1945), also Mann and Whitney's U test (1947), of n values x against m
 * values y, both not 0. Equal values get the mean of their ranks. Exact: the permutation
 * distribution of the ranks that are there, ties and all, by the shift algorithm (Streitberg and
 * Roehmel 1986); p is twice the smaller tail, at most 1. Normal approximation: with correction for
 * ties and for continuity (Lehmann, Nonparametrics, 1975, section 1.4).
 * Returns 0 or -ENOMEM.
 */
int ranktest_compute(struct ranktest *t, const double *x, size_t n, const double *y, size_t m);

/*
 * That approximation's p of U = u, for samples of n and m values; ties is the sum of t^3 - t over the
 * groups of t equal values.
 */
double ranktest_p_normal(double u, double n, double m, double ties);

struct rankshift {
	double shift;       /* of y over x: the median of all differences y - x */
	double interval[2]; /* 95 % confidence; infinite if the samples are too small for one */
};

/*
 * Hodges and Lehmann's estimate of the shift (1963), and the interval that inverts the rank test
 * (Moses; Hollander and Wolfe, Nonparametric Statistical Methods, section 4.3): with C so that
 * P(U < C) <= 2.5 %, from the C-th difference to the C-th from above. Above RANKTEST_EXACT_MAX
 * values C comes from the normal approximation. With ties the interval is too wide, if anything.
 * x and y are sorted and finite. Needs no memory for the n * m differences. Returns 0 or -ENOMEM.
 */
int rankshift_compute(struct rankshift *s, const double *x, size_t n, const double *y, size_t m);

/* The least n for which two samples of n each can give a two-sided p of at most alpha > 0. */
size_t ranktest_runs_needed(double alpha);

/*
 * Holm's correction (1979) of n p-values for being many: adjusted[i] <= alpha where test i is
 * significant at a family-wise error rate of alpha, whatever the tests have to do with each other.
 * Returns 0 or -ENOMEM.
 */
int holm_adjust(const double *p, double *adjusted, size_t n);

#endif
