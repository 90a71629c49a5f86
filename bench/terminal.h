/* SPDX-License-Identifier: MIT */
/* What a measurement found, for a person at a terminal. */
#ifndef VPUP_BENCH_TERMINAL_H
#define VPUP_BENCH_TERMINAL_H

#include <jansson.h>
#include <stdio.h>

#include "bench/matrix.h"
#include "bench/scenario.h"
#include "bench/summary.h"

/*
 * Prints the scenario's table, a row for each cell that has runs; then, as one sentence, what
 * became of its claim in the last cell that can tell; then the host. Returns 0 or -ENOMEM.
 */
int terminal_print(FILE *out, const struct scenario *scenario, const struct matrix *m,
		   const json_t *document, const struct summary *summary);

#endif
