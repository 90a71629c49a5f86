/* SPDX-License-Identifier: MIT */
/* One measurement: every cell of a matrix, several times, gathered in one result document. */
#ifndef VPUP_BENCH_SESSION_H
#define VPUP_BENCH_SESSION_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "bench/matrix.h"
#include "bench/scenario.h"
#include "vmm/err.h"

struct session {
	const struct scenario *scenario;
	const struct matrix *matrix;
	const size_t *cell; /* [cells]: numbers of the matrix's cells to run */
	size_t cells;
	size_t repeats;
	double timeout_s;  /* of one run, in the guest's time */
	const char *exe;   /* what runs a cell that does not say so: "/proc/self/exe" */
	int stop_fd;       /* readable: end early; -1: none */
	FILE *progress_to; /* a terminal, or NULL */
	size_t progress_width;
};

#define SESSION_STOPPED (-1)

/*
 * Runs the cells in turn, A B C A B C, so that a host that changes its pace does so for them all.
 * Each run goes into the document, together with the host that the first one reports; its params
 * get those of the cell that a run does not tell itself. A run that did not do what its cell says,
 * or lacks a metric that the scenario requires, counts as failed.
 * Returns 0; SESSION_STOPPED; or an exit status of vpup with e naming the cell and what went wrong.
 * Unless it is 0 the document is marked incomplete and keeps the runs that were finished.
 */
int session_run(const struct session *s, json_t *document, struct err *e);

#endif
