/* SPDX-License-Identifier: MIT */
/*
 * Two conformance runs compared, assertion by assertion: as TAP, and as JSON of schema
 * "vpup.conformance-diff/1". docs/conformance.md has both.
 */
#ifndef VPUP_BENCH_CONFORMANCE_DIFF_H
#define VPUP_BENCH_CONFORMANCE_DIFF_H

#include <jansson.h>
#include <stdio.h>

#include "bench/tap.h"

/* One side: what is compared. Nothing is owned. */
struct conformance_side {
	const char *name; /* "user" */
	const char *hv;   /* its features, as for vpup run; NULL: the default ones */
	const char *tap;  /* the guest's lines */
};

/* An assertion whose result is not the same on both sides. */
struct conformance_difference {
	struct tap_line line[2];
	bool present[2]; /* there are assertions that only one side makes */
	bool legal;      /* both passed: they read the specification differently */
};

struct conformance_diff {
	struct conformance_side side[2];
	struct conformance_difference *list;
	size_t count;
	unsigned differ; /* those that are not legal */
	unsigned same;
};

/*
 * Compares; the texts must outlive d. Returns 0 or -ENOMEM; d is valid for
 * conformance_diff_free() either way.
 */
int conformance_diff(struct conformance_diff *d, const struct conformance_side side[2]);
void conformance_diff_free(struct conformance_diff *d);

/*
 * A line for each assertion that differs, with what each side said, one for all that don't, and the
 * plan.
 */
void conformance_diff_print(const struct conformance_diff *d, FILE *out);

/* A new reference, or NULL without memory. run_document: see conformance_result(). */
json_t *conformance_diff_result(const struct conformance_diff *d, const json_t *run_document,
				char *const *command);

#endif
