/* SPDX-License-Identifier: MIT */
/* The cells of a measurement: every combination of the values of its dimensions. */
#ifndef VPUP_BENCH_MATRIX_H
#define VPUP_BENCH_MATRIX_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"

#define MATRIX_DIMENSIONS 16
#define MATRIX_CELLS_MAX  10000

/* What can be varied, under the name that it has in result files. */
struct dimension_kind {
	const char *key;
	const char *option;       /* of `vpup run`; NULL: "key=value" on the guest's command line */
	const char *const *words; /* what it may be, NULL-terminated; NULL: a number */
	uint64_t min;
	uint64_t max;
	bool is_number; /* in "params", also where only some numbers are possible */
};

struct dimension {
	const struct dimension_kind *kind;
	char **value; /* [values], owned */
	size_t values;
};

/* The last dimension varies fastest. Zero is an empty matrix, which has one cell. */
struct matrix {
	struct dimension dimension[MATRIX_DIMENSIONS];
	size_t dimensions;
};

/* One value for each dimension; they belong to the matrix. */
struct cell {
	const char *value[MATRIX_DIMENSIONS];
};

/*
 * Sets the values of dimension `key` from a list: "1,2,4-8" for numbers, "fine,preset" for words. A
 * new dimension becomes the last one.
 * Returns 0; -EINVAL with e saying what is wrong and what is possible; -ENOMEM.
 */
int matrix_set(struct matrix *m, const char *key, const char *list, struct err *e);
void matrix_fini(struct matrix *m);

/* Number of cells; SIZE_MAX when there are too many to count. */
size_t matrix_cells(const struct matrix *m);

/* Cell number `index`, below matrix_cells(). */
void matrix_cell(const struct matrix *m, size_t index, struct cell *c);

/* Position of the dimension with this key, or m->dimensions. */
size_t matrix_find(const struct matrix *m, const char *key);

/* The cell as "params" of a result, as far as it says: a new reference, or NULL without memory. */
json_t *matrix_cell_params(const struct matrix *m, const struct cell *c);

/*
 * The cell in words, "cpus=16 lpj=fine": all its dimensions, or only those with several values.
 * Cut where it does not fit. Returns text.
 */
#define CELL_TEXT_SIZE 160
const char *matrix_cell_text(const struct matrix *m, const struct cell *c, bool only_varied,
			     char text[CELL_TEXT_SIZE]);

/* argv of the child that runs a cell. Its strings stand here and in the matrix. */
struct cell_command {
	char *argv[2 * MATRIX_DIMENSIONS + 16];
	char append[512];
	char timeout[32];
};

/* `vpup run` for the cell: no console, its result on stdout. c must be a cell of m. */
void matrix_cell_command(const struct matrix *m, const struct cell *c, double timeout_s,
			 struct cell_command *command);

#endif
