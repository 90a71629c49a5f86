/* SPDX-License-Identifier: MIT */
/* The table of a measurement. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell_runs.h"
#include "bench/cell_view.h"
#include "bench/plot.h"
#include "bench/table.h"
#include "bench/terminal_view.h"
#include "vmm/metrics.h"

#define UNIT_TEXT_SIZE 32
#define CELL_TEXT_MAX  PLOT_TEXT_SIZE(PLOT_PARTS_MAX)
#define BAR_CELLS      10
#define SPREAD_CELLS   12

/* What a plot column's marks are held against: the same in all rows. */
struct scale {
	double low;
	double high;
};

struct rows {
	const struct terminal_view *v;
	struct scale scale[SCENARIO_COLUMNS];
	char unit[SCENARIO_COLUMNS][UNIT_TEXT_SIZE]; /* the table refers to them */
};

static bool is_plot(enum column_kind kind)
{
	return kind == COLUMN_BAR || kind == COLUMN_RUNS || kind == COLUMN_VPS;
}

/* Plots are for people. */
static bool is_shown(const struct terminal_view *v, size_t column)
{
	return v->style.is_terminal || !is_plot(v->scenario->column[column].kind);
}

/* What a plot of the cell shows: a median, a value of each run, or of each VP of each run. */
static int plot_values(const struct terminal_view *v, const struct cell *cell,
		       const struct scenario_column *c, struct cell_values *values)
{
	switch (c->kind) {
	case COLUMN_RUNS:
		return cell_run_values(values, v->runs, v->m, cell, c->metric);
	case COLUMN_VPS:
		return cell_vp_values(values, v->runs, v->m, cell, c->metric);
	default:
		return cell_values_one(values, cell_stats(v->m, v->summary, cell, c->metric));
	}
}

static int scale_extend(struct scale *scale, const struct terminal_view *v, const struct cell *cell,
			const struct scenario_column *c)
{
	struct cell_values values;
	int ret = plot_values(v, cell, c, &values);

	for (size_t i = 0; i < values.count; i++) {
		scale->low = fmin(scale->low, values.value[i]);
		scale->high = fmax(scale->high, values.value[i]);
	}
	cell_values_fini(&values);
	return ret;
}

/* Bars begin at 0. */
static int column_scale(struct scale *scale, const struct terminal_view *v,
			const struct scenario_column *c)
{
	size_t cells = matrix_cells(v->m);
	int ret = 0;

	*scale = (struct scale){c->kind == COLUMN_BAR ? 0 : HUGE_VAL, -HUGE_VAL};
	for (size_t i = 0; ret == 0 && i < cells; i++) {
		struct cell cell;

		matrix_cell(v->m, i, &cell);
		ret = scale_extend(scale, v, &cell, c);
	}
	return ret;
}

static int plot_text(const struct rows *r, const struct cell *cell, size_t column,
		     char text[CELL_TEXT_MAX])
{
	const struct scenario_column *c = &r->v->scenario->column[column];
	const struct scale *scale = &r->scale[column];
	bool has_utf8 = r->v->style.has_utf8;
	struct cell_values values;
	int ret = plot_values(r->v, cell, c, &values);

	text[0] = '\0';
	if (ret || values.count == 0)
		return ret;
	if (c->kind == COLUMN_BAR)
		plot_bar(text, BAR_CELLS, values.value[0] / scale->high, has_utf8);
	else if (c->kind == COLUMN_VPS)
		plot_spread(text, SPREAD_CELLS, values.value, values.count, scale->low, scale->high,
			    has_utf8);
	else
		plot_line(text, values.value,
			  values.count < PLOT_PARTS_MAX ? values.count : PLOT_PARTS_MAX, scale->low,
			  scale->high, has_utf8);
	cell_values_fini(&values);
	return 0;
}

static void ratio_text(const struct terminal_view *v, const struct cell *cell,
		       const struct scenario_column *c, double median, char text[])
{
	const struct stats *base =
		cell_sibling_stats(v->m, v->summary, cell, c->metric, c->key, c->base);

	if (base && median > 0)
		table_number(text, base->median / median);
}

