/* SPDX-License-Identifier: MIT */
/* A result file by its path. */
#ifndef VPUP_BENCH_RESULT_FILE_H
#define VPUP_BENCH_RESULT_FILE_H

#include <jansson.h>

#include "vmm/err.h"

/* What a measurement may have, twice over: what is computed from a file has to end some day. */
#define RESULT_FILE_RUNS_MAX 20000

/*
 * Reads and checks the result file at path; one without runs, or with too many, is refused. Returns a new reference,
 * or NULL with e naming the file and what would be right.
 */
json_t *result_file_read(const char *path, struct err *e);

#endif
