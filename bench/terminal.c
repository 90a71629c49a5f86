/* SPDX-License-Identifier: MIT */
/* Table, outcome and host of a measurement. */
#include "bench/terminal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/table.h"

struct view {
	const struct scenario *scenario;
	const struct matrix *m;
	const struct summary *summary;
	bool shown[MATRIX_DIMENSIONS]; /* this dimension has a column */
};

/* The cell's statistics, or those of its sibling with another value of `key`. NULL: no run. */
static const struct stats *cell_stats(const struct view *v, const struct cell *cell,
				      const char *metric, const char *key, const char *value)
{
	const struct stats *found = NULL;
	struct cell sibling = *cell;
	json_t *params;

	if (key) {
		size_t at = matrix_find(v->m, key);

		if (at == v->m->dimensions)
			return NULL;
		sibling.value[at] = value;
	}
	params = matrix_cell_params(v->m, &sibling);
	if (params)
		found = summary_find(v->summary, params, metric);
	json_decref(params);
	return found;
}

static void column_text(const struct view *v, const struct cell *cell,
			const struct scenario_column *column, char text[3 * NUMBER_TEXT_SIZE])
{
	const struct scenario_claim *claim = &v->scenario->claim;
	const struct stats *s = cell_stats(v, cell, column->metric, NULL, NULL), *base;
	char number[NUMBER_TEXT_SIZE], other[NUMBER_TEXT_SIZE];

	strcpy(text, "-");
	if (!s)
		return;
	switch (column->kind) {
	case COLUMN_MEDIAN:
		strcpy(text, table_number(number, s->median));
		break;
	case COLUMN_RUNS:
		snprintf(text, NUMBER_TEXT_SIZE, "%zu", s->n);
		break;
	case COLUMN_WORST:
		strcpy(text, table_number(number, s->max));
		break;
	case COLUMN_SPREAD:
		snprintf(text, 3 * NUMBER_TEXT_SIZE, "%s-%s", table_number(number, s->p5),
			 table_number(other, s->p95));
		break;
	case COLUMN_SPEEDUP:
		base = cell_stats(v, cell, column->metric, claim->key, claim->base);
		if (base && s->median > 0)
			strcpy(text, table_number(number, base->median / s->median));
		break;
	case COLUMN_END:
		break;
	}
}

static int table_add_row(struct table *t, const struct view *v, const struct cell *cell)
{
	char text[3 * NUMBER_TEXT_SIZE];
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < v->m->dimensions; i++) {
		if (v->shown[i])
			ret = table_add_cell(t, cell->value[i]);
	}
	for (const struct scenario_column *c = v->scenario->column; ret == 0 && c->kind; c++) {
		column_text(v, cell, c, text);
		ret = table_add_cell(t, text);
	}
	return ret;
}

static int table_fill(struct table *t, const struct view *v)
{
	size_t cells = matrix_cells(v->m);
	int ret = 0;

	for (size_t i = 0; i < v->m->dimensions; i++) {
		const struct dimension_kind *kind = v->m->dimension[i].kind;

		if (v->shown[i])
			table_add_column(t, kind->key, "", !kind->is_number);
	}
	for (const struct scenario_column *c = v->scenario->column; c->kind; c++)
		table_add_column(t, c->head, c->unit, false);
	for (size_t i = 0; ret == 0 && i < cells; i++) {
		struct cell cell;

		matrix_cell(v->m, i, &cell);
		if (cell_stats(v, &cell, v->scenario->column[0].metric, NULL, NULL))
			ret = table_add_row(t, v, &cell);
	}
	return ret;
}

/* "lpj: what it is (smp=serial hz=250)": with the dimensions that have no column. */
static void print_title(FILE *out, const struct view *v)
{
	bool is_open = false;

	fprintf(out, "%s: %s", v->scenario->name, v->scenario->summary);
	for (size_t i = 0; i < v->m->dimensions; i++) {
		const struct dimension *d = &v->m->dimension[i];

		if (v->shown[i])
			continue;
		fprintf(out, "%s%s=%s", is_open ? " " : " (", d->kind->key, d->value[0]);
		is_open = true;
	}
	fputs(is_open ? ")\n\n" : "\n\n", out);
}

