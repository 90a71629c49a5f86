/* SPDX-License-Identifier: MIT */
/* From two result documents to what a person reads and an exit status. */
#ifndef VPUP_BENCH_JUDGE_H
#define VPUP_BENCH_JUDGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench/compare.h"
#include "vmm/outfile.h"

struct judge {
	const char *cmd; /* the subcommand, for messages */
	struct compare_options options;
	const json_t *ignored; /* params that do not count, as keys of an object; or NULL */
	const char *names[2];  /* of base and new */
	FILE *out;             /* gets the table; NULL: nobody does */
	bool only_changes;
	struct outfile *json; /* open; gets the comparison as JSON. NULL: none */
};

/*
 * Compares, prints warnings about the hosts on stderr, the table, and the JSON document. Returns an
 * exit status: VPUP_EXIT_FAIL where anything is worse.
 */
int judge_documents(const struct judge *j, const json_t *base, const json_t *new);

/*
 * The options --alpha and --min-effect: a part of 1 such as 0.05, or 5%. Returns 0, or
 * VPUP_EXIT_USAGE with the error printed.
 */
int judge_parse_part(const char *cmd, const char *option, const char *arg, double *out);

#endif
