/* SPDX-License-Identifier: MIT */
/* What a measurement is going to run: a scenario's matrix as the command line wants it. */
#ifndef VPUP_BENCH_PLAN_H
#define VPUP_BENCH_PLAN_H

#include <jansson.h>
#include <stddef.h>

#include "bench/matrix.h"
#include "bench/scenario.h"
#include "vmm/err.h"

#define PLAN_RUNS_MAX 10000

/* A dimension on the command line. */
struct plan_setting {
	const char *list;
	char key[32];
};

struct plan_settings {
	struct plan_setting setting[MATRIX_DIMENSIONS];
	size_t count;
};

struct plan {
	struct matrix matrix; /* owned */
	size_t *cell;         /* [cells]: numbers of the cells that are run, owned */
	size_t cells;
	size_t skipped[SCENARIO_SKIPS]; /* cells that each condition left out */
};

/*
 * Builds the matrix and leaves out what the scenario skips. What the scenario does not vary varies
 * slowest, so that its own last dimension, the one that it compares, still tells neighbouring cells
 * apart. Returns 0; -EINVAL with e saying what is wrong; -ENOMEM; -ENODEV if all cells are skipped.
 * p is valid for plan_fini() in any case.
 */
int plan_build(struct plan *p, const struct scenario *scenario,
	       const struct plan_settings *settings, size_t repeats, struct err *e);

/* How many cells are left out, and the same as "skipped" of a result (NULL without memory). */
size_t plan_skipped(const struct plan *p);
json_t *plan_skipped_json(const struct plan *p, const struct scenario *scenario);
void plan_fini(struct plan *p);

#endif
