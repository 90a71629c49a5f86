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
	t->column[t->columns++] = (struct table_column){head, unit, is_text, false};
}

void table_add_plot(struct table *t, const char *head)
{
	table_add_column(t, head, "", true);
	t->column[t->columns - 1].is_plot = true;
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

/* Columns on a terminal, of text without wide or combining characters. */
static size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

/* How wide each column is; 0: it is left out. */
struct widths {
	size_t of[TABLE_COLUMNS];
	size_t last; /* the last column that is there */
};

static void width_raise(size_t *width, const char *text)
{
	size_t len = text_width(text);

	if (len > *width)
		*width = len;
}

static size_t widths_total(const struct widths *w, size_t columns)
{
	size_t total = 0;

	for (size_t c = 0; c < columns; c++)
		total += w->of[c] ? w->of[c] + (total ? GAP : 0) : 0;
	return total;
}

static void widths_drop_plots(struct widths *w, const struct table *t)
{
	size_t width = t->width ? t->width : TABLE_WIDTH;

	for (size_t c = t->columns; c-- > 0 && widths_total(w, t->columns) > width;) {
		if (t->column[c].is_plot)
			w->of[c] = 0;
	}
}

static void widths_cut(struct widths *w, const struct table *t)
{
	for (size_t total = widths_total(w, t->columns); total > TABLE_WIDTH; total--) {
		size_t widest = 0;

		for (size_t c = 1; c < t->columns; c++) {
			if (w->of[c] > w->of[widest])
				widest = c;
		}
		w->of[widest]--;
	}
}

static void table_widths(const struct table *t, struct widths *w)
{
	*w = (struct widths){.last = 0};
	for (size_t c = 0; c < t->columns; c++) {
		w->of[c] = 1;
		width_raise(&w->of[c], t->column[c].head);
		width_raise(&w->of[c], t->column[c].unit);
	}
	for (size_t i = 0; i < t->cells; i++)
		width_raise(&w->of[i % t->columns], t->cell[i]);
	widths_drop_plots(w, t);
	widths_cut(w, t);
	for (size_t c = 0; c < t->columns; c++)
		w->last = w->of[c] ? c : w->last;
}

static void print_cell(FILE *out, const char *text, size_t width, bool is_left, bool is_last)
{
	size_t len = text_width(text);
	int pad = len < width ? (int)(width - len) : 0;

	if (len > width) { /* a plot never is */
		fprintf(out, "%.*s~", (int)width - 1, text);
	} else if (is_left) {
		fputs(text, out);
		if (!is_last) /* no blanks at the end of a line */
			fprintf(out, "%*s", pad, "");
	} else {
		fprintf(out, "%*s%s", pad, "", text);
	}
	fprintf(out, "%*s", is_last ? 0 : GAP, "");
}

static void print_row(const struct table *t, FILE *out, const struct widths *w,
		      const char *const text[TABLE_COLUMNS])
{
	for (size_t c = 0; c < t->columns; c++) {
		if (w->of[c])
			print_cell(out, text[c], w->of[c], t->column[c].is_text, c == w->last);
	}
	fputc('\n', out);
}

void table_print(const struct table *t, FILE *out)
{
	struct widths w;
	const char *text[TABLE_COLUMNS];

	if (t->columns == 0)
		return;
	table_widths(t, &w);
	for (size_t c = 0; c < t->columns; c++)
		text[c] = t->column[c].head;
	print_row(t, out, &w, text);
	for (size_t c = 0; c < t->columns; c++)
		text[c] = t->column[c].unit;
	print_row(t, out, &w, text);
	for (size_t row = 0; row < t->cells / t->columns; row++) {
		for (size_t c = 0; c < t->columns; c++)
			text[c] = t->cell[row * t->columns + c];
		print_row(t, out, &w, text);
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
