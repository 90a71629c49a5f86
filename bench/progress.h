/* SPDX-License-Identifier: MIT */
/* A line on a terminal that says how far a long measurement has come. */
#ifndef VPUP_BENCH_PROGRESS_H
#define VPUP_BENCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct progress {
	FILE *out;    /* NULL: silent */
	size_t width; /* columns of the terminal */
	size_t total; /* runs */
	size_t done;
	double start_s; /* all times on CLOCK_MONOTONIC */
	double *cell_s; /* what each cell's last run took; 0: not known. Owned */
	size_t cells;
	size_t cell; /* the one that runs now */
	double cell_start_s;
	const char *label;
};

/* Starts the clock. out, a terminal of `width` columns, is NULL for silence. Returns 0 or -ENOMEM. */
int progress_init(struct progress *p, FILE *out, size_t width, size_t cells, size_t repeats);

/* A run of this cell begins; label must stay until the next call. */
void progress_begin(struct progress *p, size_t cell, const char *label);

/* It has ended well. */
void progress_end(struct progress *p);

/* Writes the line anew. */
void progress_show(const struct progress *p);

/* Seconds that the remaining runs will take, from what equal ones took; < 0: no idea yet. */
double progress_left_s(const struct progress *p, double now_s);

/* Takes the line off the terminal, and frees. */
void progress_fini(struct progress *p);

#endif