/* "16 VPs, hz=1000": what was varied, but for the claim's own dimension. */
static void print_where(FILE *out, const struct view *v, const struct cell *cell)
{
	const char *separator = "";

	for (size_t i = 0; i < v->m->dimensions; i++) {
		const struct dimension *d = &v->m->dimension[i];

		if (strcmp(d->kind->key, v->scenario->claim.key) == 0)
			continue;
		if (strcmp(d->kind->key, "cpus") == 0)
			fprintf(out, "%s%s VPs", separator, cell->value[i]);
		else if (d->values > 1)
			fprintf(out, "%s%s=%s", separator, d->kind->key, cell->value[i]);
		else
			continue;
		separator = ", ";
	}
}

/* Medians whose confidence intervals overlap are called equal. */
static void print_claim(FILE *out, const struct view *v, const struct cell *cell,
			const struct stats *base, const struct stats *better)
{
	const struct scenario_claim *claim = &v->scenario->claim;
	char factor[NUMBER_TEXT_SIZE], from[NUMBER_TEXT_SIZE], to[NUMBER_TEXT_SIZE];
	bool is_faster = better->ci95[1]<base->ci95[0], is_slower = better->ci95[0]> base->ci95[1];

	print_where(out, v, cell);
	fprintf(out, ": %s ", claim->sentence);
	if (is_faster && better->median > 0)
		fprintf(out, "%s times faster",
			table_number(factor, base->median / better->median));
	else if (is_slower && base->median > 0)
		fprintf(out, "%s times slower",
			table_number(factor, better->median / base->median));
	else
		fputs("neither faster nor slower", out);
	fprintf(out, " (%s %s -> %s %s)\n", table_number(from, base->median), claim->unit,
		table_number(to, better->median), claim->unit);
}

static void print_outcome(FILE *out, const struct view *v)
{
	const struct scenario_claim *claim = &v->scenario->claim;
	size_t at = claim->key ? matrix_find(v->m, claim->key) : v->m->dimensions;

	for (size_t i = matrix_cells(v->m); at < v->m->dimensions && i-- > 0;) {
		const struct stats *base, *better;
		struct cell cell;

		matrix_cell(v->m, i, &cell);
		base = cell_stats(v, &cell, claim->metric, claim->key, claim->base);
		better = cell_stats(v, &cell, claim->metric, claim->key, claim->better);
		if (base && better) {
			print_claim(out, v, &cell, base, better);
			return;
		}
	}
}

static const char *text_or(const json_t *object, const char *key, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : otherwise;
}

static void print_host(FILE *out, const json_t *host)
{
	const json_t *cpus = json_object_get(host, "cpus_online");

	fprintf(out, "Host: %s, ", text_or(host, "cpu_model", "unknown CPU"));
	if (json_is_integer(cpus))
		fprintf(out, "%lld CPUs, ", (long long)json_integer_value(cpus));
	fprintf(out, "Linux %s", text_or(host, "kernel", "of unknown release"));
	if (json_is_true(json_object_get(host, "is_guest")))
		fprintf(out, ", itself a guest of %s", text_or(host, "hypervisor", "a hypervisor"));
	fprintf(out, "\nKVM:  %s", text_or(host, "kvm_module", "unknown module"));
	if (json_is_true(json_object_get(host, "emulated")))
		fputs("; guest instructions are emulated", out);
	fputc('\n', out);
}

int terminal_print(FILE *out, const struct scenario *scenario, const struct matrix *m,
		   const json_t *document, const struct summary *summary)
{
	struct view v = {.scenario = scenario, .m = m, .summary = summary};
	struct table t = {0};
	int ret;

	for (size_t i = 0; i < m->dimensions; i++)
		v.shown[i] = m->dimension[i].values > 1;
	for (const struct scenario_dimension *d = scenario->dimension; d->key; d++) {
		size_t at = matrix_find(m, d->key);

		if (at < m->dimensions)
			v.shown[at] |= d->is_shown;
	}
	ret = table_fill(&t, &v);
	if (ret == 0) {
		print_title(out, &v);
		table_print(&t, out);
		fputc('\n', out);
		print_outcome(out, &v);
		print_host(out, json_object_get(document, "host"));
	}
	table_fini(&t);
	return ret;
}
