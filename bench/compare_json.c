/* SPDX-License-Identifier: MIT */
/* A comparison as a JSON document. */
#include "bench/compare_print.h"

#include <errno.h>
#include <math.h>

#include "vmm/cli.h"
#include "vmm/metrics.h"
#include "vmm/result.h"

/* A number; null for one that is infinite: JSON has none. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *pair(double first, double second)
{
	return json_pack("[o, o]", number(first), number(second));
}

static json_t *row_json(const struct compare_row *row)
{
	double base = fabs(row->median[0]);

	return json_pack("{s:O, s:s, s:s, s:[I, I], s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, "
			 "s:s, s:b, s:I}",
			 "params", row->params, "metric", row->metric, "unit",
			 metric_unit(row->metric), "n", (json_int_t)row->n[0],
			 (json_int_t)row->n[1], "median", pair(row->median[0], row->median[1]),
			 "shift", number(row->shift), "interval95",
			 pair(row->interval[0], row->interval[1]), "effect", number(row->effect),
			 "effect_interval95",
			 pair(row->interval[0] / base, row->interval[1] / base), "drift",
			 number(row->drift), "exact", row->is_count, "p",
			 row->is_count ? json_null() : number(row->p), "p_adjusted",
			 row->is_count ? json_null() : number(row->p_adjusted), "verdict",
			 verdict_name(row->verdict), "too_few_runs", row->is_too_few, "runs_needed",
			 (json_int_t)row->runs_needed);
}

json_t *compare_json(const struct comparison *c, const char *const names[2], const json_t *warnings)
{
	json_t *rows = json_array(), *counts = json_object();
	int bad = 0;

	for (size_t i = 0; i < c->rows; i++)
		bad |= json_array_append_new(rows, row_json(&c->row[i]));
	for (int v = 0; v < VERDICT_COUNT; v++)
		bad |= json_object_set_new(counts, verdict_name((enum verdict)v),
					   json_integer((json_int_t)c->count[v]));
	if (bad) {
		json_decref(counts);
		json_decref(rows);
		return NULL;
	}
	return json_pack("{s:s, s:{s:s, s:s}, s:o, s:o, s:f, s:f, s:I, s:o, s:o, s:O, s:O}",
			 "schema", "vpup.compare/1", "tool", "name", "vpup", "version",
			 VPUP_VERSION, "base", result_text(names[0]), "new", result_text(names[1]),
			 "alpha", c->options.alpha, "min_effect", c->options.min_effect, "tests",
			 (json_int_t)c->tests, "verdicts", counts, "rows", rows, "notes", c->notes,
			 "warnings", warnings);
}