static void number_text(const struct terminal_view *v, const struct cell *cell,
			const struct scenario_column *c, char text[CELL_TEXT_MAX])
{
	const struct stats *s = cell_stats(v->m, v->summary, cell, c->metric);
	char low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];

	strcpy(text, "-");
	if (!s)
		return;
	switch (c->kind) {
	case COLUMN_COUNT:
		snprintf(text, CELL_TEXT_MAX, "%zu", s->n);
		break;
	case COLUMN_SPREAD:
		snprintf(text, CELL_TEXT_MAX, "%s-%s", terminal_number(low, c->metric, s->p5),
			 terminal_number(high, c->metric, s->p95));
		break;
	case COLUMN_MIN:
		terminal_number(text, c->metric, s->min);
		break;
	case COLUMN_MAX:
		terminal_number(text, c->metric, s->max);
		break;
	case COLUMN_RATIO:
		ratio_text(v, cell, c, s->median, text);
		break;
	case COLUMN_PER:
		terminal_number(text, c->metric,
				s->median / strtod(matrix_cell_value(v->m, cell, c->key), NULL));
		break;
	default:
		terminal_number(text, c->metric, s->median);
		break;
	}
}

/* The unit of a column, into text where it has to be made. */
static const char *column_unit(const struct scenario_column *c, char text[UNIT_TEXT_SIZE])
{
	if (c->kind == COLUMN_COUNT)
		return "";
	if (c->kind == COLUMN_RATIO)
		return "times";
	if (c->kind != COLUMN_PER)
		return terminal_unit(c->metric);
	snprintf(text, UNIT_TEXT_SIZE, "%s/%s", terminal_unit(c->metric), terminal_unit_of(c->key));
	return text;
}

static int add_columns(struct table *t, struct rows *r)
{
	const struct terminal_view *v = r->v;
	int ret = 0;

	for (size_t i = 0; i < v->m->dimensions; i++) {
		const struct dimension_kind *kind = v->m->dimension[i].kind;

		if (v->shown[i])
			table_add_column(t, kind->key, "", !kind->is_number);
	}
	for (size_t i = 0; ret == 0 && i < v->scenario->columns; i++) {
		const struct scenario_column *c = &v->scenario->column[i];

		if (!is_plot(c->kind)) {
			table_add_column(t, c->head, column_unit(c, r->unit[i]), false);
		} else if (is_shown(v, i)) {
			table_add_plot(t, c->head);
			ret = column_scale(&r->scale[i], v, c);
		}
	}
	return ret;
}

static int add_row(struct table *t, const struct rows *r, const struct cell *cell)
{
	const struct terminal_view *v = r->v;
	char text[CELL_TEXT_MAX];
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < v->m->dimensions; i++) {
		if (v->shown[i])
			ret = table_add_cell(t, cell->value[i]);
	}
	for (size_t i = 0; ret == 0 && i < v->scenario->columns; i++) {
		const struct scenario_column *c = &v->scenario->column[i];

		if (!is_shown(v, i))
			continue;
		if (is_plot(c->kind))
			ret = plot_text(r, cell, i, text);
		else
			number_text(v, cell, c, text);
		if (ret == 0)
			ret = table_add_cell(t, text);
	}
	return ret;
}

int terminal_table(FILE *out, const struct terminal_view *v)
{
	struct table t = {.width = v->style.width};
	struct rows r = {.v = v};
	size_t cells = matrix_cells(v->m);
	int ret = add_columns(&t, &r);

	for (size_t i = 0; ret == 0 && i < cells; i++) {
		struct cell cell;

		matrix_cell(v->m, i, &cell);
		if (cell_stats(v->m, v->summary, &cell, v->scenario->column[0].metric))
			ret = add_row(&t, &r, &cell);
	}
	if (ret == 0)
		table_print(&t, out);
	table_fini(&t);
	return ret;
}
