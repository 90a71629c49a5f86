/* SPDX-License-Identifier: MIT */
/* What became of a scenario's claims. */
#ifndef VPUP_BENCH_CLAIM_H
#define VPUP_BENCH_CLAIM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/matrix.h"
#include "bench/scenario.h"
#include "bench/summary.h"

struct claim_result {
	bool is_known;    /* something was measured that tells */
	double value;     /* ratio, slope per 1 of the key, or statistic */
	struct cell cell; /* where: for a slope or a greatest value one of several */

	/* For a ratio. */
	double base;
	double better;
	int order; /* > 0: better is less, < 0: more, 0: the intervals of the medians overlap */

	/* For a slope: the least-squares line through the medians. */
	size_t points;
	double first; /* of the key's values */
	double last;
	double intercept;
};

/*
 * A ratio is that of the last cell that can tell and of which the claim speaks. A slope is that of
 * the last row of cells which differ in the claim's key alone, and has at least two points. A value
 * is the least or greatest of all cells of which the claim speaks, or the median of the last one.
 */
void claim_evaluate(const struct scenario_claim *claim, const struct matrix *m,
		    const struct summary *s, struct claim_result *r);

/* Whether the claim keeps its bounds. What is not known does not. */
bool claim_holds(const struct scenario_claim *claim, const struct claim_result *r);

/*
 * Names of the claims that have bounds and do not keep them, with commas between, "(not measured)"
 * where that is why. Cut where they do not fit. Returns how many there are.
 */
#define CLAIMS_TEXT_SIZE 256
size_t claims_broken(const struct scenario *scenario, const struct matrix *m,
		     const struct summary *s, char text[CLAIMS_TEXT_SIZE]);

/* All claims as "claims" of a result document: a new reference, or NULL without memory. */
json_t *claims_json(const struct scenario *scenario, const struct matrix *m,
		    const struct summary *s);

#endif
