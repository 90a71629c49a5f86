/* SPDX-License-Identifier: MIT */
/* Runs of equal parameters, summed up metric by metric. */
#include "bench/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/metrics.h"
#include "vmm/result.h"

/* The first run of each group, and which group each run is in. */
struct groups {
	const json_t **first;
	size_t *group_of; /* [runs] */
	size_t count;
};

static void groups_find(struct groups *g, const json_t *runs)
{
	const json_t *run;
	size_t i;

	json_array_foreach(runs, i, run)
	{
		const json_t *params = json_object_get(run, "params");
		size_t group = 0;

		while (group < g->count &&
		       !json_equal(params, json_object_get(g->first[group], "params")))
			group++;
		if (group == g->count)
			g->first[g->count++] = run;
		g->group_of[i] = group;
	}
}

/* The metric's values in the group, into value[]. Returns how many. */
static size_t group_values(const struct groups *g, size_t group, const json_t *runs,
			   const char *metric, double *value)
{
	const json_t *run;
	size_t i, n = 0;

	json_array_foreach(runs, i, run)
	{
		if (g->group_of[i] == group && result_metric(run, metric, &value[n]))
			n++;
	}
	return n;
}

/* first is the group's first row. */
static bool group_has_row(const struct summary *s, size_t first, const char *metric)
{
	for (size_t i = first; i < s->rows; i++) {
		if (strcmp(s->row[i].metric, metric) == 0)
			return true;
	}
	return false;
}

static int row_add(struct summary *s, const json_t *params, const char *metric, const double *value,
		   size_t n)
{
	struct summary_row *grown = reallocarray(s->row, s->rows + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	s->row = grown;
	grown[s->rows] = (struct summary_row){.params = params, .metric = metric};
	if (stats_compute(&grown[s->rows].stats, value, n, STATS_SEED))
		return -ENOMEM; /* the values are finite, so it can be nothing else */
	s->rows++;
	return 0;
}

/* Every metric that any run of the group has, in the order in which they turn up. */
static int group_rows(struct summary *s, const struct groups *g, size_t group, const json_t *runs,
		      double *value)
{
	const json_t *params = json_object_get(g->first[group], "params");
	size_t first = s->rows, i;
	json_t *run;

	json_array_foreach(runs, i, run)
	{
		json_t *metrics = json_object_get(run, "metrics"), *number;
		const char *metric;

		if (g->group_of[i] != group)
			continue;
		json_object_foreach(metrics, metric, number)
		{
			size_t n;

			if (group_has_row(s, first, metric))
				continue;
			n = group_values(g, group, runs, metric, value);
			if (row_add(s, params, metric, value, n))
				return -ENOMEM;
		}
	}
	return 0;
}

int summary_compute(struct summary *s, const json_t *runs, struct err *e)
{
	size_t count = json_array_size(runs);
	struct groups g = {
		.first = calloc(count + 1, sizeof(*g.first)),
		.group_of = calloc(count + 1, sizeof(*g.group_of)),
	};
	double *value = calloc(count + 1, sizeof(*value));
	int ret = g.first && g.group_of && value ? 0 : -ENOMEM;

	*s = (struct summary){0};
	if (ret == 0)
		groups_find(&g, runs);
	for (size_t group = 0; ret == 0 && group < g.count; group++)
		ret = group_rows(s, &g, group, runs, value);
	free(value);
	free(g.group_of);
	free(g.first);
	return ret ? err_set(e, ENOMEM, "no summary: out of memory") : 0;
}

void summary_fini(struct summary *s)
{
	free(s->row);
	*s = (struct summary){0};
}

static json_t *row_json(const struct summary_row *row)
{
	const struct stats *s = &row->stats;
	json_t *object =
		json_pack("{s:O, s:s, s:s, s:I}", "params", row->params, "metric", row->metric,
			  "unit", metric_unit(row->metric), "n", (json_int_t)s->n);
	json_t *ci95 = json_pack("[f, f]", s->ci95[0], s->ci95[1]);

	if (!object || result_set_number(object, "median", s->median) ||
	    result_set_number(object, "p5", s->p5) || result_set_number(object, "p95", s->p95) ||
	    result_set_number(object, "mad", s->mad)) {
		json_decref(ci95);
		json_decref(object);
		return NULL;
	}
	if (json_object_set_new(object, "ci95", ci95)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

json_t *summary_json(const struct summary *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->rows; i++) {
		if (json_array_append_new(list, row_json(&s->row[i]))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static bool params_match(const json_t *params, json_t *wanted)
{
	const char *key;
	json_t *value;

	json_object_foreach(wanted, key, value)
	{
		if (!json_equal(json_object_get(params, key), value))
			return false;
	}
	return true;
}

const struct stats *summary_find(const struct summary *s, const json_t *params, const char *metric)
{
	for (size_t i = 0; i < s->rows; i++) {
		const struct summary_row *row = &s->row[i];

		if (strcmp(row->metric, metric) == 0 && params_match(row->params, (json_t *)params))
			return &row->stats;
	}
	return NULL;
}
