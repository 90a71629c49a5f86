/* SPDX-License-Identifier: MIT */
/* Pairs the groups of two results, tests each metric, and gives verdicts. */
#include "bench/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/metric_kind.h"
#include "bench/pairing.h"
#include "bench/ranktest.h"
#include "bench/stats.h"
#include "vmm/quantile.h"

#define COUNT_RUNS_MIN 5 /* so many equal values make a count a constant */
#define RUNS_GUESS_MAX 10000
#define DRIFT_RUNS_MIN 5 /* in each half; with fewer no drift can be significant */
#define DRIFT_ALPHA    0.01

const char *verdict_name(enum verdict v)
{
	static const char *const name[VERDICT_COUNT] = {"worse", "better", "same", "unclear"};

	return name[v];
}

static void sort(double *value, size_t n)
{
	quantile_sort(value, n);
}

/* Values of a metric on one side in their order, malloc'ed; NULL without memory. */
static double *side_values(const struct run_group *group, const char *metric, size_t *n)
{
	double *value = calloc(group->runs, sizeof(*value));

	if (value)
		*n = group_values(group, metric, value);
	return value;
}

/*
 * How far a metric moved while one side was measured. A host that changes its pace within a
 * measurement does so between two as well. Sorts each half. Returns 0 or -ENOMEM.
 */
static int side_drift(double *value, size_t n, double *drift)
{
	struct rankshift shift;
	struct ranktest test;
	size_t half = n / 2;

	if (half < DRIFT_RUNS_MIN)
		return 0;
	sort(value, half);
	sort(value + half, n - half);
	if (rankshift_compute(&shift, value, half, value + half, n - half) ||
	    ranktest_compute(&test, value, half, value + half, n - half))
		return -ENOMEM;
	if (test.p <= DRIFT_ALPHA)
		*drift = fmax(*drift, fabs(shift.shift));
	return 0;
}

static bool is_constant(const double *sorted, size_t n)
{
	return n >= COUNT_RUNS_MIN && sorted[0] == sorted[n - 1];
}

/* Everything but p_adjusted and what depends on it. Both sides have values; they get sorted. */
static int row_measure(struct compare_row *row, double *base, double *new)
{
	double *value[2] = {base, new};
	struct rankshift shift;
	struct ranktest test;

	for (int i = 0; i < 2; i++) {
		if (side_drift(value[i], row->n[i], &row->drift))
			return -ENOMEM;
		sort(value[i], row->n[i]);
		row->median[i] = quantile(value[i], row->n[i], 0.5);
	}
	if (rankshift_compute(&shift, base, row->n[0], new, row->n[1]) ||
	    ranktest_compute(&test, base, row->n[0], new, row->n[1]))
		return -ENOMEM;
	row->shift = shift.shift;
	row->p = test.p;
	row->p_least = test.p_least;
	row->is_count = metric_kind_of(row->metric).is_count && is_constant(base, row->n[0]) &&
			is_constant(new, row->n[1]);
	for (int i = 0; i < 2; i++)
		row->interval[i] = row->is_count ? shift.shift : shift.interval[i];
	if (row->median[0] != 0)
		row->effect = row->shift / fabs(row->median[0]);
	else
		row->effect = row->shift == 0 ? 0 : copysign(INFINITY, row->shift);
	return 0;
}

static int row_add(struct comparison *c, const struct run_group *base, const struct run_group *new,
		   const char *metric)
{
	struct compare_row *grown, row = {.params = new->params, .metric = metric};
	double *value[2] = {side_values(base, metric, &row.n[0]),
			    side_values(new, metric, &row.n[1])};
	int ret = value[0] && value[1] ? 0 : -ENOMEM;

	if (ret == 0 && row.n[0] && row.n[1]) {
		ret = row_measure(&row, value[0], value[1]);
		grown = ret ? NULL : reallocarray(c->row, c->rows + 1, sizeof(*grown));
		if (grown) {
			c->row = grown;
			grown[c->rows++] = row;
		} else {
			ret = -ENOMEM;
		}
	} else if (ret == 0) {
		ret = pairing_note_metric(c->notes, new->params, metric, row.n[0] == 0);
	}
	free(value[1]);
	free(value[0]);
	return ret;
}

static int names_add_rows(struct comparison *c, const struct metric_names *names,
			  const struct run_group *base, const struct run_group *new, bool only_base)
{
	double *value = calloc(new->runs, sizeof(*value));
	int ret = value ? 0 : -ENOMEM;

	for (size_t i = 0; ret == 0 && i < names->count; i++) {
		const char *name = names->name[i];

		if (metric_kind_of(name).better == METRIC_NOT_JUDGED ||
		    (only_base && group_values(new, name, value)))
			continue;
		ret = row_add(c, base, new, name);
	}
	free(value);
	return ret;
}

/* New's metrics in their order; then those that only base has, which gives a note. */
static int pair_add_rows(struct comparison *c, const struct run_group *base,
			 const struct run_group *new)
{
	struct metric_names new_names, base_names = {0};
	int ret = group_metrics(new, &new_names);

	if (ret == 0)
		ret = group_metrics(base, &base_names);
	if (ret == 0)
		ret = names_add_rows(c, &new_names, base, new, false);
	if (ret == 0)
		ret = names_add_rows(c, &base_names, base, new, true);
	free(base_names.name);
	free(new_names.name);
	return ret;
}

