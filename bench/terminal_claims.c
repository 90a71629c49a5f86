/* SPDX-License-Identifier: MIT */
/* What became of a scenario's claims, in sentences. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/claim.h"
#include "bench/table.h"
#include "bench/terminal_view.h"
#include "bench/wrap.h"
#include "vmm/metrics.h"

#define GREEN "\033[32m"
#define RED   "\033[1;31m"
#define PLAIN "\033[0m"

/* Whether the claim is about the dimension as such, so that one value of it says nothing. */
static bool is_own(const struct scenario_claim *claim, const struct matrix *m, size_t at)
{
	size_t own = claim->key ? matrix_find(m, claim->key) : m->dimensions;

	return own < m->dimensions && (at == own || (claim->kind == CLAIM_GROWTH && m->group[at] &&
						     m->group[at] == m->group[own]));
}

/* "16 VPs, hz=1000": what was varied, and is not what the claim compares. */
static void print_where(FILE *out, const struct scenario_claim *claim, const struct matrix *m,
			const struct cell *cell)
{
	const char *separator = "";

	for (size_t i = 0; i < m->dimensions; i++) {
		const struct dimension *d = &m->dimension[i];

		if (is_own(claim, m, i))
			continue;
		if (strcmp(d->kind->key, "cpus") == 0)
			fprintf(out, "%s%s VPs", separator, cell->value[i]);
		else if (d->values > 1)
			fprintf(out, "%s%s=%s", separator, d->kind->key, cell->value[i]);
		else
			continue;
		separator = ", ";
	}
	fprintf(out, "%s%s ", *separator ? ": " : "", claim->text);
}

static bool is_time(const char *unit)
{
	return strcmp(unit, "ms") == 0 || strcmp(unit, "us") == 0;
}

/* Medians whose confidence intervals overlap are called equal. */
static void print_ratio(FILE *out, const struct scenario_claim *claim, const struct claim_result *r)
{
	char factor[NUMBER_TEXT_SIZE], from[NUMBER_TEXT_SIZE], to[NUMBER_TEXT_SIZE];
	const char *unit = terminal_unit(claim->metric);
	const char *less = is_time(unit) ? "faster" : "less",
		   *more = is_time(unit) ? "slower" : "more";

	if (r->order > 0)
		fprintf(out, "%s times %s", table_number(factor, r->value), less);
	else if (r->order < 0 && r->base > 0)
		fprintf(out, "%s times %s", table_number(factor, r->better / r->base), more);
	else
		fprintf(out, "neither %s nor %s", less, more);
	fprintf(out, " (%s %s -> %s %s)", terminal_number(from, claim->metric, r->base), unit,
		terminal_number(to, claim->metric, r->better), unit);
}

static void print_growth(FILE *out, const struct scenario_claim *claim,
			 const struct claim_result *r)
{
	char slope[NUMBER_TEXT_SIZE], at[NUMBER_TEXT_SIZE];
	const char *unit = terminal_unit(claim->metric);

	fprintf(out, "%s %s per %s (line through %s=%.0f-%.0f",
		terminal_number(slope, claim->metric, r->value), unit, terminal_unit_of(claim->key),
		claim->key, r->first, r->last);
	if (claim->has_at)
		fprintf(out, "; extrapolated to %.0f: %s %s", claim->at,
			terminal_number(at, claim->metric, r->intercept + r->value * claim->at),
			unit);
	fputc(')', out);
}

static void print_value(FILE *out, const struct scenario_claim *claim, const struct claim_result *r)
{
	char value[NUMBER_TEXT_SIZE];

	fprintf(out, "%s %s", terminal_number(value, claim->metric, r->value),
		terminal_unit(claim->metric));
}

static void print_bounds(FILE *out, const struct scenario_claim *claim,
			 const struct claim_result *r, const struct term_style *style)
{
	char min[NUMBER_TEXT_SIZE], max[NUMBER_TEXT_SIZE];

	if (claim->has_min && claim->has_max)
		fprintf(out, " [%s to %s: ", table_number(min, claim->min),
			table_number(max, claim->max));
	else if (claim->has_min)
		fprintf(out, " [>= %s: ", table_number(min, claim->min));
	else if (claim->has_max)
		fprintf(out, " [<= %s: ", table_number(max, claim->max));
	else
		return;
	if (style->has_colour)
		fputs(claim_holds(claim, r) ? GREEN "yes" PLAIN "]" : RED "NO" PLAIN "]", out);
	else
		fputs(claim_holds(claim, r) ? "yes]" : "NO]", out);
}

static void write_claim(FILE *out, const struct terminal_view *v,
			const struct scenario_claim *claim, const struct claim_result *r)
{
	print_where(out, claim, v->m, &r->cell);
	switch (claim->kind) {
	case CLAIM_RATIO:
		print_ratio(out, claim, r);
		break;
	case CLAIM_GROWTH:
		print_growth(out, claim, r);
		break;
	case CLAIM_VALUE:
		print_value(out, claim, r);
		break;
	}
	print_bounds(out, claim, r, &v->style);
}

static int print_claim(FILE *out, const struct terminal_view *v, const struct scenario_claim *claim,
		       const struct claim_result *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return -ENOMEM;
	write_claim(f, v, claim, r);
	if (fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	wrap_print(out, text, TABLE_WIDTH);
	free(text);
	return 0;
}

int terminal_claims(FILE *out, const struct terminal_view *v)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < v->scenario->claims; i++) {
		const struct scenario_claim *claim = &v->scenario->claim[i];
		struct claim_result r;

		claim_evaluate(claim, v->m, v->summary, &r);
		if (r.is_known)
			ret = print_claim(out, v, claim, &r);
	}
	return ret;
}
