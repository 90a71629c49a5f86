/* SPDX-License-Identifier: MIT */
/* Plots that fit in a line of text. */
#include "bench/plot.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define STEPS 8 /* of a block character */

static const char *const blocks_across[STEPS] = {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
static const char *const blocks_up[STEPS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const ascii_up[STEPS] = {"_", ".", ":", "-", "=", "+", "*", "#"};

static double clamp(double x)
{
	return x > 0 ? (x < 1 ? x : 1) : 0; /* NaN is 0 */
}

const char *plot_bar(char *text, size_t cells, double fraction, bool has_utf8)
{
	size_t steps = (size_t)ceil(clamp(fraction) * (double)cells * STEPS);
	char *at = text;

	for (; steps >= STEPS; steps -= STEPS)
		at = stpcpy(at, has_utf8 ? blocks_across[STEPS - 1] : "#");
	if (steps)
		at = stpcpy(at, has_utf8 ? blocks_across[steps - 1] : "-");
	*at = '\0';
	return text;
}

static const char *mark(double fraction, bool has_utf8)
{
	size_t step = (size_t)lround(clamp(fraction) * (STEPS - 1));

	return has_utf8 ? blocks_up[step] : ascii_up[step];
}

const char *plot_line(char *text, const double *value, size_t values, double low, double high,
		      bool has_utf8)
{
	char *at = text;

	*at = '\0';
	for (size_t i = 0; i < values; i++) {
		double fraction = high > low ? (value[i] - low) / (high - low) : 0;

		at = stpcpy(at, isnan(value[i]) ? " " : mark(fraction, has_utf8));
	}
	return text;
}

const char *plot_spread(char *text, size_t cells, const double *value, size_t values, double low,
			double high, bool has_utf8)
{
	double part[PLOT_PARTS_MAX] = {0}, most = 0;

	assert(cells && cells <= PLOT_PARTS_MAX);
	for (size_t i = 0; i < values; i++) {
		double fraction = high > low ? clamp((value[i] - low) / (high - low)) : 0;
		size_t at = (size_t)(fraction * (double)cells);

		part[at < cells ? at : cells - 1]++;
	}
	for (size_t i = 0; i < cells; i++)
		most = part[i] > most ? part[i] : most;
	for (size_t i = 0; i < cells; i++)
		part[i] = part[i] > 0 ? part[i] / most : NAN;
	return plot_line(text, part, cells, 0, 1, has_utf8);
}
