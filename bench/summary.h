/* SPDX-License-Identifier: MIT */
/* Runs of equal parameters, summed up metric by metric. */
#ifndef VPUP_BENCH_SUMMARY_H
#define VPUP_BENCH_SUMMARY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/stats.h"
#include "vmm/err.h"

/* Params and metric point into the runs, which must outlive the row. */
struct summary_row {
	const json_t *params;
	const char *metric;
	struct stats stats;
};

struct summary {
	struct summary_row *row; /* owned */
	size_t rows;
};

/*
 * Groups the runs (checked, as result_read() gives them) by equal params, in the order of their
 * first appearance; one row per group and metric. A metric that some runs of a group lack has a
 * smaller n. Returns 0 or -ENOMEM with e set; s is valid for summary_fini() in either case.
 */
int summary_compute(struct summary *s, const json_t *runs, struct err *e);
void summary_fini(struct summary *s);

/* The rows as the "summary" of a result document: a new reference, or NULL without memory. */
json_t *summary_json(const struct summary *s);

/* Whether params hold all of `wanted` (a string or a number each). */
bool summary_params_match(const json_t *params, json_t *wanted);

/* The first row of this metric whose params hold all of `params` (a string or a number each). */
const struct stats *summary_find(const struct summary *s, const json_t *params, const char *metric);

#endif
