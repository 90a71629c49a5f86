/* SPDX-License-Identifier: MIT */
/* What became of a scenario's claims, in sentences. */
#include "bench/terminal_claims.h"

#include <stdbool.h>
#include <string.h>

#include "bench/claim.h"
#include "bench/table.h"
#include "vmm/metrics.h"

const char *terminal_unit_of(const char *key)
{
	if (strcmp(key, "cpus") == 0)
		return "VP";
	return strcmp(key, "nodes") == 0 ? "node" : key;
}

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
	const char *unit = metric_unit(claim->metric);
	const char *less = is_time(unit) ? "faster" : "less",
		   *more = is_time(unit) ? "slower" : "more";

	if (r->order > 0)
		fprintf(out, "%s times %s", table_number(factor, r->value), less);
	else if (r->order < 0 && r->base > 0)
		fprintf(out, "%s times %s", table_number(factor, r->better / r->base), more);
	else
		fprintf(out, "neither %s nor %s", less, more);
	fprintf(out, " (%s %s -> %s %s)", table_number(from, r->base), unit,
		table_number(to, r->better), unit);
}

static void print_growth(FILE *out, const struct scenario_claim *claim,
			 const struct claim_result *r)
{
	char slope[NUMBER_TEXT_SIZE], at[NUMBER_TEXT_SIZE];
	const char *unit = metric_unit(claim->metric);

	fprintf(out, "%s %s per %s (line through %s=%.0f-%.0f", table_number(slope, r->value), unit,
		terminal_unit_of(claim->key), claim->key, r->first, r->last);
	if (claim->has_at)
		fprintf(out, "; extrapolated to %.0f: %s %s", claim->at,
			table_number(at, r->intercept + r->value * claim->at), unit);
	fputc(')', out);
}

static void print_value(FILE *out, const struct scenario_claim *claim, const struct claim_result *r)
{
	char value[NUMBER_TEXT_SIZE];

	fprintf(out, "%s %s", table_number(value, r->value), metric_unit(claim->metric));
}

static void print_bounds(FILE *out, const struct scenario_claim *claim,
			 const struct claim_result *r)
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
	if (!r->is_known)
		fputs("not measured]", out);
	else
		fputs(claim_holds(claim, r) ? "yes]" : "NO]", out);
}

static void print_claim(FILE *out, const struct scenario_claim *claim, const struct matrix *m,
			const struct claim_result *r)
{
	if (!r->is_known) {
		fprintf(out, "%s ...", claim->text);
		print_bounds(out, claim, r);
		fputc('\n', out);
		return;
	}
	print_where(out, claim, m, &r->cell);
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
	print_bounds(out, claim, r);
	fputc('\n', out);
}

void terminal_claims(FILE *out, const struct scenario *scenario, const struct matrix *m,
		     const struct summary *s)
{
	for (size_t i = 0; i < scenario->claims; i++) {
		const struct scenario_claim *claim = &scenario->claim[i];
		struct claim_result r;

		claim_evaluate(claim, m, s, &r);
		if (r.is_known || claim->has_min || claim->has_max)
			print_claim(out, claim, m, &r);
	}
}
