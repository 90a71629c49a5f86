/* SPDX-License-Identifier: MIT */
/* Which direction of a metric is better. */
#include "bench/metric_kind.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	struct metric_kind kind;
} rows[] = {
	{"exits", {METRIC_LESS_IS_BETTER, true}},
	{"calibrations", {METRIC_LESS_IS_BETTER, true}},
	{"startup_over_floor", {METRIC_LESS_IS_BETTER, false}},
	{"startup.host_over_floor", {METRIC_LESS_IS_BETTER, false}},
	{"cost.msr_over_bare", {METRIC_LESS_IS_BETTER, false}},
	{"stolen_ms", {METRIC_NOT_JUDGED, false}}, /* what --noise was told to take */
	/* What the host takes of anybody, without vpup. */
	{"startup.floor_ms", {METRIC_NOT_JUDGED, false}},
	{"startup.floor_host_ms", {METRIC_NOT_JUDGED, false}},
	{"cost.bare_msr_us", {METRIC_NOT_JUDGED, false}},
	{"startup.bringup_ms", {METRIC_NOT_JUDGED, false}}, /* is smp_bringup_ms by another clock */
};

/* Other views of a stage's time, which is judged once. */
static const char *const repeated[] = {"_sum_ms", "_span_ms", NULL};

/* "_cycles" is not among them: lpj has no direction, and stages have their time in ms. */
static const char *const units[] = {"_s", "_ms", "_us", "_ns", "_ppm", "_kib", NULL};

static bool ends_with_any(const char *name, const char *const *ends)
{
	size_t length = strlen(name);

	for (size_t i = 0; ends[i]; i++) {
		size_t end = strlen(ends[i]);

		if (length > end && strcmp(name + length - end, ends[i]) == 0)
			return true;
	}
	return false;
}

struct metric_kind metric_kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].kind;
	}
	if (ends_with_any(name, units) && !ends_with_any(name, repeated))
		return (struct metric_kind){METRIC_LESS_IS_BETTER, false};
	return (struct metric_kind){METRIC_NOT_JUDGED, false};
}
