/* SPDX-License-Identifier: MIT */
/* What all subcommands share: one-line errors, checked numbers, suggestions. */
#include "vmm/cli.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX 32 /* longer words get no suggestion */

int cli_fail(const char *cmd, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "vpup %s: %s\n", cmd, text);
	return VPUP_EXIT_USAGE;
}

/* strtoull() without its kindnesses: no sign, no leading space. */
static int parse_prefix(const char *s, uint64_t *out, char **end)
{
	if (!isdigit((unsigned char)s[0]))
		return -EINVAL;
	errno = 0;
	*out = strtoull(s, end, s[0] == '0' && (s[1] | 0x20) == 'x' ? 16 : 10);
	return errno == ERANGE ? -ERANGE : 0;
}

int cli_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t val;
	char *end;
	int ret = parse_prefix(s, &val, &end);

	if (ret == -EINVAL || (ret == 0 && *end))
		return -EINVAL;
	if (ret || val < min || val > max)
		return -ERANGE;
	*out = val;
	return 0;
}

int cli_parse_size(const char *s, uint64_t *out)
{
	static const char suffixes[] = "KMGT";
	uint64_t val;
	char *end;
	int ret = parse_prefix(s, &val, &end);
	unsigned shift = 0;

	if (ret)
		return ret;
	if (*end) {
		const char *suffix = strchr(suffixes, toupper((unsigned char)*end));

		if (!suffix)
			return -EINVAL;
		shift = 10 * (unsigned)(suffix - suffixes + 1);
		end++;
		if (end[0] == 'i' && end[1] == 'B')
			end += 2;
		if (*end)
			return -EINVAL;
	}
	if (val > UINT64_MAX >> shift)
		return -ERANGE;
	*out = val << shift;
	return 0;
}

int cli_parse_seconds(const char *s, double *out)
{
	char *end;
	double val;

	if (!isdigit((unsigned char)s[0]) && s[0] != '.')
		return -EINVAL;
	val = strtod(s, &end);
	if (*end || end == s || !isfinite(val))
		return -EINVAL;
	*out = val;
	return 0;
}

int cli_parse_duration(const char *s, double max_s, double *out_s)
{
	return cli_parse_seconds(s, out_s) || *out_s <= 0 || *out_s > max_s ? -EINVAL : 0;
}

int cli_find_word(const char *word, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

/* Edits (insert, delete, replace, swap of neighbours) between two short words. */
static unsigned word_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned d[WORD_MAX + 1][WORD_MAX + 1];

	for (size_t i = 0; i <= la; i++)
		d[i][0] = (unsigned)i;
	for (size_t j = 0; j <= lb; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		for (size_t j = 1; j <= lb; j++) {
			unsigned best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[la][lb];
}

const char *cli_suggest(const char *word, const char *const *words)
{
	const char *best = NULL;
	unsigned best_distance = UINT32_MAX;
	size_t len = strlen(word);

	if (len == 0 || len > WORD_MAX)
		return NULL;
	for (; *words; words++) {
		unsigned distance;

		if (strlen(*words) > WORD_MAX)
			continue;
		distance = strncmp(word, *words, len) ? word_distance(word, *words) : 1;
		if (distance < best_distance) {
			best_distance = distance;
			best = *words;
		}
	}
	return best_distance <= 1 + len / 3 ? best : NULL;
}

static int unknown_option(const char *cmd, const char *arg, const struct option *options)
{
	const char *names[64];
	char word[WORD_MAX + 1];
	const char *near;
	size_t n = 0;

	for (; options[n].name && n + 1 < sizeof(names) / sizeof(names[0]); n++)
		names[n] = options[n].name;
	names[n] = NULL;
	snprintf(word, sizeof(word), "%s", arg + 2);
	word[strcspn(word, "=")] = '\0';
	near = cli_suggest(word, names);
	if (near)
		return cli_fail(cmd, "unknown option '%s'; did you mean '--%s'?", arg, near);
	return cli_fail(cmd, "unknown option '%s'; 'vpup %s --help' lists them", arg, cmd);
}

int cli_bad_option(const char *cmd, int c, char **argv, const struct option *options)
{
	const char *arg = argv[optind - 1];
	bool is_long = strncmp(arg, "--", 2) == 0;

	if (c == ':' && is_long)
		return cli_fail(cmd, "option '%s' needs an argument", arg);
	if (c == ':')
		return cli_fail(cmd, "option '-%c' needs an argument", optopt);
	if (is_long && optopt)
		return cli_fail(cmd, "option '%s' takes no argument", arg);
	if (is_long)
		return unknown_option(cmd, arg, options);
	return cli_fail(cmd, "unknown option '-%c'; 'vpup %s --help' lists them", optopt, cmd);
}
