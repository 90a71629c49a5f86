/* SPDX-License-Identifier: MIT */
/* A table for a terminal: two head lines (name and unit), aligned columns, at most 100 wide. */
#ifndef VPUP_BENCH_TABLE_H
#define VPUP_BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TABLE_WIDTH   100
#define TABLE_COLUMNS 16

struct table_column {
	const char *head;
	const char *unit; /* "" if none */
	bool is_text;     /* to the left; numbers stand to the right */
	bool is_plot;     /* likewise to the left, and given up where the table is too wide */
};

struct table {
	struct table_column column[TABLE_COLUMNS];
	size_t columns;
	size_t width; /* of the terminal; 0: TABLE_WIDTH. Where it is less only plots give way */
	char **cell;  /* row by row, owned */
	size_t cells;
};

/* Adds a column; only before the first cell, and at most TABLE_COLUMNS. Strings must live on. */
void table_add_column(struct table *t, const char *head, const char *unit, bool is_text);

/* Adds a column of plots, likewise. */
void table_add_plot(struct table *t, const char *head);

/* Adds the next cell, filling rows from the left. The text is copied. Returns 0 or -ENOMEM. */
int table_add_cell(struct table *t, const char *text);

/*
 * Prints the head and the whole rows. Where the table is too wide plots are left out, from the right;
 * where it is then wider than TABLE_WIDTH its widest column is cut until it fits, with '~' at the
 * end of what was cut. Plots are UTF-8, all else ASCII.
 */
void table_print(const struct table *t, FILE *out);
void table_fini(struct table *t);

/* A number to three digits: 1180, 16.1, 0.452; below 1e15 never in exponents. Returns text. */
#define NUMBER_TEXT_SIZE 32
const char *table_number(char text[NUMBER_TEXT_SIZE], double value);

#endif
