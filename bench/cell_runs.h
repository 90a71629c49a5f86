/* SPDX-License-Identifier: MIT */
/* The single values that the runs of a cell, or their VPs, have. */
#ifndef VPUP_BENCH_CELL_RUNS_H
#define VPUP_BENCH_CELL_RUNS_H

#include <jansson.h>
#include <stddef.h>

#include "bench/matrix.h"
#include "bench/stats.h"

struct cell_values {
	double *value; /* [count], owned */
	size_t count;
};

/* All return 0 or -ENOMEM; values is valid for cell_values_fini() in either case. */

/* A metric of each run of the cell that has it, in the order of the runs. */
int cell_run_values(struct cell_values *values, const json_t *runs, const struct matrix *m,
		    const struct cell *cell, const char *metric);

/* A number of each VP that has it, such as "lpj", in all runs of the cell. */
int cell_vp_values(struct cell_values *values, const json_t *runs, const struct matrix *m,
		   const struct cell *cell, const char *name);

/* The median alone, or nothing if s is NULL. */
int cell_values_one(struct cell_values *values, const struct stats *s);

void cell_values_fini(struct cell_values *values);

#endif
