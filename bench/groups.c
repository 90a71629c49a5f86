/* SPDX-License-Identifier: MIT */
/* Groups the runs of a result document by equal parameters. */
#include "bench/groups.h"

#include <errno.h>
#include <stdlib.h>

#include "vmm/result.h"

/* Equal params, equal text. Values are plain, as result_read() has checked. */
static char *params_text(const json_t *params)
{
	return json_dumps(params, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
}

/* A copy of the run's params. */
static json_t *params_of(const json_t *run, const json_t *ignored)
{
	json_t *params = json_copy(json_object_get(run, "params"));
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)ignored, key, value) json_object_del(params, key);
	return params;
}

/* The group with these params, a new one if there is none; or NULL. Takes params. */
static struct run_group *group_for(struct groups *g, json_t *params)
{
	char *text = params ? params_text(params) : NULL;
	json_t *at = text ? json_object_get(g->index, text) : NULL;
	struct run_group *grown = NULL;

	if (at) {
		free(text);
		json_decref(params);
		return &g->group[json_integer_value(at)];
	}
	if (text && !json_object_set_new(g->index, text, json_integer((json_int_t)g->count)))
		grown = reallocarray(g->group, g->count + 1, sizeof(*grown));
	free(text);
	if (!grown) {
		json_decref(params);
		return NULL;
	}
	g->group = grown;
	grown[g->count] = (struct run_group){.params = params};
	return &grown[g->count++];
}

static int group_add(struct run_group *group, const json_t *run)
{
	const json_t **grown = reallocarray(group->run, group->runs + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	group->run = grown;
	grown[group->runs++] = run;
	return 0;
}

int groups_init(struct groups *g, const json_t *runs, const json_t *ignored)
{
	const json_t *run;
	size_t i;

	*g = (struct groups){.index = json_object()};
	json_array_foreach(runs, i, run)
	{
		struct run_group *group = group_for(g, params_of(run, ignored));

		if (!group || group_add(group, run))
			return -ENOMEM;
	}
	return g->index ? 0 : -ENOMEM;
}

void groups_fini(struct groups *g)
{
	for (size_t i = 0; i < g->count; i++) {
		json_decref(g->group[i].params);
		free(g->group[i].run);
	}
	free(g->group);
	json_decref(g->index);
	*g = (struct groups){0};
}

const struct run_group *groups_find(const struct groups *g, const json_t *params)
{
	char *text = params_text(params);
	const json_t *at = text ? json_object_get(g->index, text) : NULL;

	free(text);
	return at ? &g->group[json_integer_value(at)] : NULL;
}

static int name_add(struct metric_names *names, const char *name)
{
	const char **grown;

	if (names->count == GROUP_METRICS_MAX)
		return -E2BIG;
	grown = reallocarray(names->name, names->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	names->name = grown;
	grown[names->count++] = name;
	return 0;
}

int group_metrics(const struct run_group *group, struct metric_names *names)
{
	json_t *seen = json_object();
	int ret = seen ? 0 : -ENOMEM;

	*names = (struct metric_names){0};
	for (size_t i = 0; ret == 0 && i < group->runs; i++) {
		json_t *metrics = json_object_get(group->run[i], "metrics"), *value;
		const char *name;

		json_object_foreach(metrics, name, value)
		{
			if (ret || json_object_get(seen, name))
				continue;
			ret = name_add(names, name);
			if (ret == 0 && json_object_set_new(seen, name, json_true()))
				ret = -ENOMEM;
		}
	}
	json_decref(seen);
	return ret;
}

size_t group_values(const struct run_group *group, const char *metric, double *value)
{
	size_t n = 0;

	for (size_t i = 0; i < group->runs; i++)
		n += result_metric(group->run[i], metric, &value[n]);
	return n;
}
