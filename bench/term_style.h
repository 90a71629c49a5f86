/* SPDX-License-Identifier: MIT */
/* What a stream can show: plots, which characters, colours, how many columns. */
#ifndef VPUP_BENCH_TERM_STYLE_H
#define VPUP_BENCH_TERM_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TERM_WIDTH_MAX 100

struct term_style {
	bool is_terminal; /* that can move its cursor; only there are plots, colours and progress */
	bool has_utf8;
	bool has_colour;
	size_t width; /* columns, at most TERM_WIDTH_MAX */
};

/* What the environment says: TERM, NO_COLOR (https://no-color.org), the locale's character set. */
struct term_facts {
	bool is_tty;
	const char *term;     /* or NULL */
	const char *no_color; /* or NULL */
	const char *codeset;
	size_t columns; /* 0: not known */
};

struct term_style term_style_from(const struct term_facts *facts);

/* Looks at the stream, the environment and the locale. */
struct term_style term_style_of(FILE *out);

#endif
