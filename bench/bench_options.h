/* SPDX-License-Identifier: MIT */
/* The command line of `vpup bench`. */
#ifndef VPUP_BENCH_BENCH_OPTIONS_H
#define VPUP_BENCH_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/bench_judge.h"
#include "bench/plan.h"
#include "bench/scenario.h"

struct bench_options {
	struct scenario scenario; /* owned */
	struct plan plan;         /* the scenario's matrix, with what was set; owned */
	size_t repeats;
	double timeout_s;
	const char *json; /* path, "-", or NULL */
	struct bench_judge judge;
	bool check; /* claims that do not hold are a failure */
	bool quiet;
};

/*
 * Parses and checks all of it. Returns true to go on. Else *status is the exit status: help was
 * printed, or one line about what is wrong. o is valid for bench_options_fini() in any case.
 */
bool bench_options_parse(struct bench_options *o, int argc, char **argv, int *status);
void bench_options_fini(struct bench_options *o);

#endif
