/* SPDX-License-Identifier: MIT */
/* Judges one set of runs against another, metric by metric. docs/compare.md says how and why. */
#ifndef VPUP_BENCH_COMPARE_H
#define VPUP_BENCH_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/groups.h"
#include "vmm/err.h"

enum verdict {
	VERDICT_WORSE,
	VERDICT_BETTER,
	VERDICT_SAME,    /* a difference as large as the minimum effect can be ruled out */
	VERDICT_UNCLEAR, /* neither a difference nor its absence is shown */
	VERDICT_COUNT
};

const char *verdict_name(enum verdict v);

/* A metric in one pair of groups: base is side 0, new side 1. */
struct compare_row {
	const json_t *params; /* of the group, without what is not compared */
	const char *metric;
	size_t n[2];
	double median[2];
	double shift;         /* of new over base, in the metric's unit */
	double interval[2];   /* its 95 % interval, maybe infinite */
	double effect;        /* shift over base's median; infinite for a shift from 0 */
	double drift;         /* of one side from its first half to its second, if significant */
	bool is_count;        /* judged by equality: constant on both sides. Has no p. */
	double p, p_adjusted; /* two-sided; corrected for all rows that have one */
	double p_least;       /* what samples of these sizes can give at best */
	bool is_too_few;      /* no outcome with so few runs could have been significant */
	size_t runs_needed; /* of each side, to tell; a rough guess unless is_too_few. 0: it is clear */
	enum verdict verdict;
};

struct compare_options {
	double alpha;        /* rate of false alarms, over all metrics together */
	double min_effect;   /* as a part of base's median, such as 0.05 */
	bool is_interleaved; /* the runs of both sides took turns: drift does them no harm */
};

#define COMPARE_ALPHA      0.01
#define COMPARE_MIN_EFFECT 0.05

struct comparison {
	struct compare_options options;
	struct groups side[2]; /* rows point into them */
	struct compare_row *row;
	size_t rows;
	size_t tests; /* rows that have a p */
	size_t count[VERDICT_COUNT];
	json_t *notes; /* strings: what could not be compared, and why */
};

/*
 * Compares the runs of two documents (checked, as result_read() gives them; they must outlive c).
 * Groups with equal params are pairs. The params `ignored` (keys of an object, or NULL) do not
 * count, nor does one that all runs of one side lack and that has one value on the other.
 * Returns 0; -EINVAL with e saying why nothing can be compared; -ENOMEM. c is valid for
 * compare_fini() in any case.
 */
int compare_runs(struct comparison *c, const json_t *base, const json_t *new, const json_t *ignored,
		 const struct compare_options *options, struct err *e);
void compare_fini(struct comparison *c);

#endif
