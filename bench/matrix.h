/* SPDX-License-Identifier: MIT */
/* The cells of a measurement: every combination of the values of its dimensions. */
#ifndef VPUP_BENCH_MATRIX_H
#define VPUP_BENCH_MATRIX_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/dimension.h"
#include "vmm/err.h"

#define MATRIX_DIMENSIONS 28
#define MATRIX_QEMU       "qemu" /* of `impl`: no path, but QEMU, which `vpup peer` runs */

/*
 * The last dimension varies fastest. Dimensions of one group go together, value by value: the first
 * of them says where the group stands. Zero is an empty matrix, which has one cell.
 */
struct matrix {
	struct dimension dimension[MATRIX_DIMENSIONS];
	unsigned group[MATRIX_DIMENSIONS]; /* 0: on its own */
	size_t dimensions;
	unsigned groups;
};

/* One value for each dimension; they belong to the matrix. */
struct cell {
	const char *value[MATRIX_DIMENSIONS];
};

/*
 * Sets the values of dimension `key` from a list, see dimension_parse(). A new dimension becomes
 * the last one. Returns 0; -EINVAL with e saying what is wrong and what is possible; -ENOMEM.
 */
int matrix_set(struct matrix *m, const char *key, const char *list, struct err *e);

/*
 * Lets the dimensions with these keys, blanks between them, go together. Each must be there, and in
 * no other group. Returns 0 or -EINVAL with e set.
 */
int matrix_zip(struct matrix *m, const char *keys, struct err *e);

/*
 * Whether it can be run: in a group, all dimensions with more than one value have as many; no cell
 * is there twice; and the topology has a number of VPs. Returns 0 or -EINVAL with e set.
 */
int matrix_check(const struct matrix *m, struct err *e);
void matrix_fini(struct matrix *m);

/* Number of cells of a checked matrix; SIZE_MAX when there are too many to count. */
size_t matrix_cells(const struct matrix *m);

/* Cell number `index`, below matrix_cells(). */
void matrix_cell(const struct matrix *m, size_t index, struct cell *c);

/* Position of the dimension with this key, or m->dimensions. */
size_t matrix_find(const struct matrix *m, const char *key);

/* Whether the dimension with this key is there, and has this value. */
bool matrix_has_value(const struct matrix *m, const char *key, const char *value);

/* The cell's value of dimension `key`, or NULL. */
const char *matrix_cell_value(const struct matrix *m, const struct cell *c, const char *key);

/* A value as it stands in "params": a new reference, or NULL without memory. */
json_t *matrix_param(const struct dimension_kind *kind, const char *value);

/* The cell as "params" of a result, as far as it says: a new reference, or NULL without memory. */
json_t *matrix_cell_params(const struct matrix *m, const struct cell *c);

/*
 * The cell in words, "cpus=16 lpj=fine": all its dimensions, or only those with several values.
 * Cut where it does not fit. Returns text.
 */
#define CELL_TEXT_SIZE 160
const char *matrix_cell_text(const struct matrix *m, const struct cell *c, bool only_varied,
			     char text[CELL_TEXT_SIZE]);

/* Enough for all dimensions, two of which are cut into words of one letter. */
#define COMMAND_ARGS_MAX (2 * (MATRIX_DIMENSIONS + DIMENSION_VALUE_SIZE_MAX) + 16)

/* argv of the child that runs a cell. Its strings stand here and in the matrix. */
struct cell_command {
	char *argv[COMMAND_ARGS_MAX];
	size_t args;
	char words[MATRIX_DIMENSIONS][DIMENSION_VALUE_SIZE_MAX]; /* of values that are cut up */
	char append[MATRIX_DIMENSIONS * (DIMENSION_VALUE_SIZE_MAX + 16)];
	char cpus[96];
	char timeout[32];
};

/* `vpup run`, or `vpup peer`, for the cell: no console, its result on stdout. c must be a cell of m. */
void matrix_cell_command(const struct matrix *m, const struct cell *c, double timeout_s,
			 struct cell_command *command);

#endif
