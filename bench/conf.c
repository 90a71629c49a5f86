/* SPDX-License-Identifier: MIT */
/* Text files of "key = value" lines in [sections], with the place of every mistake. */
#include "bench/conf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS    " \t\r"
#define FILE_TAIL 80 /* of a longer path this much is shown */

int conf_fail(const struct conf *c, unsigned line, struct err *e, const char *fmt, ...)
{
	size_t length = strlen(c->file);
	bool is_long = length > FILE_TAIL;
	char text[sizeof(e->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, EINVAL, "%s%s:%u: %s", is_long ? "..." : "",
		       c->file + (is_long ? length - FILE_TAIL : 0), line, text);
}

char *conf_trim(char *text)
{
	size_t length;

	text += strspn(text, BLANKS);
	length = strlen(text);
	while (length && strchr(BLANKS, text[length - 1]))
		length--;
	text[length] = '\0';
	return text;
}

static int parse_title(struct conf *c, char *line, unsigned number, struct err *e)
{
	size_t length = strlen(line);
	char *title;

	if (line[length - 1] != ']')
		return conf_fail(c, number, e, "a section is [NAME], with nothing behind it");
	line[length - 1] = '\0';
	title = conf_trim(line + 1);
	if (!*title)
		return conf_fail(c, number, e, "a section is [NAME], and has a name");
	for (size_t i = 1; i < c->sections; i++) {
		if (strcmp(c->section[i].title, title) == 0)
			return conf_fail(c, number, e, "[%s] is there twice, first in line %u",
					 title, c->section[i].line);
	}
	if (c->sections == CONF_SECTIONS)
		return conf_fail(c, number, e, "more than %d sections", CONF_SECTIONS - 1);
	c->section[c->sections++] = (struct conf_section){title, number};
	return 0;
}

static int parse_entry(struct conf *c, char *line, unsigned number, struct err *e)
{
	struct conf_entry new = {.section = c->sections - 1, .line = number};
	char *equals = strchr(line, '=');

	if (!equals || equals == line)
		return conf_fail(c, number, e, "'%.40s' is neither KEY = VALUE nor [SECTION]",
				 line);
	*equals = '\0';
	new.key = conf_trim(line);
	new.value = conf_trim(equals + 1);
	if (!*new.value)
		return conf_fail(c, number, e, "%s: nothing stands behind the '='", new.key);
	for (size_t i = 0; i < c->entries; i++) {
		if (c->entry[i].section == new.section && strcmp(c->entry[i].key, new.key) == 0)
			return conf_fail(c, number, e, "'%s' is there twice, first in line %u",
					 new.key, c->entry[i].line);
	}
	if (c->entries == CONF_ENTRIES_MAX)
		return conf_fail(c, number, e, "more than %d lines", CONF_ENTRIES_MAX);
	c->entry[c->entries++] = new;
	return 0;
}

static int parse_line(struct conf *c, char *line, unsigned number, struct err *e)
{
	line = conf_trim(line);
	if (!*line || *line == '#')
		return 0;
	for (const char *s = line; *s; s++) {
		if ((unsigned char)*s < ' ' && *s != '\t')
			return conf_fail(c, number, e, "there is a control character");
	}
	return *line == '[' ? parse_title(c, line, number, e) : parse_entry(c, line, number, e);
}

int conf_parse(struct conf *c, const char *file, const char *text, size_t size_bytes, struct err *e)
{
	char *rest;
	int ret = 0;

	*c = (struct conf){.file = file, .section = {{"", 0}}, .sections = 1};
	if (memchr(text, '\0', size_bytes))
		return err_set(e, EINVAL, "%s: this is no text file", file);
	rest = c->text = strndup(text, size_bytes);
	if (!c->text)
		return err_set(e, ENOMEM, "out of memory");
	for (unsigned number = 1; rest && ret == 0; number++) {
		char *line = strsep(&rest, "\n");

		ret = parse_line(c, line, number, e);
	}
	return ret;
}

void conf_fini(struct conf *c)
{
	free(c->text);
	*c = (struct conf){0};
}
