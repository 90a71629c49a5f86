/* SPDX-License-Identifier: MIT */
/* What all subcommands share: exit statuses, one-line errors, checked numbers, suggestions. */
#ifndef VPUP_VMM_CLI_H
#define VPUP_VMM_CLI_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

#define VPUP_VERSION "0.1.0"

/* Exit statuses, the same for every subcommand. */
enum vpup_exit {
	VPUP_EXIT_OK = 0,
	VPUP_EXIT_FAIL = 1,  /* the guest reported failure, or a regression */
	VPUP_EXIT_USAGE = 2, /* usage or bad input */
	VPUP_EXIT_HOST = 3,  /* this host can't */
	VPUP_EXIT_TIMEOUT = 4,
	VPUP_EXIT_CRASH = 5, /* the guest crashed */
	VPUP_EXIT_BUG = 70,  /* a bug in vpup */
};

/* A subcommand: argv[0] is its name, argc counts it. Returns an exit status. */
struct subcommand {
	const char *name;
	const char *args; /* for the usage line */
	const char *summary;
	int (*run)(int argc, char **argv);
};

/* Prints "vpup CMD: ..." as one line on stderr and returns VPUP_EXIT_USAGE. */
int cli_fail(const char *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Parses a whole decimal or 0x number. Returns 0, -EINVAL (empty, signed, trailing characters) or
 * -ERANGE (outside [min, max]); *out is set only on 0.
 */
int cli_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out);

/* Parses a size with an optional suffix K, M, G or T (powers of 1024, bytes without one). Likewise. */
int cli_parse_size(const char *s, uint64_t *out);

/* Parses a non-negative finite decimal number of seconds. Returns 0 or -EINVAL. */
int cli_parse_seconds(const char *s, double *out);

/* The same, of a time that passes: above 0, at most max_s. */
int cli_parse_duration(const char *s, double max_s, double *out_s);

/* Position of `word` in the NULL-terminated list, or -1. */
int cli_find_word(const char *word, const char *const *words);

/* The word nearest to `word` in the NULL-terminated list, or NULL when none is near. */
const char *cli_suggest(const char *word, const char *const *words);

/*
 * The error line for an option that getopt_long() (called with opterr = 0 and a leading ':' in the
 * short options) refused: c is what it returned. Suggests the nearest long option. Returns
 * VPUP_EXIT_USAGE.
 */
int cli_bad_option(const char *cmd, int c, char **argv, const struct option *options);

#endif
