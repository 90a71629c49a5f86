/* SPDX-License-Identifier: MIT */
/* What is known of a cell: whether a condition holds in it, and what was measured there. */
#ifndef VPUP_BENCH_CELL_VIEW_H
#define VPUP_BENCH_CELL_VIEW_H

#include <stdbool.h>

#include "bench/condition.h"
#include "bench/matrix.h"
#include "bench/summary.h"

/* Names are the matrix's dimensions and the facts of bench/host_facts.h. */
bool cell_holds(const struct matrix *m, const struct cell *cell, const struct condition *c);

/*
 * The condition in words, with what it means on this host: "cpus > host.max_vps (here 1024)". Cut
 * where it does not fit. Returns text.
 */
const char *cell_condition_text(const struct condition *c, char text[CONDITION_TEXT_SIZE]);

/* The cell's statistics of a metric. NULL: no run has it. */
const struct stats *cell_stats(const struct matrix *m, const struct summary *s,
			       const struct cell *cell, const char *metric);

/* Likewise of its sibling that has `value` of dimension `key`. NULL also if there is none. */
const struct stats *cell_sibling_stats(const struct matrix *m, const struct summary *s,
				       const struct cell *cell, const char *metric, const char *key,
				       const char *value);

#endif
