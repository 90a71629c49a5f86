/* SPDX-License-Identifier: MIT */
/* From the lines of a scenario file to a scenario, everything checked. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/scenario_read.h"
#include "vmm/cli.h"

#define DEFAULT_REPEATS   5
#define DEFAULT_TIMEOUT_S 120
#define COLUMN_HEAD_MAX   16
#define CLAIM             "claim " /* begins a title, the claim's name follows */

static int read_summary(struct scenario *s, char *value, struct err *e)
{
	(void)e;
	s->summary = value;
	return 0;
}

static int read_repeat(struct scenario *s, char *value, struct err *e)
{
	uint64_t n;

	if (cli_parse_u64(value, 1, SCENARIO_REPEATS_MAX, &n))
		return err_set(e, EINVAL, "repeat: '%.40s' is not a whole number from 1 to %d",
			       value, SCENARIO_REPEATS_MAX);
	s->repeats = (size_t)n;
	return 0;
}

static int read_timeout(struct scenario *s, char *value, struct err *e)
{
	if (cli_parse_duration(value, 1e6, &s->timeout_s))
		return err_set(e, EINVAL, "timeout: '%.40s' is not a number of seconds above 0",
			       value);
	return 0;
}

static int read_require(struct scenario *s, char *value, struct err *e)
{
	char *rest = value;

	for (char *word; (word = scenario_word(&rest));) {
		int ret = scenario_metric(word, e);

		if (ret)
			return ret;
		if (s->requireds == SCENARIO_REQUIRED)
			return err_set(e, EINVAL, "require: more than %d metrics",
				       SCENARIO_REQUIRED);
		s->required[s->requireds++] = word;
	}
	return 0;
}

static int read_show(struct scenario *s, char *value, struct err *e)
{
	char *rest = value;

	for (char *word; (word = scenario_word(&rest));) {
		if (scenario_key(s, word, e))
			return -EINVAL;
		scenario_dimension_find(s, word)->is_shown = true;
	}
	return 0;
}

static int read_zip(struct scenario *s, char *value, struct err *e)
{
	char *rest = value;

	while (rest) {
		if (s->zips == SCENARIO_ZIPS)
			return err_set(e, EINVAL, "zip: more than %d groups", SCENARIO_ZIPS);
		s->zip[s->zips++] = strsep(&rest, ",");
	}
	return 0;
}

static int read_skip(struct scenario *s, char *value, struct err *e)
{
	char *rest = value;

	while (rest) {
		char *text = strsep(&rest, ",");
		int ret;

		if (s->skips == SCENARIO_SKIPS)
			return err_set(e, EINVAL, "skip: more than %d conditions", SCENARIO_SKIPS);
		ret = scenario_condition(s, &s->skip[s->skips++], text, e);
		if (ret)
			return ret;
	}
	return 0;
}

static const struct {
	const char *key;
	int (*read)(struct scenario *s, char *value, struct err *e);
} top_keys[] = {
	{"summary", read_summary}, {"repeat", read_repeat}, {"timeout", read_timeout},
	{"require", read_require}, {"show", read_show},     {"zip", read_zip},
	{"skip", read_skip},
};

#define TOP_KEYS (sizeof(top_keys) / sizeof(top_keys[0]))

static int read_top(struct scenario *s, struct conf_entry *entry, struct err *e)
{
	const char *keys[TOP_KEYS + 1] = {NULL};

	for (size_t i = 0; i < TOP_KEYS; i++) {
		if (strcmp(top_keys[i].key, entry->key) == 0)
			return top_keys[i].read(s, entry->value, e);
		keys[i] = top_keys[i].key;
	}
	return scenario_unknown("key", entry->key, keys, e);
}

/* Whether the key is a word of "zip", which may not have been read yet. */
static bool is_zipped(const struct scenario *s, const char *key)
{
	size_t length = strlen(key);

	for (size_t i = 0; i < s->conf.entries; i++) {
		const struct conf_entry *entry = &s->conf.entry[i];

		if (entry->section != 0 || strcmp(entry->key, "zip") != 0)
			continue;
		for (const char *word = entry->value; *word;) {
			size_t n;

			word += strspn(word, " \t,");
			n = strcspn(word, " \t,");
			if (n == length && strncmp(word, key, n) == 0)
				return true;
			word += n;
		}
	}
	return false;
}

/* The values are read to see whether they are right; they count when the matrix is built. */
static int read_dimension(struct scenario *s, const struct conf_entry *entry, struct err *e)
{
	struct dimension d = {.kind = dimension_kind_find(entry->key, e)};
	int ret;

	if (!d.kind)
		return -EINVAL;
	ret = dimension_parse(&d, entry->value, e);
	if (ret == 0 && !is_zipped(s, entry->key))
		ret = dimension_check_unique(&d, e);
	dimension_fini(&d);
	s->dimension[s->dimensions++] =
		(struct scenario_dimension){entry->key, entry->value, false};
	return ret;
}

static int read_ratio(struct scenario *s, struct scenario_column *c, char **rest, struct err *e)
{
	return scenario_setting(s, rest, &c->key, &c->base, e);
}

static int read_per(struct scenario *s, struct scenario_column *c, char **rest, struct err *e)
{
	return scenario_number_key(s, rest, &c->key, e);
}

static const struct {
	const char *word;
	enum column_kind kind;
	int (*read)(struct scenario *s, struct scenario_column *c, char **rest, struct err *e);
} column_words[] = {
	{"count", COLUMN_COUNT, NULL},   {"median", COLUMN_MEDIAN, NULL},
	{"spread", COLUMN_SPREAD, NULL}, {"min", COLUMN_MIN, NULL},
	{"max", COLUMN_MAX, NULL},       {"ratio", COLUMN_RATIO, read_ratio},
	{"per", COLUMN_PER, read_per},   {"bar", COLUMN_BAR, NULL},
	{"runs", COLUMN_RUNS, NULL},     {"vps", COLUMN_VPS, NULL},
};

