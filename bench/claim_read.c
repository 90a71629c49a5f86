/* SPDX-License-Identifier: MIT */
/* The [claim] sections of a scenario file. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/scenario_read.h"

static int kind_once(const struct scenario_claim *c, struct err *e)
{
	if (c->metric)
		return err_set(e, EINVAL, "a claim has one of 'ratio', 'growth' and 'value'");
	return 0;
}

static int read_ratio(struct scenario *s, struct scenario_claim *c, char *value, struct err *e)
{
	char *rest = value;
	const char *metric = scenario_word(&rest), *key;
	int ret = kind_once(c, e);

	if (ret == 0)
		ret = scenario_metric(metric, e);
	if (ret == 0)
		ret = scenario_setting(s, &rest, &c->key, &c->base, e);
	if (ret == 0)
		ret = scenario_setting(s, &rest, &key, &c->better, e);
	if (ret == 0)
		ret = scenario_end(&rest, e);
	if (ret == 0 && strcmp(key, c->key) != 0)
		ret = err_set(e, EINVAL, "a ratio compares two values of one dimension");
	c->kind = CLAIM_RATIO;
	c->metric = metric;
	return ret;
}

static int read_growth(struct scenario *s, struct scenario_claim *c, char *value, struct err *e)
{
	char *rest = value;
	const char *metric = scenario_word(&rest);
	int ret = kind_once(c, e);

	if (ret == 0)
		ret = scenario_metric(metric, e);
	if (ret == 0)
		ret = scenario_number_key(s, &rest, &c->key, e);
	if (ret == 0)
		ret = scenario_end(&rest, e);
	c->kind = CLAIM_GROWTH;
	c->metric = metric;
	return ret;
}

static int read_value(struct scenario *s, struct scenario_claim *c, char *value, struct err *e)
{
	static const char *const words[] = {"median", "min", "max", NULL};
	static const enum column_kind kinds[] = {COLUMN_MEDIAN, COLUMN_MIN, COLUMN_MAX};
	char *rest = value;
	const char *word = scenario_word(&rest), *metric = scenario_word(&rest);
	size_t i = 0;
	int ret = kind_once(c, e);

	(void)s;
	while (words[i] && strcmp(words[i], word) != 0)
		i++;
	if (ret == 0 && !words[i])
		ret = scenario_unknown("statistic", word, words, e);
	if (ret == 0)
		ret = scenario_metric(metric, e);
	if (ret == 0)
		ret = scenario_end(&rest, e);
	if (ret)
		return ret;
	c->kind = CLAIM_VALUE;
	c->metric = metric;
	c->statistic = kinds[i];
	return 0;
}

static int read_number(const char *value, double *number, bool *is_there, struct err *e)
{
	char *end;

	*number = strtod(value, &end);
	*is_there = true;
	if (*end || !isfinite(*number))
		return err_set(e, EINVAL, "'%.40s' is not a number", value);
	return 0;
}

static int read_min(struct scenario *s, struct scenario_claim *c, char *value, struct err *e)
{
	(void)s;
	return read_number(value, &c->min, &c->has_min, e);
}

static int read_max(struct scenario *s, struct scenario_claim *c, char *value, struct err *e)
{
	(void)s;
	return read_number(value, &c->max, &c->has_max, e);
}

static int read_at(struct scenario *s, struct scenario_claim *c, char *value, struct err *e)
{
	(void)s;
	return read_number(value, &c->at, &c->has_at, e);
}

static int read_where(struct scenario *s, struct scenario_claim *c, char *value, struct err *e)
{
	return scenario_condition(s, &c->where, value, e);
}

static int read_text(struct scenario *s, struct scenario_claim *c, char *value, struct err *e)
{
	(void)s;
	(void)e;
	c->text = value;
	return 0;
}

static const struct {
	const char *key;
	int (*read)(struct scenario *s, struct scenario_claim *c, char *value, struct err *e);
} claim_keys[] = {
	{"ratio", read_ratio}, {"growth", read_growth}, {"value", read_value}, {"text", read_text},
	{"where", read_where}, {"min", read_min},       {"max", read_max},     {"at", read_at},
};

#define CLAIM_KEYS (sizeof(claim_keys) / sizeof(claim_keys[0]))

int claim_read_begin(struct scenario *s, const char *name, unsigned line, struct err *e)
{
	if (s->claims == SCENARIO_CLAIMS)
		return err_set(e, EINVAL, "more than %d claims", SCENARIO_CLAIMS);
	s->claim[s->claims++] = (struct scenario_claim){.name = name, .line = line};
	return 0;
}

int claim_read_key(struct scenario *s, struct scenario_claim *c, struct conf_entry *entry,
		   struct err *e)
{
	const char *keys[CLAIM_KEYS + 1] = {NULL};

	for (size_t i = 0; i < CLAIM_KEYS; i++) {
		if (strcmp(claim_keys[i].key, entry->key) == 0)
			return claim_keys[i].read(s, c, entry->value, e);
		keys[i] = claim_keys[i].key;
	}
	return scenario_unknown("key", entry->key, keys, e);
}

int claim_read_end(const struct scenario_claim *c, struct err *e)
{
	if (!c->metric)
		return err_set(e, EINVAL, "claim '%.40s' has none of 'ratio', 'growth' and 'value'",
			       c->name);
	if (!c->text)
		return err_set(e, EINVAL, "claim '%.40s' has no 'text'", c->name);
	if (c->has_min && c->has_max && c->min > c->max)
		return err_set(e, EINVAL, "claim '%.40s' allows nothing: min is above max",
			       c->name);
	if (c->has_at && c->kind != CLAIM_GROWTH)
		return err_set(e, EINVAL, "claim '%.40s': 'at' needs 'growth'", c->name);
	return 0;
}
