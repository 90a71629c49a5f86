/* SPDX-License-Identifier: MIT */
/* What the model says, row by row, for a terminal and for JSON. docs/predict.md. */
#ifndef VPUP_BENCH_PREDICT_ROWS_H
#define VPUP_BENCH_PREDICT_ROWS_H

#include "bench/predict_fit.h"
#include "bench/predict_options.h"

struct predict_row {
	enum predict_mode mode;
	bool is_synic;    /* SynIC set-up; else bring-up */
	bool is_held_out; /* of a VP count that was measured, from a fit without it */
	uint32_t vps;
	uint32_t cores;
	double measured_ms; /* 0: not measured */
	double modelled_ms;
	double beyond; /* so many times as many VPs as were measured at most; 0: not more */
};

/* Start with zeroes. */
struct predict_rows {
	struct predict_row *row; /* [count], owned */
	size_t count;
};

/* Modelled in per cent of measured, less 100. */
double predict_error_percent(double modelled_ms, double measured_ms);

/* Adds what was asked for with the costs that were given. 0 or -ENOMEM. */
int predict_rows_of_costs(struct predict_rows *r, const struct predict_options *o);

/* Adds each measured count of the set from the others, if there are others; then what was asked for. Likewise. */
int predict_rows_of_set(struct predict_rows *r, const struct predict_options *o,
			const struct predict_set *s, const struct predict_fit *f);

void predict_rows_fini(struct predict_rows *r);

#endif
