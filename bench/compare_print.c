/* SPDX-License-Identifier: MIT */
/* The table of a comparison, and the sentences below it. */
#include "bench/compare_print.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "bench/pairing.h"
#include "bench/table.h"

#define PARAM_COLUMNS 6 /* at most; params that do not vary have none */

struct view {
	const struct comparison *c;
	const char *key[PARAM_COLUMNS]; /* of the params that have a column */
	size_t keys;
};

static bool param_varies(const struct comparison *c, const char *key)
{
	const json_t *first = json_object_get(c->row[0].params, key);

	for (size_t i = 1; i < c->rows; i++) {
		const json_t *value = json_object_get(c->row[i].params, key);

		if (value != first && !(value && first && json_equal(value, first)))
			return true;
	}
	return false;
}

static void view_init(struct view *v, const struct comparison *c)
{
	const char *key;
	json_t *value;

	*v = (struct view){.c = c};
	json_object_foreach((json_t *)c->row[0].params, key, value)
	{
		if (v->keys < PARAM_COLUMNS && param_varies(c, key))
			v->key[v->keys++] = key;
	}
}

/* --- cells ------------------------------------------------------------------------------------- */

/* In percent of base's median, or in the metric's own unit where that is 0. */
static void change_text(const struct compare_row *row, double change, char text[NUMBER_TEXT_SIZE])
{
	double base = fabs(row->median[0]);

	if (base == 0)
		snprintf(text, NUMBER_TEXT_SIZE, "%+.3g", change);
	else
		snprintf(text, NUMBER_TEXT_SIZE, "%+.1f%%", change / base * 100);
}

static void interval_text(const struct compare_row *row, char text[PARAMS_TEXT_SIZE])
{
	char from[NUMBER_TEXT_SIZE], to[NUMBER_TEXT_SIZE];

	strcpy(text, row->is_count ? "exact" : "-");
	if (row->is_count || isinf(row->interval[0]))
		return;
	change_text(row, row->interval[0], from);
	change_text(row, row->interval[1], to);
	snprintf(text, PARAMS_TEXT_SIZE, "%s..%s", from, to);
}

static void runs_text(const struct compare_row *row, char text[PARAMS_TEXT_SIZE])
{
	if (row->n[0] == row->n[1])
		snprintf(text, PARAMS_TEXT_SIZE, "%zu", row->n[0]);
	else
		snprintf(text, PARAMS_TEXT_SIZE, "%zu/%zu", row->n[0], row->n[1]);
}

/* Three digits, also of small numbers: 2650, 16.3, 0.0584. */
static void median_text(double median, char text[NUMBER_TEXT_SIZE])
{
	snprintf(text, NUMBER_TEXT_SIZE, fabs(median) < 1000 ? "%.3g" : "%.0f", median);
}

static void verdict_text(const struct compare_row *row, char text[PARAMS_TEXT_SIZE])
{
	strcpy(text, verdict_name(row->verdict));
	if (row->runs_needed)
		snprintf(text, PARAMS_TEXT_SIZE, "%s, %s%zu", verdict_name(row->verdict),
			 row->is_too_few ? ">=" : "~", row->runs_needed);
}

static void p_text(const struct compare_row *row, char text[PARAMS_TEXT_SIZE])
{
	if (row->is_count)
		strcpy(text, "-");
	else if (row->p_adjusted < 0.0001)
		strcpy(text, "<0.0001");
	else
		snprintf(text, PARAMS_TEXT_SIZE, "%.2g", row->p_adjusted);
}

static int table_add_row(struct table *t, const struct view *v, const struct compare_row *row)
{
	char text[PARAMS_TEXT_SIZE], number[NUMBER_TEXT_SIZE];
	int ret = 0;

	for (size_t i = 0; i < v->keys; i++) {
		const json_t *value = json_object_get(row->params, v->key[i]);

		ret |= table_add_cell(t, pairing_value_text(value, text));
	}
	snprintf(text, sizeof(text), "%s", row->metric);
	ret |= table_add_cell(t, text);
	runs_text(row, text);
	ret |= table_add_cell(t, text);
	for (int i = 0; i < 2; i++) {
		median_text(row->median[i], number);
		ret |= table_add_cell(t, number);
	}
	change_text(row, row->shift, number);
	ret |= table_add_cell(t, number);
	interval_text(row, text);
	ret |= table_add_cell(t, text);
	p_text(row, text);
	ret |= table_add_cell(t, text);
	verdict_text(row, text);
	ret |= table_add_cell(t, text);
	return ret ? -ENOMEM : 0;
}

static bool is_change(const struct compare_row *row)
{
	return row->verdict == VERDICT_WORSE || row->verdict == VERDICT_BETTER;
}

static int print_table(FILE *out, const struct comparison *c, bool only_changes)
{
	struct table t = {0};
	struct view v;
	int ret = 0;

	view_init(&v, c);
	for (size_t i = 0; i < v.keys; i++)
		table_add_column(&t, v.key[i], "", true);
	table_add_column(&t, "metric", "", true);
	table_add_column(&t, "runs", "each", false);
	table_add_column(&t, "base", "median", false);
	table_add_column(&t, "new", "median", false);
	table_add_column(&t, "shift", "of base", false);
	table_add_column(&t, "95% interval", "", false);
	table_add_column(&t, "p", "adjusted", false);
	table_add_column(&t, "verdict", "runs to tell", true);
	for (size_t i = 0; ret == 0 && i < c->rows; i++) {
		if (!only_changes || is_change(&c->row[i]))
			ret = table_add_row(&t, &v, &c->row[i]);
	}
	if (ret == 0 && t.cells) {
		table_print(&t, out);
		fputc('\n', out);
	}
	table_fini(&t);
	return ret;
}

/* --- sentences --------------------------------------------------------------------------------- */

static void print_unclear(FILE *out, const struct comparison *c)
{
	size_t few = 0, wide = 0, drifted = 0, needed = 0;

	for (size_t i = 0; i < c->rows; i++) {
		const struct compare_row *row = &c->row[i];

		if (row->verdict != VERDICT_UNCLEAR)
			continue;
		few += row->is_too_few;
		wide += !row->is_too_few;
		drifted += row->drift > 0;
		needed = row->is_too_few && row->runs_needed > needed ? row->runs_needed : needed;
	}
	if (few)
		fprintf(out,
			"inconclusive: %zu of them have too few runs to show any difference; it "
			"takes at least %zu\n",
			few, needed);
	if (wide)
		fprintf(out, "%zu unclear: the interval reaches beyond %g%%\n", wide,
			c->options.min_effect * 100);
	if (drifted && !c->options.is_interleaved)
		fprintf(out,
			"%zu moved while one side was measured: measure again, or interleaved "
			"(vpup bench --against)\n",
			drifted);
}

int compare_print(FILE *out, const struct comparison *c, bool only_changes)
{
	const json_t *note;
	size_t i;

	if (print_table(out, c, only_changes))
		return -ENOMEM;
	for (int v = 0; v < VERDICT_COUNT; v++)
		fprintf(out, "%s%zu %s", v ? ", " : "", c->count[v], verdict_name((enum verdict)v));
	fprintf(out, " (false alarms at most %g%%, over %zu tests; effects from %g%%)\n",
		c->options.alpha * 100, c->tests, c->options.min_effect * 100);
	print_unclear(out, c);
	json_array_foreach(c->notes, i, note) fprintf(out, "note: %s\n", json_string_value(note));
	return 0;
}
