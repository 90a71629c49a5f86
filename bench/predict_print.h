/* SPDX-License-Identifier: MIT */
/* Predictions for a person at a terminal, at most 100 columns wide, and as JSON. */
#ifndef VPUP_BENCH_PREDICT_PRINT_H
#define VPUP_BENCH_PREDICT_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "bench/predict_rows.h"

/* What was published beside what the model makes of it. Returns 0 or -ENOMEM. */
int predict_print_claims(FILE *out);

/* Rows of costs that were given. */
void predict_print_costs(FILE *out, const struct predict_rows *r);

/* A set of runs: parameters, the costs of its smallest and largest count, rows. */
void predict_print_set(FILE *out, const struct predict_set *s, const struct predict_fit *f,
		       const struct predict_rows *r);

/*
 * The same as documents, schema "vpup.predict/1": new references, or NULL without memory.
 * predict_json_sets() takes sets, an array of what predict_json_set() makes, also on failure.
 */
json_t *predict_json_claims(void);
json_t *predict_json_costs(const struct predict_options *o, const struct predict_rows *r);
json_t *predict_json_set(const struct predict_set *s, const struct predict_fit *f,
			 const struct predict_rows *r);
json_t *predict_json_sets(const char *file, json_t *sets);

#endif
