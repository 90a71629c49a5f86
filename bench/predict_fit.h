/* SPDX-License-Identifier: MIT */
/* The model's costs, fitted from what was measured at several VP counts. docs/predict.md. */
#ifndef VPUP_BENCH_PREDICT_FIT_H
#define VPUP_BENCH_PREDICT_FIT_H

#include <jansson.h>
#include <stddef.h>

#include "bench/predict_model.h"
#include "vmm/err.h"

/* Medians over the runs with one VP count. */
struct predict_sample {
	uint32_t vps;
	size_t runs;
	double bring_up_ms;
	/* of each VP; as measured, so that "cpu" ones are longer where VPs shared a host core */
	double stage_us[PREDICT_COSTS];
	double synic_ms; /* 0: no SynIC was set up */
};

/* What runs had in common, but for the VP count. */
struct predict_set {
	json_t *params;                 /* a reference of its own */
	struct predict_machine machine; /* vps and cost_us are set by predict_fit() */
	bool synic_parallel;
	struct predict_sample *sample; /* [samples], by VP count, at least one */
	size_t samples;
};

struct predict_sets {
	struct predict_set *set; /* [count], owned */
	size_t count;
};

/* Each cost is a straight line over the VP count. */
struct predict_fit {
	double at_zero[PREDICT_COSTS];
	double per_vp[PREDICT_COSTS];
	double synic_at_zero, synic_per_vp; /* us of each VP's SynIC */
};

/*
 * Takes what can be fitted out of a checked result document. Runs of fewer than 2 VPs, or without the
 * metrics, are passed over. Returns 0; -EINVAL with e saying what is missing if nothing is left;
 * -ENOMEM. sets is for predict_sets_fini() in any case.
 */
int predict_sets_read(struct predict_sets *sets, const json_t *document, struct err *e);
void predict_sets_fini(struct predict_sets *sets);

/*
 * Fits all samples but number `left_out` (s->samples: none is left out); one at least must remain.
 * Returns 0 or -ENOMEM.
 */
int predict_fit(struct predict_fit *f, const struct predict_set *s, size_t left_out);

/* The set's machine with so many VPs and host cores, its costs as f has them. */
struct predict_machine predict_machine_at(const struct predict_set *s, const struct predict_fit *f,
					  uint32_t vps, uint32_t cores);

/* SynIC set-up on it, in ms. */
double predict_set_synic_ms(const struct predict_set *s, const struct predict_fit *f, uint32_t vps,
			    uint32_t cores);

#endif
