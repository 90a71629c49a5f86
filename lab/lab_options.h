/* SPDX-License-Identifier: MIT */
/* The options of `vpup lab`. */
#ifndef VPUP_LAB_LAB_OPTIONS_H
#define VPUP_LAB_LAB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/engine.h"

#define LAB_DEPTH_MAX 3

/* Strings are argv's. */
struct lab_options {
	const struct engine *engine;
	uint64_t depth;                                          /* levels of Linux above COMMAND */
	const char *l1_kernel, *l1_modules, *l1_append, *l1_log; /* NULL: not given */
	const char *timeline;                                    /* likewise */
	uint64_t l1_cpus;
	uint64_t l1_memory_bytes;
	const char *hyperv; /* what vpup engines show */
	double timeout_s;   /* 0: none */
	bool verbose;
	char **command; /* NULL-terminated, in argv */
};

/*
 * Returns 0 to go on; else *status is the exit status: help was printed, or one line about what is
 * wrong.
 */
int lab_options_parse(struct lab_options *o, int argc, char **argv, int *status);

#endif
