/* SPDX-License-Identifier: MIT */
/* Text files of "key = value" lines in [sections], with the place of every mistake. */
#ifndef VPUP_BENCH_CONF_H
#define VPUP_BENCH_CONF_H

#include <stddef.h>

#include "vmm/err.h"

#define CONF_SIZE_MAX    (64u << 10)
#define CONF_ENTRIES_MAX 256
#define CONF_SECTIONS    16 /* with the nameless one at the top */

struct conf_section {
	const char *title; /* "" at the top of the file */
	unsigned line;
};

struct conf_entry {
	size_t section;
	const char *key;
	char *value; /* never empty; the reader may cut it up */
	unsigned line;
};

struct conf {
	char *text; /* owned; sections and entries point into it */
	const char *file;
	struct conf_section section[CONF_SECTIONS];
	size_t sections;
	struct conf_entry entry[CONF_ENTRIES_MAX];
	size_t entries;
};

/*
 * Reads a whole text; file is its name for messages and must live on. A line is empty, a comment
 * ("#" first), "[title]", or "key = value"; blanks around all of these do not count. Titles, and
 * keys within a section, must be unique. Returns 0; -EINVAL or -ENOMEM with e saying what is wrong
 * and where. c is valid for conf_fini() in either case.
 */
int conf_parse(struct conf *c, const char *file, const char *text, size_t size_bytes,
	       struct err *e);
void conf_fini(struct conf *c);

/* "FILE:LINE: ..." as an error: returns -EINVAL. Of a long path the end is shown. */
int conf_fail(const struct conf *c, unsigned line, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Takes blanks off both ends, in place. Returns what is left, maybe "". */
char *conf_trim(char *text);

#endif
