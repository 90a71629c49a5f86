/* SPDX-License-Identifier: MIT */
/* What a metric's name says about it: which direction is better, and whether it is a count. */
#ifndef VPUP_BENCH_METRIC_KIND_H
#define VPUP_BENCH_METRIC_KIND_H

#include <stdbool.h>

enum metric_better {
	METRIC_NOT_JUDGED, /* neither direction is better, or the name is not known */
	METRIC_LESS_IS_BETTER,
	METRIC_MORE_IS_BETTER,
};

struct metric_kind {
	enum metric_better better;
	bool is_count; /* the same in each run, unless something changed */
};

/* By name where it has a row of its own, else by the unit at its end ("_ms"): of such, less is better. */
struct metric_kind metric_kind_of(const char *name);

#endif
