/* SPDX-License-Identifier: MIT */
/* What `vpup report` makes of result files: a page, a trace, or rows. */
#ifndef VPUP_BENCH_REPORT_H
#define VPUP_BENCH_REPORT_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "vmm/err.h"

/* Result documents, checked as result_read() gives them, and the paths that they came from. */
struct report {
	char *const *path;
	json_t **document;
	size_t count;
};

/*
 * What is drawn, for a program of any language to draw: per file the tool, the host and the cells; per
 * cell its params, the values and statistics of each metric, every VP's lpj in each run, and the
 * spans of all VPs in the run whose bring-up is the median. Beyond REPORT_POINTS_MAX numbers, lpj and
 * spans are left out, and the cell says so ("left_out": true).
 * Returns a new reference, or NULL with e set (-ENOMEM, or too many metrics).
 */
#define REPORT_POINTS_MAX 2000000
json_t *report_data(const struct report *r, struct err *e);

/*
 * Write to `out`, which finds the errors of writing. Return 0 or -ENOMEM.
 * html: a page without references to anything outside it. trace: Trace Event Format for Perfetto, a
 * process per cell and a track per VP. csv: RFC 4180, a row for each metric of each run.
 */
int report_html(FILE *out, const json_t *data);
int report_trace(FILE *out, const json_t *data);
int report_csv(FILE *out, const struct report *r);

#endif
