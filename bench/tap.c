/* SPDX-License-Identifier: MIT */
/* The test lines of the bundled guest (TAP, the Test Anything Protocol, version 13), read. */
#include "bench/tap.h"

#include <stdlib.h>
#include <string.h>

#define SKIP " # SKIP "
#define SAID ": got "

static bool starts_with(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

/* What stands behind "ok N - " or "not ok N - ", or NULL if the line is none of these. */
static const char *description(const char *line, bool *ok)
{
	*ok = starts_with(line, "ok ");
	if (!*ok && !starts_with(line, "not ok "))
		return NULL;
	line += *ok ? strlen("ok ") : strlen("not ok ");
	line += strspn(line, "0123456789");
	return starts_with(line, " - ") ? line + strlen(" - ") : line;
}

/* The line behind an assertion that tells what it found: "# BODY: got 3, wanted 5". */
static void find_said(const char *at, struct tap_line *line)
{
	size_t size = strcspn(at, "\n");
	const char *said = starts_with(at, "# ") ? memmem(at, size, SAID, strlen(SAID)) : NULL;

	line->said = said ? said + strlen(": ") : NULL;
	line->said_size = said ? (size_t)(at + size - line->said) : 0;
}

bool tap_next(const char **text, struct tap_line *line)
{
	const char *at = *text;

	while (*at) {
		size_t size = strcspn(at, "\n");
		const char *end = at + size, *name = description(at, &line->ok), *skip;

		at = *end ? end + 1 : end;
		if (!name)
			continue;
		skip = memmem(name, (size_t)(end - name), SKIP, strlen(SKIP));
		line->name = name;
		line->name_size = (size_t)((skip ? skip : end) - name);
		line->reason = skip ? skip + strlen(SKIP) : NULL;
		line->reason_size = skip ? (size_t)(end - line->reason) : 0;
		find_said(at, line);
		*text = at;
		return true;
	}
	*text = at;
	return false;
}

/* The number of tests that the last plan names, or 0. */
static unsigned long planned(const char *text)
{
	unsigned long n = 0;

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (starts_with(text, "1.."))
			n = strtoul(text + strlen("1.."), NULL, 10);
	}
	return n;
}

struct tap_counts tap_count(const char *text)
{
	struct tap_counts n = {0};
	struct tap_line line;
	const char *at = text;

	while (at && tap_next(&at, &line)) {
		if (!line.ok)
			n.failed++;
		else if (line.reason)
			n.skipped++;
		else
			n.passed++;
	}
	n.planned = n.passed + n.failed + n.skipped > 0 &&
		    planned(text) == (unsigned long)n.passed + n.failed + n.skipped;
	return n;
}
