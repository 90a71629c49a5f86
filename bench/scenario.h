/* SPDX-License-Identifier: MIT */
/* A measurement as data: what it varies, what its table shows, and what it claims. */
#ifndef VPUP_BENCH_SCENARIO_H
#define VPUP_BENCH_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>

#define SCENARIO_DIMENSIONS 8
#define SCENARIO_COLUMNS    8
#define SCENARIO_REQUIRED   4

struct scenario_dimension {
	const char *key;    /* as in bench/matrix.h; NULL ends the list */
	const char *values; /* unless the command line says otherwise */
	bool is_shown;      /* has a column also when it has one value */
};

enum column_kind {
	COLUMN_END,
	COLUMN_RUNS, /* how many have the metric */
	COLUMN_MEDIAN,
	COLUMN_SPREAD,  /* p5 to p95 */
	COLUMN_WORST,   /* the greatest of all runs */
	COLUMN_SPEEDUP, /* median of the claim's base over this one's, all else equal */
};

/* The columns behind those of the dimensions. */
struct scenario_column {
	enum column_kind kind;
	const char *head;
	const char *unit;
	const char *metric;
};

/* "With key=better, `metric` is so many times less than with key=base." */
struct scenario_claim {
	const char *key; /* NULL: no claim */
	const char *base;
	const char *better;
	const char *metric;
	const char *unit;
	const char *sentence; /* "a preset lpj makes bring-up", goes on with "N times faster" */
};

struct scenario {
	const char *name;
	const char *summary; /* one line for the help */
	struct scenario_dimension dimension[SCENARIO_DIMENSIONS + 1];
	struct scenario_column column[SCENARIO_COLUMNS + 1];
	struct scenario_claim claim;
	const char
		*required[SCENARIO_REQUIRED + 1]; /* metrics without which a run counts as failed */
};

/* The built-in scenario of this name, or NULL. */
const struct scenario *scenario_find(const char *name);

/* All of them, ended by NULL. */
extern const struct scenario *const scenarios[];

/* bench/scenarios/ */
extern const struct scenario scenario_exits;
extern const struct scenario scenario_lpj;
extern const struct scenario scenario_startup;

#endif
