/* SPDX-License-Identifier: MIT */
/* What is known of a cell: whether a condition holds in it, and what was measured there. */
#include "bench/cell_view.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "bench/host_facts.h"

struct names {
	const struct matrix *m;
	const struct cell *cell;
	char fact[HOST_FACT_TEXT_SIZE]; /* a term has at most one that is not on its left side */
};

static const char *names_find(void *ctx, const char *name)
{
	struct names *n = ctx;
	const char *value = matrix_cell_value(n->m, n->cell, name);

	return value ? value : host_fact(name, n->fact);
}

bool cell_holds(const struct matrix *m, const struct cell *cell, const struct condition *c)
{
	struct names n = {.m = m, .cell = cell};

	return condition_holds(c, names_find, &n);
}

const char *cell_condition_text(const struct condition *c, char text[CONDITION_TEXT_SIZE])
{
	size_t used = strlen(condition_text(c, text));

	for (size_t i = 0; i < c->terms; i++) {
		char fact[HOST_FACT_TEXT_SIZE];
		const char *value = host_fact(c->term[i].right, fact);

		if (value && used < CONDITION_TEXT_SIZE)
			used += (size_t)snprintf(text + used, CONDITION_TEXT_SIZE - used,
						 " (here %s)", value);
	}
	return text;
}

const struct stats *cell_stats(const struct matrix *m, const struct summary *s,
			       const struct cell *cell, const char *metric)
{
	json_t *params = matrix_cell_params(m, cell);
	const struct stats *found = params ? summary_find(s, params, metric) : NULL;

	json_decref(params);
	return found;
}

const struct stats *cell_sibling_stats(const struct matrix *m, const struct summary *s,
				       const struct cell *cell, const char *metric, const char *key,
				       const char *value)
{
	size_t at = matrix_find(m, key);
	struct cell sibling = *cell;

	if (at == m->dimensions)
		return NULL;
	sibling.value[at] = value;
	return cell_stats(m, s, &sibling, metric);
}
