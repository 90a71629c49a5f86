/* SPDX-License-Identifier: MIT */
/* The test lines of the bundled guest (TAP, the Test Anything Protocol, version 13), read. */
#ifndef VPUP_BENCH_TAP_H
#define VPUP_BENCH_TAP_H

#include <stdbool.h>
#include <stddef.h>

struct tap_line {
	const char *name; /* behind "ok N - ", without the directive; not NUL-terminated */
	size_t name_size;
	const char *reason; /* of "# SKIP reason"; NULL if the test was not skipped */
	size_t reason_size;
	const char *said; /* "got 3, wanted 5" of the comment behind it; NULL: no such comment */
	size_t said_size;
	bool ok;
};

struct tap_counts {
	unsigned passed, failed, skipped;
	bool planned; /* there is a plan, and as many tests as it says */
};

/*
 * Finds the next line about a test from *text on, and moves *text behind it. Returns false at the
 * end. Plans, comments and whatever else there is are passed over.
 */
bool tap_next(const char **text, struct tap_line *line);

/* Counts all lines. text may be NULL. */
struct tap_counts tap_count(const char *text);

#endif
