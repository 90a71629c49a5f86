/* SPDX-License-Identifier: MIT */
/* Words of a scenario file: metrics, dimensions, settings, conditions. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/host_facts.h"
#include "bench/scenario_read.h"
#include "vmm/cli.h"
#include "vmm/metrics.h"

char *scenario_word(char **rest)
{
	char *word;

	do {
		word = strsep(rest, " \t");
	} while (word && !*word);
	return word;
}

int scenario_end(char **rest, struct err *e)
{
	const char *word = scenario_word(rest);

	return word ? err_set(e, EINVAL, "'%.40s' is too much here", word) : 0;
}

int scenario_unknown(const char *what, const char *word, const char *const *words, struct err *e)
{
	const char *near = cli_suggest(word, words);
	char list[160] = "";

	for (size_t i = 0; words[i]; i++) {
		size_t used = strlen(list);

		snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", words[i]);
	}
	if (near)
		return err_set(e, EINVAL, "unknown %s '%.40s'; did you mean '%s'?", what, word,
			       near);
	return err_set(e, EINVAL, "unknown %s '%.40s'; possible are %s", what, word, list);
}

int scenario_metric(const char *name, struct err *e)
{
	const char *names[METRIC_COUNT + 1] = {NULL}, *near;

	if (!name)
		return err_set(e, EINVAL, "the metric is missing");
	for (int i = 0; i < METRIC_COUNT; i++) {
		names[i] = metric_name((enum metric)i);
		if (strcmp(names[i], name) == 0)
			return 0;
	}
	near = cli_suggest(name, names);
	return err_set(e, EINVAL, "unknown metric '%.40s'%s%s%s", name,
		       near ? "; did you mean '" : "", near ? near : "",
		       near ? "'?" : "; docs/results.md lists them");
}

int scenario_vp_number(const char *name, struct err *e)
{
	static const char *const names[] = {"lpj",    "exits",     "node",
					    "steals", "stolen_ms", "stolen_planned_ms",
					    NULL};

	if (!name)
		return err_set(e, EINVAL, "the number is missing");
	for (size_t i = 0; names[i]; i++) {
		if (strcmp(names[i], name) == 0)
			return 0;
	}
	return scenario_unknown("number of VPs", name, names, e);
}

struct scenario_dimension *scenario_dimension_find(struct scenario *s, const char *key)
{
	for (size_t i = 0; i < s->dimensions; i++) {
		if (strcmp(s->dimension[i].key, key) == 0)
			return &s->dimension[i];
	}
	return NULL;
}

int scenario_key(struct scenario *s, const char *key, struct err *e)
{
	return scenario_dimension_find(s, key)
		       ? 0
		       : err_set(e, EINVAL, "'%.40s' is not in [matrix]", key);
}
int scenario_number_key(struct scenario *s, char **rest, const char **key, struct err *e)
{
	*key = scenario_word(rest);
	if (!*key)
		return err_set(e, EINVAL, "the dimension is missing");
	if (scenario_key(s, *key, e))
		return -EINVAL;
	if (!dimension_kind_find(*key, e)->is_number)
		return err_set(e, EINVAL, "'%s' is not a dimension of numbers", *key);
	return 0;
}

/* A word or number that can't be is a mistake; of other texts nothing is known. */
static int check_value(const struct dimension_kind *kind, const char *value, struct err *e)
{
	struct dimension d = {.kind = kind};
	int ret = 0;

	if (kind->words || kind->max)
		ret = dimension_parse(&d, value, e);
	dimension_fini(&d);
	return ret;
}

int scenario_setting(struct scenario *s, char **rest, const char **key, const char **value,
		     struct err *e)
{
	char *word = scenario_word(rest), *equals = word ? strchr(word, '=') : NULL;

	if (!equals || equals == word || !equals[1])
		return err_set(e, EINVAL, "'%.40s' is not KEY=VALUE", word ? word : "");
	*equals = '\0';
	*key = word;
	*value = equals + 1;
	if (scenario_key(s, word, e))
		return -EINVAL;
	return check_value(dimension_kind_find(word, e), equals + 1, e);
}

int scenario_condition(struct scenario *s, struct condition *c, char *text, struct err *e)
{
	int ret = condition_parse(c, text, e);

	for (size_t i = 0; ret == 0 && i < c->terms; i++) {
		const char *left = c->term[i].left;

		if (!scenario_dimension_find(s, left) && !host_fact_exists(left))
			ret = err_set(e, EINVAL,
				      "'%.40s' is neither in [matrix] nor one of host.max_vps, "
				      "host.cpus, host.kvm_hyperv",
				      left);
	}
	return ret;
}