/* --- verdicts ---------------------------------------------------------------------------------- */

static bool interval_is_within(const struct compare_row *row, double min_effect)
{
	double limit = min_effect * fabs(row->median[0]);

	return row->interval[0] >= -limit && row->interval[1] <= limit;
}

static enum verdict direction(const struct compare_row *row)
{
	bool more_is_better = metric_kind_of(row->metric).better == METRIC_MORE_IS_BETTER;

	return (row->shift > 0) == more_is_better ? VERDICT_BETTER : VERDICT_WORSE;
}

/* A shift no larger than what happens within one result is no evidence of anything. */
static double least_shift(const struct compare_options *o, const struct compare_row *row)
{
	return o->min_effect * fabs(row->median[0]) + (o->is_interleaved ? 0 : row->drift);
}

/* Two digits, rounded up: it is a guess. */
static size_t round_up(double n)
{
	double unit = pow(10, fmax(floor(log10(n)) - 1, 0));

	return (size_t)(ceil(n / unit) * unit);
}

/*
 * The interval has to come free of the minimum effect. Its width goes with one over the root of the
 * number of runs.
 */
static size_t runs_guess(const struct compare_row *row, double min_effect)
{
	size_t n = row->n[0] < row->n[1] ? row->n[0] : row->n[1];
	double half = (row->interval[1] - row->interval[0]) / 2;
	double room = fabs(fabs(row->shift) - min_effect * fabs(row->median[0]));
	double runs = (double)n * pow(half / room, 2);

	return runs > (double)n && runs < RUNS_GUESS_MAX ? round_up(runs) : 0;
}

static void row_judge(const struct comparison *c, struct compare_row *row)
{
	const struct compare_options *o = &c->options;

	row->verdict = VERDICT_UNCLEAR;
	if (row->is_count)
		row->verdict = row->shift == 0 ? VERDICT_SAME : direction(row);
	else if (row->p_adjusted <= o->alpha && row->shift != 0 &&
		 fabs(row->shift) >= least_shift(o, row))
		row->verdict = direction(row);
	else if (interval_is_within(row, o->min_effect))
		row->verdict = VERDICT_SAME;
	if (row->verdict != VERDICT_UNCLEAR)
		return;
	row->is_too_few = row->p_least * (double)c->tests > o->alpha;
	if (row->is_too_few)
		row->runs_needed = ranktest_runs_needed(o->alpha / (double)c->tests);
	else if (row->drift == 0)
		row->runs_needed = runs_guess(row, o->min_effect);
}

static int verdicts(struct comparison *c)
{
	double *p = calloc(2 * c->rows, sizeof(*p)), *adjusted = p + c->rows;
	size_t test = 0;

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < c->rows; i++) {
		if (!c->row[i].is_count)
			p[c->tests++] = c->row[i].p;
	}
	if (holm_adjust(p, adjusted, c->tests)) {
		free(p);
		return -ENOMEM;
	}
	for (size_t i = 0; i < c->rows; i++) {
		struct compare_row *row = &c->row[i];

		row->p_adjusted = row->is_count ? 0 : adjusted[test++];
		row_judge(c, row);
		c->count[row->verdict]++;
	}
	free(p);
	return 0;
}

/* --- all of it --------------------------------------------------------------------------------- */

static int compare_pairs(struct comparison *c, struct err *e)
{
	size_t pairs = 0;
	int ret;

	for (size_t i = 0; i < c->side[1].count; i++) {
		const struct run_group *new = &c->side[1].group[i];
		const struct run_group *base = groups_find(&c->side[0], new->params);

		if (!base)
			continue;
		pairs++;
		ret = pair_add_rows(c, base, new);
		if (ret == -E2BIG)
			return err_set(e, E2BIG, "more than %d metrics", GROUP_METRICS_MAX);
		if (ret)
			return err_set(e, ENOMEM, "out of memory");
	}
	if (pairs == 0)
		return pairing_refuse(&c->side[0], &c->side[1], e);
	if (c->rows == 0)
		return err_set(e, EINVAL, "nothing to compare: no metric is in both results");
	return 0;
}

int compare_runs(struct comparison *c, const json_t *base, const json_t *new, const json_t *ignored,
		 const struct compare_options *options, struct err *e)
{
	const json_t *runs[2] = {json_object_get(base, "runs"), json_object_get(new, "runs")};
	json_t *skip;
	int ret = 0;

	*c = (struct comparison){.options = *options, .notes = json_array()};
	skip = c->notes ? pairing_ignored(runs, ignored, c->notes) : NULL;
	for (int i = 0; i < 2; i++) {
		if (!skip || groups_init(&c->side[i], runs[i], skip))
			ret = -ENOMEM;
	}
	json_decref(skip);
	if (ret)
		return err_set(e, ENOMEM, "out of memory");
	ret = compare_pairs(c, e);
	if (ret == 0 && (pairing_note_unpaired(c->side, c->notes) || verdicts(c)))
		ret = err_set(e, ENOMEM, "out of memory");
	return ret;
}

void compare_fini(struct comparison *c)
{
	free(c->row);
	groups_fini(&c->side[1]);
	groups_fini(&c->side[0]);
	json_decref(c->notes);
	*c = (struct comparison){.notes = NULL};
}
