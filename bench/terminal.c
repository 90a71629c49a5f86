/* SPDX-License-Identifier: MIT */
/* Table, outcome and host of a measurement. */
#include "bench/terminal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell_view.h"
#include "bench/table.h"
#include "bench/terminal_claims.h"
#include "vmm/metrics.h"

#define UNIT_TEXT_SIZE 32

struct view {
	const struct scenario *scenario;
	const struct matrix *m;
	const struct summary *summary;
	bool shown[MATRIX_DIMENSIONS]; /* this dimension has a column */
};

static void ratio_text(const struct view *v, const struct cell *cell,
		       const struct scenario_column *column, double median,
		       char text[3 * NUMBER_TEXT_SIZE])
{
	const struct stats *base = cell_sibling_stats(v->m, v->summary, cell, column->metric,
						      column->key, column->base);

	if (base && median > 0)
		table_number(text, base->median / median);
}

static void column_text(const struct view *v, const struct cell *cell,
			const struct scenario_column *column, char text[3 * NUMBER_TEXT_SIZE])
{
	const struct stats *s = cell_stats(v->m, v->summary, cell, column->metric);
	char number[NUMBER_TEXT_SIZE], other[NUMBER_TEXT_SIZE];

	strcpy(text, "-");
	if (!s)
		return;
	switch (column->kind) {
	case COLUMN_COUNT:
		snprintf(text, NUMBER_TEXT_SIZE, "%zu", s->n);
		break;
	case COLUMN_MEDIAN:
		table_number(text, s->median);
		break;
	case COLUMN_SPREAD:
		snprintf(text, 3 * NUMBER_TEXT_SIZE, "%s-%s", table_number(number, s->p5),
			 table_number(other, s->p95));
		break;
	case COLUMN_MIN:
		table_number(text, s->min);
		break;
	case COLUMN_MAX:
		table_number(text, s->max);
		break;
	case COLUMN_RATIO:
		ratio_text(v, cell, column, s->median, text);
		break;
	case COLUMN_PER:
		table_number(text,
			     s->median / strtod(matrix_cell_value(v->m, cell, column->key), NULL));
		break;
	}
}

/* The unit of a column, into text where it has to be made. */
static const char *column_unit(const struct scenario_column *column, char text[UNIT_TEXT_SIZE])
{
	if (column->kind == COLUMN_COUNT)
		return "";
	if (column->kind == COLUMN_RATIO)
		return "times";
	if (column->kind != COLUMN_PER)
		return metric_unit(column->metric);
	snprintf(text, UNIT_TEXT_SIZE, "%s/%s", metric_unit(column->metric),
		 terminal_unit_of(column->key));
	return text;
}

static int table_add_row(struct table *t, const struct view *v, const struct cell *cell)
{
	char text[3 * NUMBER_TEXT_SIZE];
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < v->m->dimensions; i++) {
		if (v->shown[i])
			ret = table_add_cell(t, cell->value[i]);
	}
	for (size_t i = 0; ret == 0 && i < v->scenario->columns; i++) {
		column_text(v, cell, &v->scenario->column[i], text);
		ret = table_add_cell(t, text);
	}
	return ret;
}

/* unit holds what the table refers to. */
static int table_fill(struct table *t, const struct view *v,
		      char unit[SCENARIO_COLUMNS][UNIT_TEXT_SIZE])
{
	size_t cells = matrix_cells(v->m);
	int ret = 0;

	for (size_t i = 0; i < v->m->dimensions; i++) {
		const struct dimension_kind *kind = v->m->dimension[i].kind;

		if (v->shown[i])
			table_add_column(t, kind->key, "", !kind->is_number);
	}
	for (size_t i = 0; i < v->scenario->columns; i++) {
		const struct scenario_column *c = &v->scenario->column[i];

		table_add_column(t, c->head, column_unit(c, unit[i]), false);
	}
	for (size_t i = 0; ret == 0 && i < cells; i++) {
		struct cell cell;

		matrix_cell(v->m, i, &cell);
		if (cell_stats(v->m, v->summary, &cell, v->scenario->column[0].metric))
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

static void print_skipped(FILE *out, const struct scenario *scenario, const struct plan *plan)
{
	for (size_t i = 0; i < scenario->skips; i++) {
		char text[CONDITION_TEXT_SIZE];

		if (plan->skipped[i])
			fprintf(out, "Skipped: %zu cells, as %s\n", plan->skipped[i],
				condition_text(&scenario->skip[i], text));
	}
}

/* A guest that slept because it was told to. */
static void print_modelled(FILE *out, const json_t *document)
{
	const json_t *run;
	size_t i;

	json_array_foreach(json_object_get(document, "runs"), i, run)
	{
		if (!json_is_true(json_object_get(run, "modelled")))
			continue;
		fputs("Modelled: stand-in costs, which the guest sleeps for, are in these times.\n",
		      out);
		return;
	}
}

int terminal_print(FILE *out, const struct scenario *scenario, const struct plan *plan,
		   const json_t *document, const struct summary *summary)
{
	const struct matrix *m = &plan->matrix;
	struct view v = {.scenario = scenario, .m = m, .summary = summary};
	char unit[SCENARIO_COLUMNS][UNIT_TEXT_SIZE];
	struct table t = {0};
	int ret;

	for (size_t i = 0; i < m->dimensions; i++)
		v.shown[i] = m->dimension[i].values > 1;
	for (size_t i = 0; i < scenario->dimensions; i++) {
		size_t at = matrix_find(m, scenario->dimension[i].key);

		if (at < m->dimensions)
			v.shown[at] |= scenario->dimension[i].is_shown;
	}
	ret = table_fill(&t, &v, unit);
	if (ret == 0) {
		print_title(out, &v);
		table_print(&t, out);
		fputc('\n', out);
		terminal_claims(out, scenario, m, summary);
		print_modelled(out, document);
		print_skipped(out, scenario, plan);
		print_host(out, json_object_get(document, "host"));
	}
	table_fini(&t);
	return ret;
}
