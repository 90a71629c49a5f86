/* SPDX-License-Identifier: MIT */
/* What became of a scenario's claims, in sentences. */
#ifndef VPUP_BENCH_TERMINAL_CLAIMS_H
#define VPUP_BENCH_TERMINAL_CLAIMS_H

#include <stdio.h>

#include "bench/matrix.h"
#include "bench/scenario.h"
#include "bench/summary.h"

/* A line for each claim of which something is known, or that has bounds. */
void terminal_claims(FILE *out, const struct scenario *scenario, const struct matrix *m,
		     const struct summary *s);

/* What 1 of a dimension is called: "VP" for cpus, "node" for nodes. */
const char *terminal_unit_of(const char *key);

#endif
