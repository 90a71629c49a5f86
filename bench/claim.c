/* SPDX-License-Identifier: MIT */
/* What became of a scenario's claims. */
#include "bench/claim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell_view.h"
#include "vmm/metrics.h"
#include "vmm/result.h"

/* What all kinds of evaluation look at. */
struct scope {
	const struct scenario_claim *claim;
	const struct matrix *m;
	const struct summary *s;
};

static int medians_order(const struct stats *base, const struct stats *better)
{
	if (better->ci95[1] < base->ci95[0])
		return 1;
	return better->ci95[0] > base->ci95[1] ? -1 : 0;
}

static void ratio_at(const struct scope *scope, const struct cell *cell, struct claim_result *r)
{
	const struct scenario_claim *claim = scope->claim;
	const struct stats *base, *better;

	base = cell_sibling_stats(scope->m, scope->s, cell, claim->metric, claim->key, claim->base);
	better = cell_sibling_stats(scope->m, scope->s, cell, claim->metric, claim->key,
				    claim->better);
	if (!base || !better || better->median <= 0)
		return;
	*r = (struct claim_result){
		.is_known = true,
		.value = base->median / better->median,
		.cell = *cell,
		.base = base->median,
		.better = better->median,
		.order = medians_order(base, better),
	};
}

static double statistic(const struct stats *s, enum column_kind kind)
{
	if (kind == COLUMN_MIN)
		return s->min;
	return kind == COLUMN_MAX ? s->max : s->median;
}

static void value_at(const struct scope *scope, const struct cell *cell, struct claim_result *r)
{
	enum column_kind kind = scope->claim->statistic;
	const struct stats *s = cell_stats(scope->m, scope->s, cell, scope->claim->metric);
	double value;

	if (!s)
		return;
	value = statistic(s, kind);
	if (r->is_known && ((kind == COLUMN_MIN && value >= r->value) ||
			    (kind == COLUMN_MAX && value <= r->value)))
		return;
	*r = (struct claim_result){.is_known = true, .value = value, .cell = *cell};
}

/* Sums for a straight line through points, about the first one's x. */
struct line {
	size_t points;
	double x0, first, last;
	double sx, sy, sxx, sxy;
};

static void line_add(struct line *l, double x, double y)
{
	double dx;

	if (l->points == 0)
		l->x0 = l->first = l->last = x;
	l->points++;
	l->first = x < l->first ? x : l->first;
	l->last = x > l->last ? x : l->last;
	dx = x - l->x0;
	l->sx += dx;
	l->sy += y;
	l->sxx += dx * dx;
	l->sxy += dx * y;
}

static bool line_fit(const struct line *l, struct claim_result *r)
{
	double n = (double)l->points, spread = n * l->sxx - l->sx * l->sx;

	if (l->points < 2 || spread <= 0)
		return false;
	r->value = (n * l->sxy - l->sx * l->sy) / spread;
	r->intercept = (l->sy - r->value * l->sx) / n - r->value * l->x0;
	r->points = l->points;
	r->first = l->first;
	r->last = l->last;
	return true;
}

/* Whether the cells differ in no dimension but `at`, and those that go together with it. */
static bool differs_only_in(const struct matrix *m, size_t at, const struct cell *a,
			    const struct cell *b)
{
	for (size_t i = 0; i < m->dimensions; i++) {
		bool is_along = i == at || (m->group[at] && m->group[i] == m->group[at]);

		if (!is_along && strcmp(a->value[i], b->value[i]) != 0)
			return false;
	}
	return true;
}

static void growth_at(const struct scope *scope, const struct cell *cell, struct claim_result *r)
{
	const struct matrix *m = scope->m;
	size_t at = matrix_find(m, scope->claim->key), cells = matrix_cells(m);
	struct claim_result new = {.is_known = true, .cell = *cell};
	struct line line = {.points = 0};

	if (m->dimension[at].values < 2)
		return;
	for (size_t i = 0; i < cells; i++) {
		const struct stats *s;
		struct cell other;

		matrix_cell(m, i, &other);
		if (!differs_only_in(m, at, cell, &other) ||
		    !cell_holds(m, &other, &scope->claim->where))
			continue;
		s = cell_stats(m, scope->s, &other, scope->claim->metric);
		if (s)
			line_add(&line, strtod(other.value[at], NULL), s->median);
	}
	if (line_fit(&line, &new))
		*r = new;
}