#define COLUMN_WORDS (sizeof(column_words) / sizeof(column_words[0]))

static int read_column(struct scenario *s, const struct conf_entry *entry, struct err *e)
{
	struct scenario_column *c = &s->column[s->columns];
	const char *words[COLUMN_WORDS + 1] = {NULL}, *word, *metric;
	char *rest = entry->value;
	size_t i = 0;
	int ret;

	if (strlen(entry->key) > COLUMN_HEAD_MAX)
		return err_set(e, EINVAL, "a column's head has up to %d characters",
			       COLUMN_HEAD_MAX);
	if (s->columns == SCENARIO_COLUMNS)
		return err_set(e, EINVAL, "more than %d columns", SCENARIO_COLUMNS);
	word = scenario_word(&rest);
	for (; i < COLUMN_WORDS && strcmp(column_words[i].word, word) != 0; i++)
		words[i] = column_words[i].word;
	if (i == COLUMN_WORDS)
		return scenario_unknown("statistic", word, words, e);
	metric = scenario_word(&rest);
	*c = (struct scenario_column){column_words[i].kind, entry->key, metric, NULL, NULL};
	ret = c->kind == COLUMN_VPS ? scenario_vp_number(metric, e) : scenario_metric(metric, e);
	if (ret == 0 && column_words[i].read)
		ret = column_words[i].read(s, c, &rest, e);
	if (ret == 0)
		ret = scenario_end(&rest, e);
	s->columns++;
	return ret;
}

static bool is_claim(const char *title)
{
	return strncmp(title, CLAIM, strlen(CLAIM)) == 0;
}

/* Titles are unique, so claims' names are. */
static struct scenario_claim *claim_of(struct scenario *s, const char *name)
{
	size_t i = 0;

	while (strcmp(s->claim[i].name, name) != 0)
		i++;
	return &s->claim[i];
}

static int read_entry(struct scenario *s, struct conf_entry *entry, struct err *e)
{
	const char *title = s->conf.section[entry->section].title;

	if (strcmp(title, "matrix") == 0)
		return 0; /* read already, for the others refer to it */
	if (strcmp(title, "table") == 0)
		return read_column(s, entry, e);
	if (*title == '\0')
		return read_top(s, entry, e);
	return claim_read_key(s, claim_of(s, title + strlen(CLAIM)), entry, e);
}

/* Puts the place in front of a reader's message. */
static int place(const struct scenario *s, unsigned line, int ret, struct err *e)
{
	struct err why = *e;

	return ret == -EINVAL ? conf_fail(&s->conf, line, e, "%s", why.text) : ret;
}

static int read_matrix(struct scenario *s, struct err *e)
{
	for (size_t i = 0; i < s->conf.entries; i++) {
		const struct conf_entry *entry = &s->conf.entry[i];
		int ret;

		if (strcmp(s->conf.section[entry->section].title, "matrix") != 0)
			continue;
		ret = read_dimension(s, entry, e);
		if (ret)
			return place(s, entry->line, ret, e);
	}
	return 0;
}

static int read_title(struct scenario *s, const struct conf_section *section, struct err *e)
{
	static const char *const titles[] = {"matrix", "table", "claim", NULL};
	const char *title = section->title;
	int ret = 0;

	if (strcmp(title, "claim") == 0)
		ret = err_set(e, EINVAL, "a claim has a name: [claim NAME]");
	else if (is_claim(title))
		ret = claim_read_begin(s, title + strlen(CLAIM), section->line, e);
	else if (*title && strcmp(title, "matrix") != 0 && strcmp(title, "table") != 0)
		ret = scenario_unknown("section", title, titles, e);
	return place(s, section->line, ret, e);
}

static int read_section(struct scenario *s, size_t section, struct err *e)
{
	for (size_t i = 0; i < s->conf.entries; i++) {
		struct conf_entry *entry = &s->conf.entry[i];
		int ret;

		if (entry->section != section)
			continue;
		ret = read_entry(s, entry, e);
		if (ret)
			return place(s, entry->line, ret, e);
	}
	return 0;
}

static int read_sections(struct scenario *s, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < s->conf.sections; i++)
		ret = read_title(s, &s->conf.section[i], e);
	if (ret == 0)
		ret = read_matrix(s, e);
	for (size_t i = 0; ret == 0 && i < s->conf.sections; i++)
		ret = read_section(s, i, e);
	for (size_t i = 0; ret == 0 && i < s->claims; i++)
		ret = place(s, s->claim[i].line, claim_read_end(&s->claim[i], e), e);
	return ret;
}

static int check_whole(const struct scenario *s, struct err *e)
{
	if (!s->summary)
		return err_set(e, EINVAL, "%s: there is no 'summary'", s->conf.file);
	if (s->dimensions == 0)
		return err_set(e, EINVAL, "%s: [matrix] says nothing", s->conf.file);
	if (s->columns == 0)
		return err_set(e, EINVAL, "%s: [table] says nothing", s->conf.file);
	return 0;
}

int scenario_parse(struct scenario *s, const char *file, const char *text, size_t size_bytes,
		   struct err *e)
{
	int ret;

	*s = (struct scenario){.repeats = DEFAULT_REPEATS, .timeout_s = DEFAULT_TIMEOUT_S};
	ret = conf_parse(&s->conf, file, text, size_bytes, e);
	if (ret == 0)
		ret = read_sections(s, e);
	return ret ? ret : check_whole(s, e);
}
