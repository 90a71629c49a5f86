/* SPDX-License-Identifier: MIT */
/* Predictions for a person at a terminal. */
#include "bench/predict_print.h"

#include <inttypes.h>
#include <string.h>

#include "bench/predict_claims.h"

#define LINE_MAX_COLUMNS 96
#define SHOWN_US         0.05 /* costs below it are not worth a word */

int predict_print_claims(FILE *out)
{
	bool fitted = false;

	fprintf(out, "%-40s  %12s  %11s  %8s\n", "", "published ms", "modelled ms", "error");
	for (const struct predict_claim *c = predict_claims; c->name; c++) {
		double ms;
		int ret = predict_claim_ms(c, &ms);

		if (ret)
			return ret;
		fprintf(out, "%-40s  %12.4g  %11.4g  %+6.1f %%%s\n", c->name, c->published_ms, ms,
			predict_error_percent(ms, c->published_ms), c->is_fitted ? " *" : "");
		fitted |= c->is_fitted;
	}
	if (fitted)
		fputs("* The costs come from this figure itself: that it agrees shows nothing. See "
		      "docs/predict.md.\n",
		      out);
	return 0;
}

void predict_print_costs(FILE *out, const struct predict_rows *r)
{
	fprintf(out, "Modelled, not measured. smp_bringup_ms:\n\n%-7s %7s %7s %12s\n", "smp",
		"cpus", "cores", "modelled ms");
	for (size_t i = 0; i < r->count; i++) {
		const struct predict_row *row = &r->row[i];

		fprintf(out, "%-7s %7" PRIu32 " %7" PRIu32 " %12.4g\n",
			predict_mode_name(row->mode), row->vps, row->cores, row->modelled_ms);
	}
}

static void print_params(FILE *out, const struct predict_set *s)
{
	int column = 0;
	const char *key;
	json_t *value;

	json_object_foreach(s->params, key, value)
	{
		char text[LINE_MAX_COLUMNS];

		if (json_is_string(value))
			snprintf(text, sizeof(text), "%s=%s", key, json_string_value(value));
		else
			snprintf(text, sizeof(text), "%s=%" JSON_INTEGER_FORMAT, key,
				 json_integer_value(value));
		if (column + 1 + (int)strlen(text) > LINE_MAX_COLUMNS) {
			fputc('\n', out);
			column = 0;
		}
		column += fprintf(out, "%s%s", column ? " " : "", text);
	}
	fputc('\n', out);
}

static void print_fit(FILE *out, const struct predict_set *s, const struct predict_fit *f)
{
	const uint32_t least = s->sample[0].vps, most = s->sample[s->samples - 1].vps;
	struct predict_machine low = predict_machine_at(s, f, least, s->machine.cores);
	struct predict_machine high = predict_machine_at(s, f, most, s->machine.cores);

	fprintf(out, "  costs, fitted: us of each VP, of %" PRIu32 " and of %" PRIu32 "\n", least,
		most);
	for (unsigned c = 0; c < PREDICT_COSTS; c++) {
		if (low.cost_us[c] >= SHOWN_US || high.cost_us[c] >= SHOWN_US)
			fprintf(out, "  %-16s %12.4g %12.4g\n", predict_cost_name(c),
				low.cost_us[c], high.cost_us[c]);
	}
}

static void print_row(FILE *out, const struct predict_row *row)
{
	fprintf(out, "  %-9s %6" PRIu32 " %6" PRIu32, row->is_synic ? "synic" : "bring-up",
		row->vps, row->cores);
	if (row->measured_ms > 0)
		fprintf(out, " %12.4g %12.4g %+8.1f %%", row->measured_ms, row->modelled_ms,
			predict_error_percent(row->modelled_ms, row->measured_ms));
	else
		fprintf(out, " %12s %12.4g %10s", "-", row->modelled_ms, "-");
	fprintf(out, "  %s", row->is_held_out ? "held out" : "modelled");
	if (row->beyond > 0)
		fprintf(out, ", %.3g times as many VPs", row->beyond);
	fputc('\n', out);
}

void predict_print_set(FILE *out, const struct predict_set *s, const struct predict_fit *f,
		       const struct predict_rows *r)
{
	print_params(out, s);
	print_fit(out, s, f);
	fprintf(out, "  %-9s %6s %6s %12s %12s %10s\n", "", "cpus", "cores", "measured ms",
		"modelled ms", "error");
	if (s->samples == 1)
		fputs("  one VP count was measured: the costs are taken as the same at all, and "
		      "nothing checks that\n",
		      out);
	for (size_t i = 0; i < r->count; i++)
		print_row(out, &r->row[i]);
	fputc('\n', out);
}
