/* SPDX-License-Identifier: MIT */
/* Dimensions, their values, and the cells that they span. */
#include "bench/matrix.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/cli.h"

#define LIST_TEXT_SIZE 160

static const char *const smp_words[] = {"serial", "kick", "init", "full", "hvcall", NULL};
static const char *const lpj_words[] = {"calibrate", "fine", "known", "preset", NULL};
static const char *const synic_words[] = {"off", "serial", "parallel", NULL};
static const char *const hz_words[] = {"100", "250", "300", "1000", NULL};
static const char *const hyperv_words[] = {"user", "kernel", "off", NULL};
static const char *const switch_words[] = {"on", "off", NULL};

static const char *const measure_words[] = {"exits", NULL};

static const struct dimension_kind kinds[] = {
	{"cpus", "--cpus", NULL, 1, 65535, true},
	{"nodes", "--numa", NULL, 1, 65535, true},
	{"smp", NULL, smp_words, 0, 0, false},
	{"lpj", NULL, lpj_words, 0, 0, false},
	{"synic", NULL, synic_words, 0, 0, false},
	{"ucode_us", NULL, NULL, 0, 10000000, true},
	{"identify_us", NULL, NULL, 0, 10000000, true},
	{"tscsync_us", NULL, NULL, 0, 10000000, true},
	{"online_us", NULL, NULL, 0, 10000000, true},
	{"hz", NULL, hz_words, 0, 0, true},
	{"hyperv", "--hyperv", hyperv_words, 0, 0, false},
	{"invtsc", "--invtsc", switch_words, 0, 0, false},
	{"measure", NULL, measure_words, 0, 0, false},
	{"floor", "--floor", switch_words, 0, 0, false},
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

static const struct dimension_kind *kind_find(const char *key, struct err *e)
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
	char text[LIST_TEXT_SIZE];

	if (!kind->words)
		return err_set(e, EINVAL,
			       "%s: '%s' is no number or range from %" PRIu64 " to %" PRIu64,
			       kind->key, value, kind->min, kind->max);
	words_text(kind->words, text);
	return err_set(e, EINVAL, "%s: '%s' is not one of %s", kind->key, value, text);
}

static int value_add(struct dimension *d, const char *value, struct err *e)
{
	char **grown;

	for (size_t i = 0; i < d->values; i++) {
		if (strcmp(d->value[i], value) == 0)
			return err_set(e, EINVAL, "%s: '%s' is given twice", d->kind->key, value);
	}
	if (d->values == MATRIX_CELLS_MAX)
		return err_set(e, EINVAL, "%s: more than %d values", d->kind->key,
			       MATRIX_CELLS_MAX);
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

static int values_add(struct dimension *d, const char *item, struct err *e)
{
	if (!d->kind->words)
		return values_add_range(d, item, e);
	for (size_t i = 0; d->kind->words[i]; i++) {
		if (strcmp(d->kind->words[i], item) == 0)
			return value_add(d, item, e);
	}
	return value_refuse(d->kind, item, e);
}

static void dimension_fini(struct dimension *d)
{
	for (size_t i = 0; i < d->values; i++)
		free(d->value[i]);
	free(d->value);
	*d = (struct dimension){0};
}

/* Empty items are refused like any other text that is no value. */
static int dimension_parse(struct dimension *d, const char *list, struct err *e)
{
	char *copy = strdup(list), *rest = copy;
	int ret = 0;

	if (!copy)
		return err_set(e, ENOMEM, "out of memory");
	while (ret == 0 && rest) {
		const char *item = strsep(&rest, ",");

		ret = values_add(d, item, e);
	}
	free(copy);
	return ret;
}

size_t matrix_find(const struct matrix *m, const char *key)
{
	size_t i = 0;

	while (i < m->dimensions && strcmp(m->dimension[i].kind->key, key) != 0)
		i++;
	return i;
}

int matrix_set(struct matrix *m, const char *key, const char *list, struct err *e)
{
	struct dimension d = {.kind = kind_find(key, e)};
	size_t at = matrix_find(m, key);
	int ret;

	if (!d.kind)
		return -EINVAL;
	ret = dimension_parse(&d, list, e);
	if (ret) {
		dimension_fini(&d);
		return ret;
	}
	assert(at < MATRIX_DIMENSIONS); /* there are fewer kinds */
	if (at < m->dimensions)
		dimension_fini(&m->dimension[at]);
	else
		m->dimensions++;
	m->dimension[at] = d;
	return 0;
}

void matrix_fini(struct matrix *m)
{
	for (size_t i = 0; i < m->dimensions; i++)
		dimension_fini(&m->dimension[i]);
	m->dimensions = 0;
}

size_t matrix_cells(const struct matrix *m)
{
	size_t cells = 1;

	for (size_t i = 0; i < m->dimensions; i++) {
		if (__builtin_mul_overflow(cells, m->dimension[i].values, &cells))
			return SIZE_MAX;
	}
	return cells;
}

void matrix_cell(const struct matrix *m, size_t index, struct cell *c)
{
	for (size_t i = m->dimensions; i-- > 0;) {
		const struct dimension *d = &m->dimension[i];

		c->value[i] = d->value[index % d->values];
		index /= d->values;
	}
}

json_t *matrix_cell_params(const struct matrix *m, const struct cell *c)
{
	json_t *params = json_object();

	for (size_t i = 0; i < m->dimensions; i++) {
		const struct dimension_kind *kind = m->dimension[i].kind;
		json_t *value = kind->is_number ? json_integer(strtoll(c->value[i], NULL, 10))
						: json_string(c->value[i]);

		if (json_object_set_new(params, kind->key, value)) {
			json_decref(params);
			return NULL;
		}
	}
	return params;
}

const char *matrix_cell_text(const struct matrix *m, const struct cell *c, bool only_varied,
			     char text[CELL_TEXT_SIZE])
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < m->dimensions && used < CELL_TEXT_SIZE; i++) {
		if (only_varied && m->dimension[i].values < 2)
			continue;
		used += (size_t)snprintf(text + used, CELL_TEXT_SIZE - used, "%s%s=%s",
					 used ? " " : "", m->dimension[i].kind->key, c->value[i]);
	}
	return text;
}

void matrix_cell_command(const struct matrix *m, const struct cell *c, double timeout_s,
			 struct cell_command *command)
{
	size_t n = 0, used = 0;

	command->append[0] = '\0';
	command->argv[n++] = (char *)"vpup";
	command->argv[n++] = (char *)"run";
	for (size_t i = 0; i < m->dimensions; i++) {
		const struct dimension_kind *kind = m->dimension[i].kind;

		if (kind->option) {
			command->argv[n++] = (char *)kind->option;
			command->argv[n++] = (char *)c->value[i];
			continue;
		}
		used += (size_t)snprintf(command->append + used, sizeof(command->append) - used,
					 "%s%s=%s", used ? " " : "", kind->key, c->value[i]);
		assert(used < sizeof(command->append)); /* keys and words are short */
	}
	command->argv[n++] = (char *)"--append";
	command->argv[n++] = command->append;
	command->argv[n++] = (char *)"--console";
	command->argv[n++] = (char *)"none";
	command->argv[n++] = (char *)"--json";
	command->argv[n++] = (char *)"-";
	command->argv[n++] = (char *)"--timeout";
	snprintf(command->timeout, sizeof(command->timeout), "%.9g", timeout_s);
	command->argv[n++] = command->timeout;
	command->argv[n] = NULL;
}
