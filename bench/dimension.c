/* SPDX-License-Identifier: MIT */
/* One dimension of a measurement: what can be varied, and lists of its values. */
#include "bench/dimension.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/conf.h"
#include "bench/peer.h"
#include "vmm/cli.h"

#define LIST_TEXT_SIZE  220
#define STAND_IN_MAX_US 10000000

static const char *const smp_words[] = {"serial", "kick", "init", "full", "hvcall", NULL};
static const char *const lpj_words[] = {"calibrate", "fine", "known", "preset",
					"auto",      "off",  NULL};
static const char *const synic_words[] = {"off", "serial", "parallel", NULL};
static const char *const hz_words[] = {"100", "250", "300", "1000", NULL};
static const char *const hyperv_words[] = {"user", "kernel", "off", NULL};
static const char *const switch_words[] = {"on", "off", NULL};
static const char *const invtsc_words[] = {"on", "off", "force", NULL};
static const char *const measure_words[] = {"exits", NULL};

/* Without words and numbers it is any text. */
static const struct dimension_kind kinds[] = {
	{"cpus", TO_OPTION, "--cpus", NULL, 1, 65535, NULL, true, true},
	{"sockets", TO_CPUS, NULL, NULL, 1, 65535, NULL, true, false},
	{"cores", TO_CPUS, NULL, NULL, 1, 65535, NULL, true, false},
	{"threads", TO_CPUS, NULL, NULL, 1, 65535, NULL, true, false},
	{"nodes", TO_OPTION, "--numa", NULL, 1, 65535, NULL, true, true},
	{"smp", TO_GUEST, NULL, smp_words, 0, 0, NULL, false, true},
	{"lpj", TO_BOTH, "--lpj", lpj_words, 1, UINT32_MAX, NULL, false, true},
	{"synic", TO_GUEST, NULL, synic_words, 0, 0, NULL, false, true},
	{"ucode_us", TO_GUEST, NULL, NULL, 0, STAND_IN_MAX_US, NULL, true, true},
	{"identify_us", TO_GUEST, NULL, NULL, 0, STAND_IN_MAX_US, NULL, true, true},
	{"tscsync_us", TO_GUEST, NULL, NULL, 0, STAND_IN_MAX_US, NULL, true, true},
	{"online_us", TO_GUEST, NULL, NULL, 0, STAND_IN_MAX_US, NULL, true, true},
	{"hz", TO_GUEST, NULL, hz_words, 0, 0, NULL, true, true},
	{"measure", TO_GUEST, NULL, measure_words, 0, 0, NULL, false, true},
	{"hyperv", TO_OPTION, "--hyperv", hyperv_words, 0, 0, NULL, false, true},
	{"hv", TO_OPTION, "--hv", NULL, 0, 0, "default", false, false},
	{"invtsc", TO_OPTION, "--invtsc", invtsc_words, 0, 0, NULL, false, true},
	{"noise", TO_OPTIONS, "--noise", NULL, 0, 0, "none", false, true},
	{"pin", TO_OPTION, "--pin", NULL, 0, 0, "none", false, false},
	{"fault", TO_OPTIONS, "--fault", NULL, 0, 0, "none", false, false},
	{"floor", TO_OPTION, "--floor", switch_words, 0, 0, NULL, false, false},
	{"memory", TO_OPTION, "--memory", NULL, 0, 0, NULL, false, false},
	{"kernel", TO_OPTION, "--kernel", NULL, 0, 0, "bundled", false, true},
	{"initrd", TO_OPTION, "--initrd", NULL, 0, 0, "none", false, false},
	{"exec", TO_OPTION, "--exec", NULL, 0, 0, "none", false, false},
	{"append", TO_APPEND, NULL, NULL, 0, 0, "none", false, false},
	{"until", TO_PEER, NULL, peer_mark_names, 0, 0, NULL, false, true},
	{"impl", TO_EXE, NULL, NULL, 0, 0, "vpup", false, false},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* "a, b, c" of a NULL-terminated list. */
static void words_text(const char *const *words, char text[LIST_TEXT_SIZE])
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; words[i] && used < LIST_TEXT_SIZE; i++)
		used += (size_t)snprintf(text + used, LIST_TEXT_SIZE - used, "%s%s", i ? ", " : "",
					 words[i]);
}

const struct dimension_kind *dimension_kind_find(const char *key, struct err *e)
{
	const char *keys[KINDS + 1] = {NULL};
	char text[LIST_TEXT_SIZE];
	const char *near;

	for (size_t i = 0; i < KINDS; i++) {
		if (strcmp(kinds[i].key, key) == 0)
			return &kinds[i];
		keys[i] = kinds[i].key;
	}
	near = cli_suggest(key, keys);
	words_text(keys, text);
	if (near)
		err_set(e, EINVAL, "can't vary '%s'; did you mean '%s'?", key, near);
	else
		err_set(e, EINVAL, "can't vary '%s'; possible are %s", key, text);
	return NULL;
}

