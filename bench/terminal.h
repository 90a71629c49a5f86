/* SPDX-License-Identifier: MIT */
/* What a measurement found, for a person at a terminal. */
#ifndef VPUP_BENCH_TERMINAL_H
#define VPUP_BENCH_TERMINAL_H

#include <jansson.h>
#include <stdio.h>

#include "bench/plan.h"
#include "bench/scenario.h"
#include "bench/summary.h"

/*
 * Prints the scenario's table, a row for each cell that has runs; then, in a sentence each,
 * what became of its claims and which cells were skipped; then the host. Returns 0 or -ENOMEM.
 */
int terminal_print(FILE *out, const struct scenario *scenario, const struct plan *plan,
		   const json_t *document, const struct summary *summary);

#endif
