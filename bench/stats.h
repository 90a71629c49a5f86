/* SPDX-License-Identifier: MIT */
/* Order statistics of a small sample. docs/results.md says why these and not others. */
#ifndef VPUP_BENCH_STATS_H
#define VPUP_BENCH_STATS_H

#include <stddef.h>
#include <stdint.h>

struct stats {
	size_t n;
	double min;
	double max;
	double median;
	double p5;
	double p95;
	double mad;     /* median of |x - median|, not scaled to a standard deviation */
	double ci95[2]; /* of the median: percentile bootstrap */
};

#define STATS_BOOTSTRAP_ROUNDS 2000
#define STATS_SEED             1u /* any, as long as it stays: equal samples, equal results */

/*
 * Describes n values in any order, which stay as they are. Returns 0; -EINVAL for none, or for one
 * that is not finite; -ENOMEM.
 */
int stats_compute(struct stats *s, const double *value, size_t n, uint64_t seed);

#endif
