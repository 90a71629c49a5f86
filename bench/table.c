/* SPDX-License-Identifier: MIT */
/* A table for a terminal. */
#include "bench/table.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2 /* blanks between columns */

void table_add_column(struct table *t, const char *head, const char *unit, bool is_text)
{
	assert(t->columns < TABLE_COLUMNS && t->cells == 0);
	t->column[t->columns++] = (struct table_column){head, unit, is_text};
}

int table_add_cell(struct table *t, const char *text)
{
	char **grown = reallocarray(t->cell, t->cells + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	t->cell = grown;
	grown[t->cells] = strdup(text);
	if (!grown[t->cells])
		return -ENOMEM;
	t->cells++;
	return 0;
}

void table_fini(struct table *t)
{
	for (size_t i = 0; i < t->cells; i++)
		free(t->cell[i]);
	free(t->cell);
	*t = (struct table){0};
}

static void width_raise(size_t *width, const char *text)
{
	size_t len = strlen(text);

	if (len > *width)
		*width = len;
}

static void table_widths(const struct table *t, size_t width[TABLE_COLUMNS])
{
	size_t total = 0;

	for (size_t c = 0; c < t->columns; c++) {
		width[c] = 1;
		width_raise(&width[c], t->column[c].head);
		width_raise(&width[c], t->column[c].unit);
	}
	for (size_t i = 0; i < t->cells; i++)
		width_raise(&width[i % t->columns], t->cell[i]);
	for (size_t c = 0; c < t->columns; c++)
		total += width[c] + (c ? GAP : 0);
	for (; total > TABLE_WIDTH; total--) {
		size_t widest = 0;

		for (size_t c = 1; c < t->columns; c++) {
			if (width[c] > width[widest])
				widest = c;
		}
		width[widest]--;
	}
}

static void print_cell(FILE *out, const char *text, size_t width, bool is_text, bool is_last)
{
	int len = (int)strlen(text), w = (int)width;

	if (len > w)
		fprintf(out, "%.*s~", w - 1, text);
	else if (is_text && is_last)
		fputs(text, out); /* no blanks at the end of a line */
	else
		fprintf(out, "%*s", is_text ? -w : w, text);
	fprintf(out, "%*s", is_last ? 0 : GAP, "");
}

static void print_row(const struct table *t, FILE *out, const size_t *width,
		      const char *const text[TABLE_COLUMNS])
{
	for (size_t c = 0; c < t->columns; c++)
		print_cell(out, text[c], width[c], t->column[c].is_text, c + 1 == t->columns);
	fputc('\n', out);
}

void table_print(const struct table *t, FILE *out)
{
	size_t width[TABLE_COLUMNS] = {0};
	const char *text[TABLE_COLUMNS];

	if (t->columns == 0)
		return;
	table_widths(t, width);
	for (size_t c = 0; c < t->columns; c++)
		text[c] = t->column[c].head;
	print_row(t, out, width, text);
	for (size_t c = 0; c < t->columns; c++)
		text[c] = t->column[c].unit;
	print_row(t, out, width, text);
	for (size_t row = 0; row < t->cells / t->columns; row++) {
		for (size_t c = 0; c < t->columns; c++)
			text[c] = t->cell[row * t->columns + c];
		print_row(t, out, width, text);
	}
}

const char *table_number(char text[NUMBER_TEXT_SIZE], double value)
{
	int decimals = 0;

	for (double below = 100; decimals < 3 && fabs(value) < below; below /= 10)
		decimals++;
	if (fabs(value) < 1e15)
		snprintf(text, NUMBER_TEXT_SIZE, "%.*f", value == 0 ? 0 : decimals, value);
	else
		snprintf(text, NUMBER_TEXT_SIZE, "%.3g", value);
	return text;
}
