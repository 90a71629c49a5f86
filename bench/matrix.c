/* SPDX-License-Identifier: MIT */
/* The cells of a measurement: every combination of the values of its dimensions. */
#include "bench/matrix.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t matrix_find(const struct matrix *m, const char *key)
{
	size_t i = 0;

	while (i < m->dimensions && strcmp(m->dimension[i].kind->key, key) != 0)
		i++;
	return i;
}

int matrix_set(struct matrix *m, const char *key, const char *list, struct err *e)
{
	struct dimension d = {.kind = dimension_kind_find(key, e)};
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
		m->group[m->dimensions++] = 0;
	m->dimension[at] = d;
	return 0;
}

int matrix_zip(struct matrix *m, const char *keys, struct err *e)
{
	char *copy = strdup(keys), *rest = copy, *key;
	int ret = copy ? 0 : err_set(e, ENOMEM, "out of memory");

	m->groups++;
	while (ret == 0 && (key = strsep(&rest, " \t"))) {
		size_t at = matrix_find(m, key);

		if (!*key)
			continue;
		if (at == m->dimensions)
			ret = err_set(e, EINVAL, "'%.40s' is no dimension here", key);
		else if (m->group[at])
			ret = err_set(e, EINVAL, "'%s' goes together with others already", key);
		else
			m->group[at] = m->groups;
	}
	free(copy);
	return ret;
}

/* The dimension in the group of `at` with the most values, the first of equals. */
static const struct dimension *group_longest(const struct matrix *m, size_t at)
{
	const struct dimension *longest = &m->dimension[at];

	for (size_t i = 0; m->group[at] && i < m->dimensions; i++) {
		if (m->group[i] == m->group[at] && m->dimension[i].values > longest->values)
			longest = &m->dimension[i];
	}
	return longest;
}

/* A dimension that stands for others counts at the first one's place. */
static bool is_group_first(const struct matrix *m, size_t at)
{
	for (size_t i = 0; m->group[at] && i < at; i++) {
		if (m->group[i] == m->group[at])
			return false;
	}
	return true;
}

static void cell_set_group(const struct matrix *m, struct cell *c, size_t first, size_t index)
{
	for (size_t i = first; i < m->dimensions; i++) {
		const struct dimension *d = &m->dimension[i];

		if (i == first || (m->group[first] && m->group[i] == m->group[first]))
			c->value[i] = d->value[d->values == 1 ? 0 : index];
	}
}

static bool is_same_cell(const struct matrix *m, const struct cell *a, const struct cell *b)
{
	for (size_t i = 0; i < m->dimensions; i++) {
		if (strcmp(a->value[i], b->value[i]) != 0)
			return false;
	}
	return true;
}

/* A value that is there twice, or twice with the same values of those that it goes together with. */
static int check_unique(const struct matrix *m, size_t at, struct err *e)
{
	size_t values = group_longest(m, at)->values;
	struct cell a = {{NULL}}, b;

	if (!m->group[at])
		return dimension_check_unique(&m->dimension[at], e);
	if (!is_group_first(m, at))
		return 0;
	for (size_t i = 0; i < m->dimensions; i++)
		a.value[i] = "";
	b = a;
	for (size_t i = 1; i < values; i++) {
		cell_set_group(m, &a, at, i);
		for (size_t j = 0; j < i; j++) {
			cell_set_group(m, &b, at, j);
			if (is_same_cell(m, &a, &b))
				return err_set(e, EINVAL,
					       "%s and what goes together with it: values %zu and "
					       "%zu are the same",
					       m->dimension[at].kind->key, j + 1, i + 1);
		}
	}
	return 0;
}

bool matrix_has_value(const struct matrix *m, const char *key, const char *value)
{
	size_t at = matrix_find(m, key);

	for (size_t i = 0; at < m->dimensions && i < m->dimension[at].values; i++)
		if (strcmp(m->dimension[at].value[i], value) == 0)
			return true;
	return false;
}

int matrix_check(const struct matrix *m, struct err *e)
{
	for (size_t i = 0; i < m->dimensions; i++) {
		const struct dimension *d = &m->dimension[i], *longest = group_longest(m, i);

		if (d->values != 1 && d->values != longest->values)
			return err_set(
				e, EINVAL,
				"%s and %s go together, but one has %zu values, the other %zu",
				d->kind->key, longest->kind->key, d->values, longest->values);
		if (d->kind->goes == TO_CPUS && matrix_find(m, "cpus") == m->dimensions)
			return err_set(e, EINVAL, "'%s' needs 'cpus'", d->kind->key);
	}
	if (matrix_find(m, "until") == m->dimensions && matrix_has_value(m, "impl", MATRIX_QEMU))
		return err_set(e, EINVAL, "'impl = " MATRIX_QEMU "' needs 'until'");
	for (size_t i = 0; i < m->dimensions; i++) {
		int ret = check_unique(m, i, e);

		if (ret)
			return ret;
	}
	return 0;
}

void matrix_fini(struct matrix *m)
{
	for (size_t i = 0; i < m->dimensions; i++)
		dimension_fini(&m->dimension[i]);
	*m = (struct matrix){.dimensions = 0};
}

size_t matrix_cells(const struct matrix *m)
{
	size_t cells = 1;

	for (size_t i = 0; i < m->dimensions; i++) {
		if (is_group_first(m, i) &&
		    __builtin_mul_overflow(cells, group_longest(m, i)->values, &cells))
			return SIZE_MAX;
	}
	return cells;
}

