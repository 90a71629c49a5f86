/* SPDX-License-Identifier: MIT */
/* Order statistics of a small sample. */
#include "bench/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/quantile.h"

/* SplitMix64 (Steele, Lea, Flood 2014): our own, so that a seed means the same on every libc. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Uniform in [0, n) by multiplication (Lemire 2019); its bias of n / 2^64 is of no account. */
static size_t random_below(uint64_t *state, size_t n)
{
	return (size_t)((unsigned __int128)random_next(state) * n >> 64);
}

/* The value at a rank of a resample, of which times[i] says how often it drew sorted[i]. */
static double resample_at(const double *sorted, const size_t *times, size_t rank)
{
	size_t i = 0;

	for (size_t seen = times[0]; seen <= rank; seen += times[i])
		i++;
	return sorted[i];
}

/* Medians of resamples, by counting draws: no sorting of each. */
static void bootstrap_medians(const double *sorted, size_t n, uint64_t seed, size_t *times,
			      double *median)
{
	for (size_t round = 0; round < STATS_BOOTSTRAP_ROUNDS; round++) {
		memset(times, 0, n * sizeof(*times));
		for (size_t i = 0; i < n; i++)
			times[random_below(&seed, n)]++;
		median[round] = resample_at(sorted, times, n / 2);
		if (n % 2 == 0)
			median[round] = (median[round] + resample_at(sorted, times, n / 2 - 1)) / 2;
	}
	quantile_sort(median, STATS_BOOTSTRAP_ROUNDS);
}

static int stats_sorted(struct stats *s, double *sorted, size_t n, uint64_t seed, double *scratch,
			size_t *times)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(sorted[i]))
			return -EINVAL;
	}
	quantile_sort(sorted, n);
	s->n = n;
	s->min = sorted[0];
	s->max = sorted[n - 1];
	s->median = quantile(sorted, n, 0.5);
	s->p5 = quantile(sorted, n, 0.05);
	s->p95 = quantile(sorted, n, 0.95);
	bootstrap_medians(sorted, n, seed, times, scratch);
	s->ci95[0] = quantile(scratch, STATS_BOOTSTRAP_ROUNDS, 0.025);
	s->ci95[1] = quantile(scratch, STATS_BOOTSTRAP_ROUNDS, 0.975);
	for (size_t i = 0; i < n; i++)
		sorted[i] = fabs(sorted[i] - s->median);
	quantile_sort(sorted, n);
	s->mad = quantile(sorted, n, 0.5);
	return 0;
}

int stats_compute(struct stats *s, const double *value, size_t n, uint64_t seed)
{
	double *sorted, *scratch;
	size_t *times;
	int ret = -ENOMEM;

	if (n == 0)
		return -EINVAL;
	sorted = calloc(n, sizeof(*sorted));
	scratch = calloc(STATS_BOOTSTRAP_ROUNDS, sizeof(*scratch));
	times = calloc(n, sizeof(*times));
	if (sorted && scratch && times) {
		memcpy(sorted, value, n * sizeof(*sorted));
		ret = stats_sorted(s, sorted, n, seed, scratch, times);
	}
	free(times);
	free(scratch);
	free(sorted);
	return ret;
}
