/* SPDX-License-Identifier: MIT */
/* Runs one measurement in a child process and hands back its result document. */
#ifndef VPUP_BENCH_RUNNER_H
#define VPUP_BENCH_RUNNER_H

#include <jansson.h>
#include <stdbool.h>

#include "vmm/err.h"

#define RUNNER_STOPPED (-1)
#define RUNNER_TICK_MS 500 /* how often tick() is called */

struct runner {
	const char *exe;         /* program; "/proc/self/exe" for vpup itself */
	double deadline_s;       /* a child that runs for longer is killed */
	int stop_fd;             /* when readable, the child is killed; -1: none */
	bool keep_failed;        /* hand back the document of a child that failed, if it left one */
	void (*tick)(void *ctx); /* while the child runs; NULL: none */
	void *ctx;
};

/*
 * Runs the program with argv, in a process group of its own and with /dev/null as stdin, and reads
 * the result document with one run from its stdout. No child is left behind, whatever happens.
 * Returns 0 with *document, a new reference; RUNNER_STOPPED; or a positive exit status of vpup with
 * e set: the child's own and its message, VPUP_EXIT_TIMEOUT for a child past its deadline,
 * VPUP_EXIT_BUG for one that crashed or whose result can't be read, VPUP_EXIT_HOST for one that
 * could not be started.
 */
int runner_run(const struct runner *r, char *const *argv, json_t **document, struct err *e);

#endif