static int value_refuse(const struct dimension_kind *kind, const char *value, struct err *e)
{
	char words[LIST_TEXT_SIZE], number[64];

	snprintf(number, sizeof(number), "number or range from %" PRIu64 " to %" PRIu64, kind->min,
		 kind->max);
	if (!kind->words)
		return err_set(e, EINVAL, "%s: '%.60s' is no %s", kind->key, value, number);
	words_text(kind->words, words);
	return err_set(e, EINVAL, "%s: '%.60s' is not one of %s%s%s", kind->key, value, words,
		       kind->max ? ", and no " : "", kind->max ? number : "");
}

static int value_add(struct dimension *d, const char *value, struct err *e)
{
	char **grown;

	if (d->values == DIMENSION_VALUES_MAX)
		return err_set(e, EINVAL, "%s: more than %d values", d->kind->key,
			       DIMENSION_VALUES_MAX);
	grown = reallocarray(d->value, d->values + 1, sizeof(*grown));
	if (!grown)
		return err_set(e, ENOMEM, "out of memory");
	d->value = grown;
	grown[d->values] = strdup(value);
	if (!grown[d->values])
		return err_set(e, ENOMEM, "out of memory");
	d->values++;
	return 0;
}

/* A number, or FIRST-LAST. Numbers are kept in one form: "016" is 16. */
static int values_add_range(struct dimension *d, const char *item, struct err *e)
{
	const struct dimension_kind *kind = d->kind;
	const char *dash = strchr(item, '-');
	char *first_text = dash ? strndup(item, (size_t)(dash - item)) : strdup(item);
	uint64_t first, last;
	int ret;

	if (!first_text)
		return err_set(e, ENOMEM, "out of memory");
	ret = cli_parse_u64(first_text, kind->min, kind->max, &first);
	if (ret == 0)
		ret = cli_parse_u64(dash ? dash + 1 : first_text, first, kind->max, &last);
	free(first_text);
	if (ret)
		return value_refuse(kind, item, e);
	for (uint64_t n = first; n <= last && ret == 0; n++) {
		char text[24];

		snprintf(text, sizeof(text), "%" PRIu64, n);
		ret = value_add(d, text, e);
	}
	return ret;
}

static int values_add_text(struct dimension *d, const char *item, struct err *e)
{
	if (!*item)
		return err_set(e, EINVAL, "%s: there is an empty value", d->kind->key);
	if (strlen(item) >= DIMENSION_VALUE_SIZE_MAX)
		return err_set(e, EINVAL, "%s: '%.20s...' is longer than %d characters",
			       d->kind->key, item, DIMENSION_VALUE_SIZE_MAX - 1);
	return value_add(d, item, e);
}

static int values_add(struct dimension *d, const char *item, struct err *e)
{
	const struct dimension_kind *kind = d->kind;

	for (size_t i = 0; kind->words && kind->words[i]; i++) {
		if (strcmp(kind->words[i], item) == 0)
			return value_add(d, item, e);
	}
	if (kind->max)
		return values_add_range(d, item, e);
	return kind->words ? value_refuse(kind, item, e) : values_add_text(d, item, e);
}

/* Cuts the next item off *rest, which becomes NULL behind the last one. NULL: wrong quotes. */
static char *next_item(char **rest)
{
	char *item = *rest + strspn(*rest, " \t"), *end;

	if (*item != '"')
		return conf_trim(strsep(rest, ","));
	end = strchr(++item, '"');
	if (!end)
		return NULL;
	*end++ = '\0';
	end += strspn(end, " \t");
	if (*end && *end != ',')
		return NULL;
	*rest = *end ? end + 1 : NULL;
	return item;
}

/* Empty items are refused like any other text that is no value. */
int dimension_parse(struct dimension *d, const char *list, struct err *e)
{
	char *copy = strdup(list), *rest = copy;
	int ret = 0;

	if (!copy)
		return err_set(e, ENOMEM, "out of memory");
	while (ret == 0 && rest) {
		const char *item = next_item(&rest);

		if (item)
			ret = values_add(d, item, e);
		else
			ret = err_set(e, EINVAL,
				      "%s: a value in double quotes ends with one, before a comma",
				      d->kind->key);
	}
	free(copy);
	return ret;
}

int dimension_check_unique(const struct dimension *d, struct err *e)
{
	for (size_t i = 1; i < d->values; i++) {
		for (size_t j = 0; j < i; j++) {
			if (strcmp(d->value[i], d->value[j]) == 0)
				return err_set(e, EINVAL, "%s: '%s' is given twice", d->kind->key,
					       d->value[i]);
		}
	}
	return 0;
}

void dimension_fini(struct dimension *d)
{
	for (size_t i = 0; i < d->values; i++)
		free(d->value[i]);
	free(d->value);
	*d = (struct dimension){0};
}
