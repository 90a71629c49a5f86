/* SPDX-License-Identifier: MIT */
/* Specifications such as "duty=30%,period=10ms,vps=1-3,8": keys with values, commas between. */
#include "vmm/spec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/cli.h"

#define KEYS_MAX  16
#define TEXT_SIZE 96

struct unit {
	const char *name;
	double factor;
};

static const struct unit time_units[] = {
	{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
static const struct unit fraction_units[] = {{"%", 1e4}, {"ppm", 1}, {NULL, 0}};

/* A value as a person would write it. */
static void value_text(int64_t val, const struct unit *units, char text[TEXT_SIZE])
{
	const struct unit *best = NULL;

	for (const struct unit *u = units; u->name; u++) {
		if (fabs((double)val) >= u->factor && (!best || u->factor > best->factor))
			best = u;
	}
	if (best)
		snprintf(text, TEXT_SIZE, "%g%s", (double)val / best->factor, best->name);
	else
		snprintf(text, TEXT_SIZE, "%g", (double)val);
}

static int refuse_range(const char *what, const struct spec_key *k, const char *value,
			const struct unit *units, struct err *e)
{
	char min[TEXT_SIZE], max[TEXT_SIZE], names[TEXT_SIZE];
	size_t used = 0;

	value_text(k->min, units, min);
	value_text(k->max, units, max);
	for (const struct unit *u = units; u->name; u++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 u == units  ? ""
					 : u[1].name ? ", "
						     : " or ",
					 u->name);
	return err_set(e, EINVAL, "%s: %s=%.40s: it must be from %s to %s, in %s", what, k->name,
		       value, min, max, names);
}

/* A decimal number with one of the units. */
static int parse_scaled(const char *what, const struct spec_key *k, const char *value,
			const struct unit *units, int64_t *out, struct err *e)
{
	bool is_signed = *value == '-' || *value == '+';
	const char *unit = value + is_signed + strspn(value + is_signed, "0123456789.");
	double val;
	char *end;

	if (isdigit((unsigned char)value[is_signed])) {
		val = strtod(value, &end);
		for (const struct unit *u = units; u->name; u++) {
			double scaled = val * u->factor;

			if (end != unit || strcmp(unit, u->name) || scaled < (double)k->min ||
			    scaled > (double)k->max || (is_signed && k->min >= 0))
				continue;
			*out = llround(scaled);
			return 0;
		}
	}
	return refuse_range(what, k, value, units, e);
}

static int parse_choice(const char *what, const struct spec_key *k, const char *value,
			uint64_t *out, struct err *e)
{
	int word = spec_word(value, "", k->words);
	char text[TEXT_SIZE] = "";
	size_t used = 0;

	if (word >= 0) {
		*out = (uint64_t)word;
		return 0;
	}
	for (size_t i = 0; k->words[i] && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 i == 0            ? ""
					 : k->words[i + 1] ? ", "
							   : " or ",
					 k->words[i]);
	return err_set(e, EINVAL, "%s: %s=%.40s: it must be %s", what, k->name, value, text);
}

static int parse_value(const char *what, const struct spec_key *k, const char *value, void *field,
		       struct err *e)
{
	struct err why;
	int ret;

	switch (k->kind) {
	case SPEC_TIME:
		return parse_scaled(what, k, value, time_units, field, e);
	case SPEC_FRACTION:
		return parse_scaled(what, k, value, fraction_units, field, e);
	case SPEC_CHOICE:
		return parse_choice(what, k, value, field, e);
	case SPEC_LIST:
		id_list_fini(field);
		ret = id_list_parse(field, value, (uint32_t)k->max, &why);
		return ret ? err_set(e, -ret, "%s: %s: %s", what, k->name, why.text) : 0;
	case SPEC_NUMBER:
		break;
	case SPEC_FLAG:
		*(uint64_t *)field = 1;
		return 0;
	}
	if (cli_parse_u64(value, (uint64_t)k->min, (uint64_t)k->max, field) == 0)
		return 0;
	return err_set(e, EINVAL, "%s: %s=%.40s: it must be from %" PRId64 " to %" PRId64, what,
		       k->name, value, k->min, k->max);
}

static int unknown_key(const char *what, const char *word, const struct spec_key *keys,
		       struct err *e)
{
	const char *names[KEYS_MAX + 1] = {NULL}, *near;
	char text[TEXT_SIZE] = "";
	size_t used = 0;

	for (size_t i = 0; i < KEYS_MAX && keys[i].name && used < sizeof(text); i++) {
		names[i] = keys[i].name;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
					 keys[i].name);
	}
	near = cli_suggest(word, names);
	if (near)
		return err_set(e, EINVAL, "%s: unknown key '%.40s'; did you mean '%s'?", what, word,
			       near);
	return err_set(e, EINVAL, "%s: unknown key '%.40s': it takes %s", what, word, text);
}

/* One "key=value" or "key". */
static int parse_part(const char *what, char *part, const struct spec_key *keys, void *out,
		      struct err *e)
{
	char *value = strchr(part, '=');

	if (value)
		*value++ = '\0';
	for (const struct spec_key *k = keys; k->name; k++) {
		if (strcmp(k->name, part))
			continue;
		if (k->kind == SPEC_FLAG && value)
			return err_set(e, EINVAL, "%s: %s takes no value", what, k->name);
		if (k->kind != SPEC_FLAG && !value)
			return err_set(e, EINVAL, "%s: %s needs a value", what, k->name);
		return parse_value(what, k, value, (char *)out + k->offset, e);
	}
	return unknown_key(what, part, keys, e);
}

/* The end of the part that begins at s: a comma that no digit follows, or the end of the text. */
static char *part_end(char *s)
{
	while (*s && (*s != ',' || isdigit((unsigned char)s[1])))
		s++;
	return s;
}

int spec_parse(const char *what, const char *text, const struct spec_key *keys, void *out,
	       struct err *e)
{
	char *copy = strdup(text);
	int ret = 0;

	if (!copy)
		return err_set(e, ENOMEM, "out of memory");
	for (char *part = copy, *end; ret == 0; part = end + 1) {
		bool last;

		end = part_end(part);
		last = !*end;
		*end = '\0';
		ret = parse_part(what, part, keys, out, e);
		if (last)
			break;
	}
	free(copy);
	return ret;
}

int spec_word(const char *text, const char *ends, const char *const *words)
{
	size_t len = strcspn(text, ends);

	for (int i = 0; words[i]; i++) {
		if (strlen(words[i]) == len && strncmp(words[i], text, len) == 0)
			return i;
	}
	return -1;
}