void matrix_cell(const struct matrix *m, size_t index, struct cell *c)
{
	for (size_t i = m->dimensions; i-- > 0;) {
		size_t values = group_longest(m, i)->values;

		if (!is_group_first(m, i))
			continue;
		cell_set_group(m, c, i, index % values);
		index /= values;
	}
}

const char *matrix_cell_value(const struct matrix *m, const struct cell *c, const char *key)
{
	size_t at = matrix_find(m, key);

	return at < m->dimensions ? c->value[at] : NULL;
}

json_t *matrix_param(const struct dimension_kind *kind, const char *value)
{
	return kind->is_number ? json_integer(strtoll(value, NULL, 10)) : json_string(value);
}

json_t *matrix_cell_params(const struct matrix *m, const struct cell *c)
{
	json_t *params = json_object();

	for (size_t i = 0; i < m->dimensions; i++) {
		const struct dimension_kind *kind = m->dimension[i].kind;

		if (json_object_set_new(params, kind->key, matrix_param(kind, c->value[i]))) {
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

/* Adds to a text that is long enough for all that keys and values can be. */
static void __attribute__((format(printf, 3, 4)))
text_add(char *text, size_t size, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text + used, size - used, fmt, ap);
	va_end(ap);
	assert(n >= 0 && (size_t)n < size - used);
}

/* The argument is not changed by anybody. */
static void command_push(struct cell_command *command, const char *argument)
{
	assert(command->args + 1 < COMMAND_ARGS_MAX);
	command->argv[command->args++] = (char *)argument;
}

static void command_push_words(struct cell_command *command, const char *option, char *words)
{
	for (char *rest = words, *word; (word = strsep(&rest, " \t"));) {
		if (!*word)
			continue;
		command_push(command, option);
		command_push(command, word);
	}
}

static void command_add(struct cell_command *command, const struct dimension *d, size_t at,
			const char *value, bool has_kernel)
{
	const char *space = command->append[0] ? " " : "";
	enum dimension_goes goes = d->kind->goes;

	if (goes == TO_BOTH)
		goes = has_kernel ? TO_OPTION : TO_GUEST;
	switch (goes) {
	case TO_OPTION:
		command_push(command, d->kind->option);
		command_push(command, strcmp(d->kind->key, "cpus") == 0 ? command->cpus : value);
		break;
	case TO_OPTIONS:
		snprintf(command->words[at], sizeof(command->words[at]), "%s", value);
		command_push_words(command, d->kind->option, command->words[at]);
		break;
	case TO_CPUS:
		text_add(command->cpus, sizeof(command->cpus), ",%s=%s", d->kind->key, value);
		break;
	case TO_GUEST:
		text_add(command->append, sizeof(command->append), "%s%s=%s", space, d->kind->key,
			 value);
		break;
	case TO_APPEND:
		text_add(command->append, sizeof(command->append), "%s%s", space, value);
		break;
	case TO_BOTH: /* is one of the two by now */
	case TO_EXE:
	case TO_PEER:
		break;
	}
}

static void command_push_result(struct cell_command *command)
{
	command_push(command, "--json");
	command_push(command, "-");
	command_push(command, "--timeout");
	command_push(command, command->timeout);
}

/* What comes before the options of the run. */
static void command_begin(struct cell_command *command, const char *until, const char *impl)
{
	command_push(command, "vpup");
	if (!until) {
		command_push(command, "run");
		return;
	}
	command_push(command, "peer");
	if (impl && strcmp(impl, MATRIX_QEMU) == 0) {
		command_push(command, "--impl");
		command_push(command, impl);
	}
	command_push(command, "--until");
	command_push(command, until);
	command_push_result(command);
	command_push(command, "--");
}

void matrix_cell_command(const struct matrix *m, const struct cell *c, double timeout_s,
			 struct cell_command *command)
{
	const char *cpus = matrix_cell_value(m, c, "cpus");
	const char *hyperv = matrix_cell_value(m, c, "hyperv");
	const char *kernel = matrix_cell_value(m, c, "kernel");
	bool has_kernel = kernel && strcmp(kernel, "bundled");
	const char *exec = matrix_cell_value(m, c, "exec");
	const char *until = matrix_cell_value(m, c, "until");

	*command = (struct cell_command){.args = 0};
	snprintf(command->cpus, sizeof(command->cpus), "%s", cpus ? cpus : "");
	snprintf(command->timeout, sizeof(command->timeout), "%.9g", timeout_s);
	command_begin(command, until, matrix_cell_value(m, c, "impl"));
	for (size_t i = 0; i < m->dimensions; i++) {
		const struct dimension *d = &m->dimension[i];

		if (!d->kind->neutral || strcmp(d->kind->neutral, c->value[i]) != 0)
			command_add(command, d, i, c->value[i], has_kernel);
	}
	/* A KVM with a Hyper-V of its own takes the VMCALL in its hypercall page. */
	if (hyperv && strcmp(hyperv, "kernel") == 0)
		text_add(command->append, sizeof(command->append), "%svmcall=ok",
			 command->append[0] ? " " : "");
	/* Messages are measured to a port of the host's and back. */
	if (matrix_cell_value(m, c, "measure"))
		command_push(command, "--hv-testdev");
	/* A daemon that serves it would be measured too. */
	if (exec && strcmp(exec, "none")) {
		command_push(command, "--share-cwd");
		command_push(command, "off");
	}
	command_push(command, "--append");
	command_push(command, command->append);
	if (!until) {
		command_push(command, "--console");
		command_push(command, "none");
		command_push_result(command);
	}
	command->argv[command->args] = NULL;
}
