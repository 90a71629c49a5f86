/* SPDX-License-Identifier: MIT */
/* Reads apt's lists of sources, in both of their styles. */
#include "lab/apt_sources.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "vmm/file.h"

#define LIST_BYTES_MAX (1u << 20)
#define SPACE          " \t\r"

static bool ends_in(const char *s, const char *end)
{
	size_t length = strlen(s), tail = strlen(end);

	return length >= tail && strcmp(s + length - tail, end) == 0;
}

static int add(struct apt_mirrors *m, const char *uri, const char *signed_by, struct err *e)
{
	struct apt_mirror *grown;

	if (!ends_in(uri, "/debian") && !ends_in(uri, "/debian/"))
		return 0;
	for (size_t i = 0; i < m->count; i++)
		if (strcmp(m->mirror[i].uri, uri) == 0)
			return 0;
	grown = realloc(m->mirror, (m->count + 1) * sizeof(*grown));
	if (!grown)
		return err_set(e, ENOMEM, "out of memory");
	m->mirror = grown;
	grown[m->count] =
		(struct apt_mirror){strdup(uri),
				    signed_by && signed_by[0] == '/' ? strdup(signed_by) : NULL};
	return grown[m->count++].uri ? 0 : err_set(e, ENOMEM, "out of memory");
}

/* "deb [signed-by=FILE arch=amd64] URI SUITE COMPONENT..." */
static int parse_line(struct apt_mirrors *m, char *line, struct err *e)
{
	char *save = NULL, *word = strtok_r(line, SPACE, &save), *keyring = NULL;

	if (!word || strcmp(word, "deb"))
		return 0;
	word = strtok_r(NULL, SPACE, &save);
	if (word && word[0] == '[') {
		for (bool last = false; word && !last;) {
			char *key = word + (word[0] == '[');

			last = key[0] && key[strlen(key) - 1] == ']';
			if (last)
				key[strlen(key) - 1] = '\0';
			if (strncasecmp(key, "signed-by=", 10) == 0)
				keyring = key + 10;
			word = strtok_r(NULL, SPACE, &save);
		}
	}
	return word ? add(m, word, keyring, e) : 0;
}

/* What is known of a deb822 stanza; pointers go into its text. */
struct stanza {
	char *uris;
	char *signed_by;
	bool is_off;
};

static int finish_stanza(struct apt_mirrors *m, struct stanza *s, struct err *e)
{
	char *save = NULL, *word = s->uris && !s->is_off ? strtok_r(s->uris, SPACE, &save) : NULL;
	int ret = 0;

	for (; word && ret == 0; word = strtok_r(NULL, SPACE, &save))
		ret = add(m, word, s->signed_by, e);
	*s = (struct stanza){0};
	return ret;
}

static char *value_of(char *line, const char *key)
{
	size_t length = strlen(key);

	if (strncasecmp(line, key, length) || line[length] != ':')
		return NULL;
	line += length + 1;
	line += strspn(line, SPACE);
	line[strcspn(line, "\r")] = '\0';
	return line;
}

static void take_field(struct stanza *s, char *line)
{
	char *value = value_of(line, "URIs");

	if (value)
		s->uris = value;
	value = value_of(line, "Signed-By");
	if (value)
		s->signed_by = value;
	value = value_of(line, "Enabled");
	if (value)
		s->is_off = strcasecmp(value, "no") == 0;
}

int apt_mirrors_parse(struct apt_mirrors *m, const char *text, int deb822, struct err *e)
{
	char *copy = strdup(text), *rest = copy, *line;
	struct stanza s = {0};
	int ret = copy ? 0 : err_set(e, ENOMEM, "out of memory");

	while (ret == 0 && (line = strsep(&rest, "\n"))) {
		if (line[0] == '#')
			continue;
		if (!deb822)
			ret = parse_line(m, line, e);
		else if (line[strspn(line, SPACE)])
			take_field(&s, line);
		else
			ret = finish_stanza(m, &s, e);
	}
	if (ret == 0)
		ret = finish_stanza(m, &s, e);
	free(copy);
	return ret;
}

/* A file that can't be read has no mirrors to tell. */
static int read_one(struct apt_mirrors *m, const char *dir, const char *name, struct err *e)
{
	uint8_t *data;
	char *path, *text;
	size_t size;
	int ret = 0;

	if (!ends_in(name, ".list") && !ends_in(name, ".sources"))
		return 0;
	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return err_set(e, ENOMEM, "out of memory");
	if (file_read(path, LIST_BYTES_MAX, &data, &size, NULL) == 0) {
		text = strndup((const char *)data, size);
		ret = text ? apt_mirrors_parse(m, text, ends_in(name, ".sources"), e)
			   : err_set(e, ENOMEM, "out of memory");
		free(text);
		free(data);
	}
	free(path);
	return ret;
}

int apt_mirrors_read(struct apt_mirrors *m, const char *etc, struct err *e)
{
	struct dirent **entry;
	char *parts;
	int count, ret = read_one(m, etc, "sources.list", e);

	if (ret || asprintf(&parts, "%s/sources.list.d", etc) < 0)
		return ret ? ret : err_set(e, ENOMEM, "out of memory");
	count = scandir(parts, &entry, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		if (ret == 0)
			ret = read_one(m, parts, entry[i]->d_name, e);
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
	free(parts);
	return ret;
}

void apt_mirrors_fini(struct apt_mirrors *m)
{
	for (size_t i = 0; i < m->count; i++) {
		free(m->mirror[i].uri);
		free(m->mirror[i].signed_by);
	}
	free(m->mirror);
	*m = (struct apt_mirrors){0};
}
