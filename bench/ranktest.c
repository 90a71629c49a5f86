/* SPDX-License-Identifier: MIT */
/* Wilcoxon's rank sum test, the shift that goes with it, and Holm's correction. */
#include "bench/ranktest.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NORMAL_975 1.959963984540054 /* quantile of the normal distribution */

/* --- ranks ------------------------------------------------------------------------------------- */

struct ranked {
	double value;
	bool is_y;
};

static int ranked_compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Ranks of both samples together, all doubled: the mean rank of tied values may be a half. */
struct ranks {
	unsigned *doubled; /* [n + m], ascending; owned */
	uint64_t sum_y;    /* doubled */
	double ties;       /* sum of t^3 - t over the groups of t equal values */
};

static void ranks_fill(struct ranks *r, const struct ranked *all, size_t count)
{
	for (size_t from = 0, to; from < count; from = to) {
		double t;

		for (to = from + 1; to < count && all[to].value == all[from].value;)
			to++;
		t = (double)(to - from);
		r->ties += t * t * t - t;
		for (size_t i = from; i < to; i++) {
			r->doubled[i] = (unsigned)(from + 1 + to);
			r->sum_y += all[i].is_y ? r->doubled[i] : 0;
		}
	}
}

static int ranks_init(struct ranks *r, const double *x, size_t n, const double *y, size_t m)
{
	struct ranked *all = calloc(n + m, sizeof(*all));

	*r = (struct ranks){.doubled = calloc(n + m, sizeof(*r->doubled))};
	if (!all || !r->doubled) {
		free(all);
		free(r->doubled);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		all[i] = (struct ranked){x[i], false};
	for (size_t i = 0; i < m; i++)
		all[n + i] = (struct ranked){y[i], true};
	qsort(all, n + m, sizeof(*all), ranked_compare);
	ranks_fill(r, all, n + m);
	free(all);
	return 0;
}

/* --- the exact distribution -------------------------------------------------------------------- */

/*
 * Takes the ranks one after the other: a subset of k ranks with sum s either has this one, and is
 * then one of k - 1 and s - rank without it, or has not. ways[k][s] counts subsets. Returns those of
 * `take` ranks, indexed by their sum up to *max (malloc'ed), or NULL.
 */
static double *sums_distribution(const unsigned *rank, size_t count, size_t take, size_t *max)
{
	size_t width = 1;
	size_t top[RANKTEST_EXACT_MAX + 1]; /* top[k]: where the sums of k - 1 ranks end */
	double *ways, *result = NULL;

	for (size_t i = count - take; i < count; i++)
		width += rank[i];
	ways = calloc((take + 1) * width, sizeof(*ways));
	if (!ways)
		return NULL;
	ways[0] = 1;
	for (size_t i = 0; i < count; i++) {
		size_t reach = 0; /* greatest sum of k - 1 of the ranks before this one */

		for (size_t k = 1; k <= take && k <= i + 1; k++) {
			top[k] = reach;
			reach += i >= k ? rank[i - k] : 0;
		}
		for (size_t k = i < take ? i + 1 : take; k > 0; k--) {
			double *with = ways + k * width + rank[i];
			const double *without = ways + (k - 1) * width;

			for (size_t s = 0; s <= top[k] && s + rank[i] < width; s++)
				with[s] += without[s];
		}
	}
	result = malloc(width * sizeof(*result));
	if (result)
		memcpy(result, ways + take * width, width * sizeof(*result));
	free(ways);
	*max = width - 1;
	return result;
}

/* Twice the smaller tail at sum; total is the number of subsets. */
static double two_sided(const double *ways, size_t max, size_t sum)
{
	double below = 0, above = 0, total = 0, p;

	for (size_t s = 0; s <= max; s++) {
		total += ways[s];
		below += s <= sum ? ways[s] : 0;
		above += s >= sum ? ways[s] : 0;
	}
	p = 2 * fmin(below, above) / total;
	return fmin(p, 1);
}

static double binomial(size_t n, size_t k)
{
	double result = 1;

	for (size_t i = 1; i <= k; i++)
		result = result * (double)(n - k + i) / (double)i;
	return result;
}

static int p_exact(struct ranktest *t, const struct ranks *r, size_t n, size_t m)
{
	size_t max;
	double *ways = sums_distribution(r->doubled, n + m, m, &max);

	if (!ways)
		return -ENOMEM;
	t->p = two_sided(ways, max, (size_t)r->sum_y);
	free(ways);
	return 0;
}

/* --- the normal approximation ------------------------------------------------------------------ */

static double u_deviation(double n, double m, double ties)
{
	double count = n + m;

	return sqrt(n * m / 12 * (count + 1 - ties / (count * (count - 1))));
}

double ranktest_p_normal(double u, double n, double m, double ties)
{
	double off = fmax(fabs(u - n * m / 2) - 0.5, 0), deviation = u_deviation(n, m, ties);

	return deviation > 0 ? erfc(off / deviation / M_SQRT2) : 1;
}

/* --- the test ---------------------------------------------------------------------------------- */

int ranktest_compute(struct ranktest *t, const double *x, size_t n, const double *y, size_t m)
{
	double dn = (double)n, dm = (double)m;
	struct ranks r;
	int ret = ranks_init(&r, x, n, y, m);

	if (ret)
		return ret;
	*t = (struct ranktest){
		.u = (double)r.sum_y / 2 - dm * (dm + 1) / 2,
		.is_exact = n + m <= RANKTEST_EXACT_MAX,
	};
	if (t->is_exact) {
		t->p_least = fmin(2 / binomial(n + m, m), 1);
		ret = p_exact(t, &r, n, m);
	} else {
		t->p_least = ranktest_p_normal(0, dn, dm, 0);
		t->p = ranktest_p_normal(t->u, dn, dm, r.ties);
	}
	free(r.doubled);
	return ret;
}

size_t ranktest_runs_needed(double alpha)
{
	size_t n = 1;

	while (2 / binomial(2 * n, n) > alpha)
		n++;
	return n;
}

/* --- the shift --------------------------------------------------------------------------------- */

struct samples {
	const double *x, *y; /* sorted */
	size_t n, m;
};

/* How many differences y - x are at most d. Each x needs a later y than the one before it. */
static uint64_t differences_upto(const struct samples *s, double d)
{
	uint64_t count = 0;
	size_t upto = 0;

	for (size_t i = 0; i < s->n; i++) {
		while (upto < s->m && s->y[upto] - s->x[i] <= d)
			upto++;
		count += upto;
	}
	return count;
}

/* Doubles as integers that have the same order, and back. -0.0 and 0.0 are neighbours. */
static uint64_t order_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static double value_of(uint64_t order)
{
	uint64_t bits = order >> 63 ? order & ~(1ull << 63) : ~order;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The rank-th least difference, from 1, found by halving the range of all doubles. */
static double difference_at(const struct samples *s, uint64_t rank)
{
	uint64_t low = order_of(s->y[0] - s->x[s->n - 1]);
	uint64_t high = order_of(s->y[s->m - 1] - s->x[0]);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (differences_upto(s, value_of(middle)) >= rank)
			high = middle;
		else
			low = middle + 1;
	}
	return value_of(low) + 0.0; /* -0.0 stands before 0.0, and equals it */
}

/* The greatest C with P(U < C) <= 2.5 % where nothing is tied; 0: there is none. */
static int interval_rank(size_t n, size_t m, uint64_t *rank)
{
	unsigned ranks[RANKTEST_EXACT_MAX];
	double *ways, total = binomial(n + m, m), below = 0;
	size_t max, least = m * (m + 1) / 2, s;

	for (size_t i = 0; i < n + m; i++)
		ranks[i] = (unsigned)i + 1;
	ways = sums_distribution(ranks, n + m, m, &max);
	if (!ways)
		return -ENOMEM;
	for (s = least; s <= max && below + ways[s] <= 0.025 * total; s++)
		below += ways[s];
	*rank = s - least;
	free(ways);
	return 0;
}

int rankshift_compute(struct rankshift *s, const double *x, size_t n, const double *y, size_t m)
{
	const struct samples both = {x, y, n, m};
	double dn = (double)n, dm = (double)m;
	uint64_t all = (uint64_t)n * m, rank;

	s->shift = (difference_at(&both, (all + 1) / 2) + difference_at(&both, all / 2 + 1)) / 2;
	if (n + m <= RANKTEST_EXACT_MAX) {
		if (interval_rank(n, m, &rank))
			return -ENOMEM;
	} else {
		double c = floor(dn * dm / 2 - NORMAL_975 * u_deviation(dn, dm, 0));

		rank = c > 0 ? (uint64_t)c : 0;
	}
	s->interval[0] = rank ? difference_at(&both, rank) : -INFINITY;
	s->interval[1] = rank ? difference_at(&both, all + 1 - rank) : INFINITY;
	return 0;
}

/* --- many tests -------------------------------------------------------------------------------- */

static int pointed_compare(const void *a, const void *b)
{
	double x = **(const double *const *)a, y = **(const double *const *)b;

	return (x > y) - (x < y);
}

int holm_adjust(const double *p, double *adjusted, size_t n)
{
	const double **sorted = calloc(n + 1, sizeof(*sorted));
	double least = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		sorted[i] = &p[i];
	qsort(sorted, n, sizeof(*sorted), pointed_compare);
	for (size_t i = 0; i < n; i++) {
		least = fmax(least, fmin(*sorted[i] * (double)(n - i), 1));
		adjusted[sorted[i] - p] = least;
	}
	free(sorted);
	return 0;
}
