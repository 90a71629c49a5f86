/* SPDX-License-Identifier: MIT */
/* Plots that fit in a line of text. */
#ifndef VPUP_BENCH_PLOT_H
#define VPUP_BENCH_PLOT_H

#include <stdbool.h>
#include <stddef.h>

/* Room for `cells` columns of UTF-8, with the NUL. */
#define PLOT_TEXT_SIZE(cells) (3 * (cells) + 1)

/*
 * A bar of up to `cells` columns, as long as `fraction` (cut to 0 to 1) says; more than nothing is
 * always seen. text has PLOT_TEXT_SIZE(cells) bytes. Returns text.
 */
const char *plot_bar(char *text, size_t cells, double fraction, bool has_utf8);

/*
 * A column for each value, as high as it stands between `low` and `high`: the lowest is the
 * smallest mark there is. What is not a number is a blank. text has PLOT_TEXT_SIZE(values) bytes.
 * Returns text.
 */
const char *plot_line(char *text, const double *value, size_t values, double low, double high,
		      bool has_utf8);

/*
 * How `values` numbers are spread from `low` to `high`: a column for each of `cells` equal parts, as
 * high as the number of values in it; a blank where there are none. text has PLOT_TEXT_SIZE(cells)
 * bytes. Returns text.
 */
#define PLOT_PARTS_MAX 32
const char *plot_spread(char *text, size_t cells, const double *value, size_t values, double low,
			double high, bool has_utf8);

#endif
