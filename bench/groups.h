/* SPDX-License-Identifier: MIT */
/* The runs of a result document, grouped by equal parameters. */
#ifndef VPUP_BENCH_GROUPS_H
#define VPUP_BENCH_GROUPS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct run_group {
	json_t *params;     /* without the ignored keys; owned */
	const json_t **run; /* [runs], in their order; the list is owned */
	size_t runs;
};

struct groups {
	struct run_group *group; /* [count], in the order of their first runs; owned */
	size_t count;
	json_t *index; /* a group's parameters as text -> its number; owned */
};

/*
 * Groups runs (checked, as result_read() gives them) by what is left of their params without the
 * keys of the object `ignored` (NULL: none). The time it takes is linear in the number of runs. The
 * runs must outlive g. Returns 0 or -ENOMEM; g is valid for groups_fini() in either case.
 */
int groups_init(struct groups *g, const json_t *runs, const json_t *ignored);
void groups_fini(struct groups *g);

/* The group with exactly these params, or NULL. */
const struct run_group *groups_find(const struct groups *g, const json_t *params);

/* Names of metrics, each once. They stand in the runs. */
struct metric_names {
	const char **name; /* [count], owned: free() it */
	size_t count;
};

/*
 * All metrics that any run of the group has, in the order in which they turn up. Returns 0; -E2BIG
 * if there are more than GROUP_METRICS_MAX, which no vpup writes; -ENOMEM.
 */
#define GROUP_METRICS_MAX 256
int group_metrics(const struct run_group *group, struct metric_names *names);

/* The metric's values, into value[group->runs]. Returns how many: not every run needs to have it. */
size_t group_values(const struct run_group *group, const char *metric, double *value);

#endif
