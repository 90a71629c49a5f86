/* SPDX-License-Identifier: MIT */
/* A measurement as data: what it varies, what its table shows, and what it claims. */
#ifndef VPUP_BENCH_SCENARIO_H
#define VPUP_BENCH_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/condition.h"
#include "bench/conf.h"
#include "bench/matrix.h"

#define SCENARIO_NAME_SIZE   64
#define SCENARIO_COLUMNS     12
#define SCENARIO_REQUIRED    12
#define SCENARIO_CLAIMS      12
#define SCENARIO_SKIPS       6
#define SCENARIO_ZIPS        4
#define SCENARIO_REPEATS_MAX 1000

struct scenario_dimension {
	const char *key;    /* as in bench/dimension.c */
	const char *values; /* unless the command line says otherwise */
	bool is_shown;      /* has a column also when it has one value */
};

enum column_kind {
	COLUMN_COUNT, /* how many runs have the metric */
	COLUMN_MEDIAN,
	COLUMN_SPREAD, /* p5 to p95 */
	COLUMN_MIN,    /* of all runs */
	COLUMN_MAX,
	COLUMN_RATIO, /* median of the cell with key=base over this one's, all else equal */
	COLUMN_PER,   /* median over this cell's value of key */
	COLUMN_BAR,   /* plots: the median as a bar, */
	COLUMN_RUNS,  /* a mark for each run, */
	COLUMN_VPS,   /* how a number of all VPs of all runs is spread */
};

/* The columns behind those of the dimensions. */
struct scenario_column {
	enum column_kind kind;
	const char *head;
	const char *metric; /* for COLUMN_VPS a member of "vps" */
	const char *key;
	const char *base;
};

enum claim_kind {
	CLAIM_RATIO,  /* median with key=base over that with key=better, all else equal */
	CLAIM_GROWTH, /* slope of the medians over key, a number, all else equal */
	CLAIM_VALUE,  /* a statistic of the metric itself */
};

/* Something that the measurement is about, with the bounds that it should keep. */
struct scenario_claim {
	enum claim_kind kind;
	const char *name;
	unsigned line;    /* where it begins in the file */
	const char *text; /* the beginning of its sentence */
	const char *metric;
	enum column_kind statistic; /* for CLAIM_VALUE: COLUMN_MEDIAN, _MIN or _MAX */
	const char *key;
	const char *base;
	const char *better;
	struct condition where; /* in which cells */
	bool has_min;
	bool has_max;
	bool has_at;
	double min;
	double max;
	double at; /* for CLAIM_GROWTH: extrapolate to here */
};

struct scenario {
	struct conf conf; /* its text; all strings below point into it */
	char name[SCENARIO_NAME_SIZE];
	const char *summary; /* one line */
	size_t repeats;
	double timeout_s; /* of one run */
	struct scenario_dimension dimension[MATRIX_DIMENSIONS];
	size_t dimensions;
	const char *zip[SCENARIO_ZIPS]; /* keys that go together, blanks between them */
	size_t zips;
	struct condition skip[SCENARIO_SKIPS]; /* cells for which one of them holds */
	size_t skips;
	struct scenario_column column[SCENARIO_COLUMNS];
	size_t columns;
	struct scenario_claim claim[SCENARIO_CLAIMS];
	size_t claims;
	const char *required[SCENARIO_REQUIRED]; /* a run that lacks one of them counts as failed */
	size_t requireds;
};

/* A built-in scenario: the text of bench/scenarios/NAME.scenario. */
struct scenario_file {
	const char *name;
	const char *text;
};

/* All of them, ended by a NULL name. scripts/embed-scenarios.sh makes the list. */
extern const struct scenario_file scenario_files[];

/* The built-in one of this name, or NULL. */
const struct scenario_file *scenario_find(const char *name);

/*
 * Loads a built-in scenario by its name, or the file at a path: what has a '/' in it or ends in
 * ".scenario". Returns 0; else -errno with e saying what is wrong, where, and what is possible. s
 * is valid for scenario_fini() in either case.
 */
int scenario_load(struct scenario *s, const char *name_or_path, struct err *e);

/* Likewise from a text; file is its name in messages, and must live on. */
int scenario_parse(struct scenario *s, const char *file, const char *text, size_t size_bytes,
		   struct err *e);
void scenario_fini(struct scenario *s);

#endif
