/* SPDX-License-Identifier: MIT */
/* Runs of equal parameters, summed up metric by metric. */
#include "bench/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/groups.h"
#include "vmm/metrics.h"
#include "vmm/result.h"

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

static int group_rows(struct summary *s, const struct run_group *group)
{
	const json_t *params = json_object_get(group->run[0], "params");
	double *value = calloc(group->runs, sizeof(*value));
	struct metric_names metrics;
	int ret = group_metrics(group, &metrics);

	if (!value)
		ret = -ENOMEM;
	for (size_t i = 0; ret == 0 && i < metrics.count; i++) {
		size_t n = group_values(group, metrics.name[i], value);

		ret = row_add(s, params, metrics.name[i], value, n);
	}
	free(metrics.name);
	free(value);
	return ret;
}

int summary_compute(struct summary *s, const json_t *runs, struct err *e)
{
	struct groups g;
	int ret = groups_init(&g, runs, NULL);

	*s = (struct summary){0};
	for (size_t i = 0; ret == 0 && i < g.count; i++)
		ret = group_rows(s, &g.group[i]);
	groups_fini(&g);
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

bool summary_params_match(const json_t *params, json_t *wanted)
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

		if (strcmp(row->metric, metric) == 0 &&
		    summary_params_match(row->params, (json_t *)params))
			return &row->stats;
	}
	return NULL;
}
