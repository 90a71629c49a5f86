/* SPDX-License-Identifier: MIT */
/* Predictions as JSON documents. */
#include "bench/predict_print.h"

#include "bench/predict_claims.h"
#include "vmm/cli.h"
#include "vmm/metrics.h"
#include "vmm/result.h"

/* A document, whose own part goes by that name. Takes part, which may be NULL: no memory. */
static json_t *document(const char *name, json_t *part)
{
	return json_pack("{s:s, s:{s:s, s:s}, s:o}", "schema", "vpup.predict/1", "tool", "name",
			 "vpup", "version", VPUP_VERSION, name, part);
}

static json_t *positive_or_null(double value)
{
	return value > 0 ? json_real(value) : json_null();
}

static json_t *error_percent(double modelled_ms, double measured_ms)
{
	return measured_ms > 0 ? json_real(predict_error_percent(modelled_ms, measured_ms))
			       : json_null();
}

static json_t *claim_json(const struct predict_claim *c)
{
	double ms;

	if (predict_claim_ms(c, &ms))
		return NULL;
	return json_pack("{s:s, s:f, s:f, s:o, s:b}", "name", c->name, "published_ms",
			 c->published_ms, "modelled_ms", ms, "error_percent",
			 error_percent(ms, c->published_ms), "fitted", c->is_fitted);
}

json_t *predict_json_claims(void)
{
	json_t *claims = json_array();
	int bad = 0;

	for (const struct predict_claim *c = predict_claims; c->name; c++)
		bad |= json_array_append_new(claims, claim_json(c));
	if (bad) {
		json_decref(claims);
		return NULL;
	}
	return document("claims", claims);
}

static json_t *costs_json(const double cost_us[PREDICT_COSTS])
{
	json_t *costs = json_object();
	int bad = 0;

	for (unsigned c = 0; c < PREDICT_COSTS; c++)
		bad |= json_object_set_new(costs, predict_cost_name(c), json_real(cost_us[c]));
	if (!bad)
		return costs;
	json_decref(costs);
	return NULL;
}

static json_t *row_json(const struct predict_row *row)
{
	enum metric metric = row->is_synic ? METRIC_SYNIC_INIT_MS : METRIC_SMP_BRINGUP_MS;

	return json_pack("{s:s, s:s, s:I, s:I, s:o, s:f, s:o, s:b, s:o}", "metric",
			 metric_name(metric), "smp", predict_mode_name(row->mode), "cpus",
			 (json_int_t)row->vps, "cores", (json_int_t)row->cores, "measured",
			 positive_or_null(row->measured_ms), "modelled", row->modelled_ms,
			 "error_percent", error_percent(row->modelled_ms, row->measured_ms),
			 "held_out", row->is_held_out, "times_measured_cpus",
			 positive_or_null(row->beyond));
}

static json_t *rows_json(const struct predict_rows *r)
{
	json_t *rows = json_array();
	int bad = 0;

	for (size_t i = 0; i < r->count; i++)
		bad |= json_array_append_new(rows, row_json(&r->row[i]));
	if (!bad)
		return rows;
	json_decref(rows);
	return NULL;
}

json_t *predict_json_costs(const struct predict_options *o, const struct predict_rows *r)
{
	return document("given",
			json_pack("{s:o, s:I, s:I, s:o}", "cost_us", costs_json(o->given.cost_us),
				  "sockets", (json_int_t)o->given.sockets, "threads",
				  (json_int_t)o->given.threads, "rows", rows_json(r)));
}

/* The costs of each VP where there are so many. */
static json_t *fit_json(const struct predict_set *s, const struct predict_fit *f, uint32_t vps)
{
	struct predict_machine m = predict_machine_at(s, f, vps, s->machine.cores);

	return json_pack("{s:I, s:o}", "cpus", (json_int_t)vps, "cost_us", costs_json(m.cost_us));
}

json_t *predict_json_set(const struct predict_set *s, const struct predict_fit *f,
			 const struct predict_rows *r)
{
	return json_pack("{s:O, s:[o, o], s:o}", "params", s->params, "fitted",
			 fit_json(s, f, s->sample[0].vps),
			 fit_json(s, f, s->sample[s->samples - 1].vps), "rows", rows_json(r));
}

json_t *predict_json_sets(const char *file, json_t *sets)
{
	return document("fitted",
			json_pack("{s:o, s:o}", "result", result_text(file), "sets", sets));
}
