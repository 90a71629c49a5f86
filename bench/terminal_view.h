/* SPDX-License-Identifier: MIT */
/* The parts of what a person sees of a measurement, and what they look at. */
#ifndef VPUP_BENCH_TERMINAL_VIEW_H
#define VPUP_BENCH_TERMINAL_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench/matrix.h"
#include "bench/scenario.h"
#include "bench/summary.h"
#include "bench/term_style.h"

struct terminal_view {
	const struct scenario *scenario;
	const struct matrix *m;
	const struct summary *summary;
	const json_t *runs;
	struct term_style style;
	bool shown[MATRIX_DIMENSIONS]; /* this dimension has a column */
};

/* The table: a row for each cell that has the first column's metric. Returns 0 or -ENOMEM. */
int terminal_table(FILE *out, const struct terminal_view *v);

/* A sentence for each claim of which something is known. Returns 0 or -ENOMEM. */
int terminal_claims(FILE *out, const struct terminal_view *v);

/* What 1 of a dimension is called: "VP" for cpus, "node" for nodes. */
const char *terminal_unit_of(const char *key);

/* A number in the unit in which it is shown: cycles by the million. Returns text. */
const char *terminal_number(char text[], const char *metric, double value);

/* That unit. */
const char *terminal_unit(const char *metric);

#endif
