/* SPDX-License-Identifier: MIT */
/* A result file by its path. */
#ifndef VPUP_BENCH_RESULT_FILE_H
#define VPUP_BENCH_RESULT_FILE_H

#include <jansson.h>

#include "vmm/err.h"

/*
 * Reads and checks the result file at path; one without runs is refused. Returns a new reference,
 * or NULL with e naming the file and what would be right.
 */
json_t *result_file_read(const char *path, struct err *e);

#endif
