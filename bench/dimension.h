/* SPDX-License-Identifier: MIT */
/* One dimension of a measurement: what can be varied, and lists of its values. */
#ifndef VPUP_BENCH_DIMENSION_H
#define VPUP_BENCH_DIMENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"

#define DIMENSION_VALUES_MAX     10000
#define DIMENSION_VALUE_SIZE_MAX 256 /* of one value, with its NUL */

/* Where a value goes in the command of a run. */
enum dimension_goes {
	TO_OPTION,  /* an option of `vpup run` */
	TO_OPTIONS, /* an option for each word of the value */
	TO_CPUS,    /* "key=value" behind the number in --cpus */
	TO_GUEST,   /* "key=value" on the guest's command line */
	TO_BOTH,    /* on the bundled guest's command line; for any other guest an option */
	TO_APPEND,  /* as it is on the guest's command line */
	TO_EXE,     /* the program that runs the cell, or which VMM `vpup peer` measures */
	TO_PEER,    /* what `vpup peer` waits for; then it is that instead of `vpup run` */
};

/* What can be varied, under the name that it has in result files. */
struct dimension_kind {
	const char *key;
	enum dimension_goes goes;
	const char *option;       /* for TO_OPTION, TO_OPTIONS and TO_BOTH */
	const char *const *words; /* what it may be, NULL-terminated, or NULL */
	uint64_t min;             /* or a number from min to max; max 0: not a number */
	uint64_t max;
	const char *neutral; /* the value that leaves the option or word away, or NULL */
	bool is_number;      /* in "params", also where only some numbers are possible */
	bool is_told;        /* a run says itself in its params what it was */
};

struct dimension {
	const struct dimension_kind *kind;
	char **value; /* [values], owned */
	size_t values;
};

/* The kind with this key. NULL with e saying what is possible. */
const struct dimension_kind *dimension_kind_find(const char *key, struct err *e);

/*
 * Reads a list of values for d->kind into d, which has none: "1,2,4-8" for numbers, "fine,preset"
 * for words; a value with commas stands in double quotes. Blanks around values do not count.
 * Returns 0; -EINVAL with e saying what is wrong and what is possible; -ENOMEM. d is valid for
 * dimension_fini() in any case.
 */
int dimension_parse(struct dimension *d, const char *list, struct err *e);

/* Whether no value is there twice. Returns 0 or -EINVAL with e naming it. */
int dimension_check_unique(const struct dimension *d, struct err *e);
void dimension_fini(struct dimension *d);

#endif
