/* SPDX-License-Identifier: MIT */
/* Numbers and units as a person sees them. */
#include <string.h>

#include "bench/table.h"
#include "bench/terminal_view.h"
#include "vmm/metrics.h"

#define MILLION 1e6

const char *terminal_unit_of(const char *key)
{
	if (strcmp(key, "cpus") == 0)
		return "VP";
	return strcmp(key, "nodes") == 0 ? "node" : key;
}

static bool is_cycles(const char *metric)
{
	return strcmp(metric_unit(metric), "cycles") == 0;
}

const char *terminal_number(char text[], const char *metric, double value)
{
	return table_number(text, is_cycles(metric) ? value / MILLION : value);
}

const char *terminal_unit(const char *metric)
{
	return is_cycles(metric) ? "Mcycles" : metric_unit(metric);
}
