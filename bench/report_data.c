/* SPDX-License-Identifier: MIT */
/* Reduces result documents to what a report shows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/groups.h"
#include "bench/report.h"
#include "bench/stats.h"
#include "bench/vp_spans.h"
#include "vmm/metrics.h"
#include "vmm/result.h"

/* How much may still be added. */
struct budget {
	size_t points;
};

static bool budget_take(struct budget *b, size_t points)
{
	if (points > b->points)
		return false;
	b->points -= points;
	return true;
}

/* Adds to an object and takes the reference; *bad remembers that something was NULL or failed. */
static void put(json_t *object, const char *key, json_t *value, bool *bad)
{
	if (json_object_set_new(object, key, value))
		*bad = true;
}

static void put_number(json_t *object, const char *key, double value, bool *bad)
{
	if (result_set_number(object, key, value))
		*bad = true;
}

/* --- metrics ----------------------------------------------------------------------------------- */

static json_t *metric_object(const char *name, const double *value, size_t n)
{
	json_t *object = json_object(), *values = json_array();
	struct stats s;
	bool bad = false;

	if (stats_compute(&s, value, n, STATS_SEED)) {
		json_decref(values);
		json_decref(object);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		bad |= json_array_append_new(values, json_real(value[i])) != 0;
	put(object, "unit", json_string(metric_unit(name)), &bad);
	put(object, "values", values, &bad);
	put_number(object, "median", s.median, &bad);
	put_number(object, "p5", s.p5, &bad);
	put_number(object, "p95", s.p95, &bad);
	put_number(object, "min", s.min, &bad);
	put_number(object, "max", s.max, &bad);
	put(object, "ci95", json_pack("[f, f]", s.ci95[0], s.ci95[1]), &bad);
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

static int put_metrics(json_t *cell, const struct run_group *group)
{
	double *value = calloc(group->runs, sizeof(*value));
	json_t *metrics = json_object();
	struct metric_names names;
	int ret = group_metrics(group, &names);
	bool bad = !value;

	for (size_t i = 0; ret == 0 && !bad && i < names.count; i++) {
		size_t n = group_values(group, names.name[i], value);

		put(metrics, names.name[i], metric_object(names.name[i], value, n), &bad);
	}
	put(cell, "metrics", metrics, &bad);
	free(names.name);
	free(value);
	if (ret)
		return ret;
	return bad ? -ENOMEM : 0;
}

/* --- VPs --------------------------------------------------------------------------------------- */

/* Each run's lpj values, VP by VP; null for a VP that has none. */
static json_t *lpj_lists(const struct run_group *group)
{
	json_t *lists = json_array();
	bool bad = false;

	for (size_t i = 0; i < group->runs; i++) {
		json_t *vps = json_object_get(group->run[i], "vps"), *list = json_array(), *vp;
		size_t at;

		json_array_foreach(vps, at, vp)
		{
			const json_t *lpj = json_object_get(vp, "lpj");

			bad |= json_array_append_new(list,
						     json_is_number(lpj)
							     ? json_real(json_number_value(lpj))
							     : json_null()) != 0;
		}
		bad |= json_array_append_new(lists, list) != 0;
	}
	if (!bad)
		return lists;
	json_decref(lists);
	return NULL;
}

/* The run in the middle by its bring-up, so that what is drawn is neither the best nor the worst. */
static const json_t *median_run(const struct run_group *group)
{
	static const char *const by[] = {"smp_bringup_ms", "startup_ms"};
	double *value = calloc(group->runs, sizeof(*value)), want, ms, best = INFINITY;
	const json_t *found = group->run[0];
	const char *metric = by[0];
	struct stats s;
	size_t n;

	if (!value)
		return found;
	n = group_values(group, metric, value);
	if (n == 0)
		n = group_values(group, metric = by[1], value);
	want = n && stats_compute(&s, value, n, STATS_SEED) == 0 ? s.median : 0;
	for (size_t i = 0; n && i < group->runs; i++) {
		if (result_metric(group->run[i], metric, &ms) && fabs(ms - want) < best) {
			best = fabs(ms - want);
			found = group->run[i];
		}
	}
	free(value);
	return found;
}

static json_t *timeline(const json_t *run)
{
	json_t *vps = json_object_get(run, "vps"), *tracks = json_array(), *vp;
	bool bad = false;
	size_t at;

	json_array_foreach(vps, at, vp)
	{
		static const char *const copied[] = {"vp",   "apic_id", "node",  "package",
						     "core", "online",  "exits", "lpj"};
		json_t *track = json_object();

		for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++) {
			json_t *value = json_object_get(vp, copied[i]);

			if (json_is_number(value) || json_is_boolean(value))
				bad |= json_object_set(track, copied[i], value) != 0;
		}
		put(track, "spans", vp_spans(vp), &bad);
		put(track, "instants", vp_instants(vp), &bad);
		bad |= json_array_append_new(tracks, track) != 0;
	}
	if (!bad)
		return tracks;
	json_decref(tracks);
	return NULL;
}

static int put_vps(json_t *cell, const struct run_group *group, struct budget *b)
{
	const json_t *run = median_run(group);
	size_t vps = json_array_size(json_object_get(run, "vps"));
	bool bad = false;

	if (vps == 0)
		return 0;
	if (budget_take(b, vps * group->runs + vps * 30)) {
		put(cell, "lpj", lpj_lists(group), &bad);
		put(cell, "timeline", timeline(run), &bad);
	} else {
		put(cell, "left_out", json_true(), &bad);
	}
	return bad ? -ENOMEM : 0;
}

/* --- cells and files --------------------------------------------------------------------------- */

static int cell_fill(json_t *cell, const struct run_group *group, struct budget *b)
{
	bool bad = false;
	int ret;

	put(cell, "params", json_incref(group->params), &bad);
	put(cell, "runs", json_integer((json_int_t)group->runs), &bad);
	put(cell, "modelled",
	    json_boolean(json_is_true(json_object_get(group->run[0], "modelled"))), &bad);
	ret = bad ? -ENOMEM : put_metrics(cell, group);
	return ret ? ret : put_vps(cell, group, b);
}

static int file_fill(json_t *file, const char *path, const json_t *document, struct budget *b)
{
	static const char *const copied[] = {"tool", "host", "scenario"};
	json_t *cells = json_array();
	struct groups g;
	int ret = groups_init(&g, json_object_get(document, "runs"), NULL);
	bool bad = false;

	put(file, "name", result_text(path), &bad);
	put(file, "incomplete", json_boolean(json_is_true(json_object_get(document, "incomplete"))),
	    &bad);
	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++)
		bad |= json_object_set(file, copied[i], json_object_get(document, copied[i])) != 0;
	put(file, "cells", cells, &bad);
	if (ret == 0 && bad)
		ret = -ENOMEM;
	for (size_t i = 0; ret == 0 && i < g.count; i++) {
		json_t *cell = json_object();

		ret = json_array_append_new(cells, cell) ? -ENOMEM
							 : cell_fill(cell, &g.group[i], b);
	}
	groups_fini(&g);
	return ret;
}

json_t *report_data(const struct report *r, struct err *e)
{
	struct budget b = {REPORT_POINTS_MAX};
	json_t *files = json_array();

	for (size_t i = 0; i < r->count; i++) {
		json_t *file = json_object();
		int ret = json_array_append_new(files, file) ? -ENOMEM : 0;

		if (ret == 0)
			ret = file_fill(file, r->path[i], r->document[i], &b);
		if (ret == -E2BIG)
			err_set(e, E2BIG, "'%s' has more than %d metrics", r->path[i],
				GROUP_METRICS_MAX);
		else if (ret)
			err_set(e, ENOMEM, "out of memory");
		if (ret) {
			json_decref(files);
			return NULL;
		}
	}
	return json_pack("{s:o}", "files", files);
}
