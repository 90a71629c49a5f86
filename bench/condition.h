/* SPDX-License-Identifier: MIT */
/* Conditions on the cells of a measurement: "nodes > cpus", "lpj = known and invtsc = off". */
#ifndef VPUP_BENCH_CONDITION_H
#define VPUP_BENCH_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

#include "vmm/err.h"

#define CONDITION_TERMS 4

enum condition_op { OP_EQUAL, OP_UNEQUAL, OP_LESS, OP_LESS_EQUAL, OP_MORE, OP_MORE_EQUAL };

struct condition_term {
	const char *left;
	const char *right;
	enum condition_op op;
};

/* Without terms it holds always. */
struct condition {
	struct condition_term term[CONDITION_TERMS];
	size_t terms;
};

/* What a name stands for, or NULL if it is no name. */
typedef const char *(*condition_lookup)(void *ctx, const char *name);

/*
 * Reads terms with "and" between them. The text is cut up and must live on. Returns 0, or -EINVAL
 * with e saying what is wrong.
 */
int condition_parse(struct condition *c, char *text, struct err *e);

/*
 * The left side of a term must be a name, else the term is false; what is no name on the right side
 * is a value. Values are compared as numbers if both are, else as text, of which none is less.
 */
bool condition_holds(const struct condition *c, condition_lookup lookup, void *ctx);

/* The condition in words. Cut where it does not fit. Returns text. */
#define CONDITION_TEXT_SIZE 128
const char *condition_text(const struct condition *c, char text[CONDITION_TEXT_SIZE]);

#endif
