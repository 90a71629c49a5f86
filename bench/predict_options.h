/* SPDX-License-Identifier: MIT */
/* The command line of `vpup predict`. */
#ifndef VPUP_BENCH_PREDICT_OPTIONS_H
#define VPUP_BENCH_PREDICT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/predict_model.h"

#define PREDICT_LIST_MAX 64

struct predict_list {
	uint32_t value[PREDICT_LIST_MAX];
	size_t count;
};

struct predict_options {
	const char *file;             /* a result, or NULL */
	const char *json;             /* where the predictions go as a document; NULL: nowhere */
	bool claims;                  /* what was published, instead */
	bool have_costs;              /* --cost: instead of a result */
	struct predict_list cpus;     /* to predict */
	struct predict_list cores;    /* of the host; empty: as measured, or one for each VP */
	bool mode[PREDICT_MODES];     /* --smp, for --cost; all if none was named */
	struct predict_machine given; /* --cost, --sockets, --threads */
};

/* Returns true to go on; else *status is what to exit with. */
bool predict_options_parse(struct predict_options *o, int argc, char **argv, int *status);

#endif
