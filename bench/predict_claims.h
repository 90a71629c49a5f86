/* SPDX-License-Identifier: MIT */
/* Published bring-up times, with the stage costs that were published with them. docs/predict.md. */
#ifndef VPUP_BENCH_PREDICT_CLAIMS_H
#define VPUP_BENCH_PREDICT_CLAIMS_H

#include "bench/predict_model.h"

struct predict_claim {
	const char *name;
	double published_ms;
	bool is_fitted;  /* the costs come from this very figure: agreement shows nothing */
	bool is_synic;   /* SynIC set-up, whose cost is cost_us[PREDICT_ONLINE_WORK] */
	double fixed_ms; /* what has to be added to the model's time */
	struct predict_machine machine;
};

/* Ended by a row without a name. */
extern const struct predict_claim predict_claims[];

/* What the model says. Returns 0 or -ENOMEM. */
int predict_claim_ms(const struct predict_claim *c, double *ms);

#endif
