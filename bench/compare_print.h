/* SPDX-License-Identifier: MIT */
/* A comparison for a person at a terminal, and as JSON. */
#ifndef VPUP_BENCH_COMPARE_PRINT_H
#define VPUP_BENCH_COMPARE_PRINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench/compare.h"

/*
 * Prints a table, at most 100 columns wide, of all rows or of those that are better or worse; then
 * what it comes down to, and the notes. Returns 0 or -ENOMEM.
 */
int compare_print(FILE *out, const struct comparison *c, bool only_changes);

/*
 * The comparison as a document, schema "vpup.compare/1": a new reference, or NULL without memory.
 * names are those of base and new; warnings an array of strings.
 */
json_t *compare_json(const struct comparison *c, const char *const names[2],
		     const json_t *warnings);

#endif