static void evaluate_at(const struct scope *scope, const struct cell *cell, struct claim_result *r)
{
	switch (scope->claim->kind) {
	case CLAIM_RATIO:
		ratio_at(scope, cell, r);
		break;
	case CLAIM_GROWTH:
		growth_at(scope, cell, r);
		break;
	case CLAIM_VALUE:
		value_at(scope, cell, r);
		break;
	}
}

void claim_evaluate(const struct scenario_claim *claim, const struct matrix *m,
		    const struct summary *s, struct claim_result *r)
{
	const struct scope scope = {claim, m, s};
	bool is_extreme = claim->kind == CLAIM_VALUE && claim->statistic != COLUMN_MEDIAN;

	*r = (struct claim_result){.is_known = false};
	for (size_t i = matrix_cells(m); i-- > 0 && (is_extreme || !r->is_known);) {
		struct cell cell;

		matrix_cell(m, i, &cell);
		if (cell_holds(m, &cell, &claim->where))
			evaluate_at(&scope, &cell, r);
	}
}

bool claim_holds(const struct scenario_claim *claim, const struct claim_result *r)
{
	return r->is_known && !(claim->has_min && r->value < claim->min) &&
	       !(claim->has_max && r->value > claim->max);
}

size_t claims_broken(const struct scenario *scenario, const struct matrix *m,
		     const struct summary *s, char text[CLAIMS_TEXT_SIZE])
{
	size_t broken = 0, used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < scenario->claims; i++) {
		const struct scenario_claim *claim = &scenario->claim[i];
		struct claim_result r;

		claim_evaluate(claim, m, s, &r);
		if ((!claim->has_min && !claim->has_max) || claim_holds(claim, &r))
			continue;
		if (used < CLAIMS_TEXT_SIZE)
			used += (size_t)snprintf(text + used, CLAIMS_TEXT_SIZE - used, "%s%s%s",
						 broken ? ", " : "", claim->name,
						 r.is_known ? "" : " (not measured)");
		broken++;
	}
	return broken;
}

static const char *claim_unit(const struct scenario_claim *claim)
{
	return claim->kind == CLAIM_RATIO ? "times" : metric_unit(claim->metric);
}

static json_t *claim_json(const struct scenario_claim *claim, const struct claim_result *r)
{
	json_t *object =
		json_pack("{s:s, s:s, s:s, s:b}", "name", claim->name, "metric", claim->metric,
			  "unit", claim_unit(claim), "holds", claim_holds(claim, r));
	int ret = object ? 0 : -1;

	if (ret == 0 && r->is_known)
		ret = result_set_number(object, "value", r->value);
	if (ret == 0 && claim->kind == CLAIM_GROWTH)
		ret = json_object_set_new(object, "per", json_string(claim->key));
	if (ret == 0 && claim->has_min)
		ret = result_set_number(object, "min", claim->min);
	if (ret == 0 && claim->has_max)
		ret = result_set_number(object, "max", claim->max);
	if (ret == 0 && (claim->has_min || claim->has_max))
		ret = json_object_set_new(object, "holds", json_boolean(claim_holds(claim, r)));
	if (ret == 0 && r->is_known && claim->has_at)
		ret = result_set_number(object, "extrapolated",
					r->intercept + r->value * claim->at);
	if (ret == 0)
		return object;
	json_decref(object);
	return NULL;
}

json_t *claims_json(const struct scenario *scenario, const struct matrix *m,
		    const struct summary *s)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < scenario->claims; i++) {
		const struct scenario_claim *claim = &scenario->claim[i];
		struct claim_result r;

		claim_evaluate(claim, m, s, &r);
		if (json_array_append_new(list, claim_json(claim, &r))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}
