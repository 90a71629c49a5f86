/* SPDX-License-Identifier: MIT */
/*
 * Specifications such as "duty=30%,period=10ms,vps=1-3,8": keys with values, commas between. A part
 * that begins with a digit belongs to the value before it, so that lists need no quoting.
 */
#ifndef VPUP_VMM_SPEC_H
#define VPUP_VMM_SPEC_H

#include <stdint.h>

#include "vmm/err.h"
#include "vmm/id_list.h"

enum spec_kind {
	SPEC_NUMBER,   /* uint64_t, from min to max */
	SPEC_TIME,     /* int64_t, nanoseconds: a number with ns, us, ms or s */
	SPEC_FRACTION, /* int64_t, parts per million: a number with % or ppm */
	SPEC_LIST,     /* struct id_list, no number above max */
	SPEC_FLAG,     /* uint64_t, 1 if the key is there; has no value */
	SPEC_CHOICE,   /* uint64_t, the index of the word in `words` */
};

/* One key. What the range of a time or fraction reaches below zero, values with a sign may. */
struct spec_key {
	const char *name; /* NULL ends a list of keys */
	enum spec_kind kind;
	size_t offset; /* of the field */
	int64_t min, max;
	const char *const *words; /* NULL-terminated */
};

/*
 * Sets the fields of `out` that text names; the others keep what they have. what is the option and
 * its kind, for the error. Lists are the caller's to free, also on failure. Returns 0; -EINVAL with
 * e set; -ENOMEM.
 */
int spec_parse(const char *what, const char *text, const struct spec_key *keys, void *out,
	       struct err *e);

/* The index of the word that begins text, up to any of the characters in `ends`; -1: none of them. */
int spec_word(const char *text, const char *ends, const char *const *words);

#endif
