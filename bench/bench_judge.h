/* SPDX-License-Identifier: MIT */
/* `vpup bench --baseline` and `--against`: a measurement, judged as soon as it is made. */
#ifndef VPUP_BENCH_BENCH_JUDGE_H
#define VPUP_BENCH_BENCH_JUDGE_H

#include <jansson.h>
#include <stdio.h>

#include "bench/plan.h"
#include "vmm/err.h"

/* Where neither is set nothing is judged. */
struct bench_judge {
	const char *baseline; /* path of an earlier result, or NULL */
	const char *against;  /* path of an earlier vpup, or NULL: the same runs have both */
	json_t *earlier;      /* the baseline's document; owned */
};

/* --against's dimension, as a list of two values of "impl": owned, or NULL with e set. */
char *bench_judge_impl(const char *against, struct err *e);

/*
 * Reads the baseline, and sees that it has a cell of the plan: nobody waits an hour to hear that
 * nothing can be compared. Returns 0 or -errno with e set.
 */
int bench_judge_open(struct bench_judge *j, const struct plan *plan, struct err *e);

/* Judges a finished measurement, with a table on `out`. Returns an exit status. */
int bench_judge(const struct bench_judge *j, const json_t *document, FILE *out);
void bench_judge_close(struct bench_judge *j);

#endif
