/* SPDX-License-Identifier: MIT */
/* Unit tests of scenario files: those built in, what can be said, and every kind of mistake. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "bench/plan.h"
#include "bench/scenario.h"

static const char good[] = "summary = s\n"
			   "repeat = 3\n"
			   "timeout = 2.5\n"
			   "require = exits lpj_min\n"
			   "show = hz\n"
			   "zip = cpus nodes\n"
			   "skip = nodes > cpus, cpus > 100 and lpj = fine\n"
			   "[matrix]\n"
			   "cpus = 2, 4-5\n"
			   "nodes = 1, 2, 8\n"
			   "hz = 250\n"
			   "lpj = fine, preset\n"
			   "[table]\n"
			   "the head = median exits\n"
			   "speed-up = ratio exits lpj=fine\n"
			   "a VP = per exits cpus\n"
			   "[claim one]\n"
			   "text = it is\n"
			   "ratio = exits lpj=fine lpj=preset\n"
			   "where = cpus >= 4\n"
			   "min = -1.5\n"
			   "[claim two]\n"
			   "text = it grows by\n"
			   "growth = exits cpus\n"
			   "max = 2\n"
			   "at = 1780\n";

static int parse(struct scenario *s, const char *text, struct err *e)
{
	return scenario_parse(s, "my.scenario", text, strlen(text), e);
}

static void check_condition(const struct condition *c, const char *expected)
{
	char text[CONDITION_TEXT_SIZE];

	ck_assert_str_eq(condition_text(c, text), expected);
}

START_TEST(test_good)
{
	struct scenario s;
	struct err e = {""};

	ck_assert_msg(parse(&s, good, &e) == 0, "%s", e.text);
	ck_assert_str_eq(s.summary, "s");
	ck_assert_uint_eq(s.repeats, 3);
	ck_assert_double_eq(s.timeout_s, 2.5);
	ck_assert_uint_eq(s.requireds, 2);
	ck_assert_str_eq(s.required[1], "lpj_min");
	ck_assert_uint_eq(s.dimensions, 4);
	ck_assert_str_eq(s.dimension[0].values, "2, 4-5");
	ck_assert(s.dimension[2].is_shown && !s.dimension[0].is_shown);
	ck_assert_uint_eq(s.skips, 2);
	check_condition(&s.skip[0], "nodes > cpus");
	check_condition(&s.skip[1], "cpus > 100 and lpj = fine");
	ck_assert_uint_eq(s.columns, 3);
	ck_assert_str_eq(s.column[0].head, "the head");
	ck_assert_int_eq(s.column[1].kind, COLUMN_RATIO);
	ck_assert_str_eq(s.column[1].base, "fine");
	ck_assert_str_eq(s.column[2].key, "cpus");
	ck_assert_uint_eq(s.claims, 2);
	ck_assert(s.claim[0].has_min && !s.claim[0].has_max);
	ck_assert_double_eq(s.claim[0].min, -1.5);
	check_condition(&s.claim[0].where, "cpus >= 4");
	ck_assert_int_eq(s.claim[1].kind, CLAIM_GROWTH);
	ck_assert_double_eq(s.claim[1].at, 1780);
	scenario_fini(&s);
}
END_TEST

/* Each says what has to be put in the place of what, and what must be the answer. */
static const struct {
	const char *from;
	const char *to;
	const char *says;
} broken[] = {
	{"summary = s\n", "", "my.scenario: there is no 'summary'"},
	{"summary", "sumary", "my.scenario:1: unknown key 'sumary'; did you mean 'summary'?"},
	{"summary", "x-ray", "my.scenario:1: unknown key 'x-ray'; possible are summary, repeat, "},
	{"summary = s", "summary =", ":1: summary: nothing stands behind the '='"},
	{"summary = s", "summary", ":1: 'summary' is neither KEY = VALUE nor [SECTION]"},
	{"summary = s", "= s", ":1: '= s' is neither"},
	{"summary = s", "summary = a\x01", ":1: there is a control character"},
	{"repeat = 3", "summary = 3", ":2: 'summary' is there twice, first in line 1"},
	{"repeat = 3", "repeat = 0", ":2: repeat: '0' is not a whole number from 1 to 1000"},
	{"repeat = 3", "repeat = 1001", ":2: repeat: '1001'"},
	{"2.5", "0", ":3: timeout: '0' is not a number of seconds above 0"},
	{"exits lpj_min", "exit", ":4: unknown metric 'exit'; did you mean 'exits'?"},
	{"exits lpj_min", "beauty", ":4: unknown metric 'beauty'; docs/results.md lists them"},
	{"show = hz", "show = smp", ":5: 'smp' is not in [matrix]"},
	{"nodes > cpus,", "nodes >< cpus,", ":7: 'nodes >< cpus' is no condition, such as"},
	{"nodes > cpus,", "nodes,", ":7: 'nodes' is no condition"},
	{"nodes > cpus,", ",", ":7: '' is no condition"},
	{"nodes > cpus,", "node > cpus,",
	 ":7: 'node' is neither in [matrix] nor one of host.max_vps, host.cpus"},
	{"nodes > cpus,", "host.max > cpus,", ":7: 'host.max' is neither"},
	{"[matrix]", "[matrx]", ":8: unknown section 'matrx'; did you mean 'matrix'?"},
	{"[matrix]", "[matrix", ":8: a section is [NAME], with nothing behind it"},
	{"[matrix]", "[matrix] #", ":8: a section is [NAME]"},
	{"[matrix]", "[]", ":8: a section is [NAME], and has a name"},
	{"cpus = 2, 4-5", "cpus = 0", ":9: cpus: '0' is no number or range from 1 to 65535"},
	{"cpus = 2, 4-5", "cpus = 5-4", ":9: cpus: '5-4' is no number or range"},
	{"cpus = 2, 4-5", "cpu = 2", ":9: can't vary 'cpu'; did you mean 'cpus'?"},
	{"hz = 250", "cpus = 1", ":11: 'cpus' is there twice, first in line 9"},
	{"lpj = fine, preset", "lpj = fine, fine", ":12: lpj: 'fine' is given twice"},
	{"[table]", "[matrix]", ":13: [matrix] is there twice, first in line 8"},
	{"= median exits", "= medium exits",
	 ":14: unknown statistic 'medium'; did you mean 'median'?"},
	{"= median exits", "= median", ":14: the metric is missing"},
	{"= median exits", "= median exits cpus", ":14: 'cpus' is too much here"},
	{"the head", "a head of no end", NULL},
	{"the head", "a head of no ends", ":14: a column's head has up to 16 characters"},
	{"ratio exits lpj=fine\n", "ratio exits\n", ":15: '' is not KEY=VALUE"},
	{"ratio exits lpj=fine\n", "ratio exits smp=full\n", ":15: 'smp' is not in [matrix]"},
	{"ratio exits lpj=fine\n", "ratio exits lpj=find\n",
	 ":15: lpj: 'find' is not one of calibrate"},
	{"ratio exits lpj=fine\n", "ratio exits lpj=\n", ":15: 'lpj=' is not KEY=VALUE"},
	{"per exits cpus", "per exits", ":16: the dimension is missing"},
	{"per exits cpus", "per exits lpj", ":16: 'lpj' is not a dimension of numbers"},
	{"[claim one]", "[claim]", ":17: a claim has a name: [claim NAME]"},
	{"[claim two]", "[claim one]", ":22: [claim one] is there twice, first in line 17"},
	{"text = it is", "txt = it is", ":18: unknown key 'txt'; did you mean 'text'?"},
	{"text = it is\n", "", ":17: claim 'one' has no 'text'"},
	{"lpj=fine lpj=preset", "lpj=fine hz=250",
	 ":19: a ratio compares two values of one dimension"},
	{"where = cpus >= 4", "where = cups >= 4", ":20: 'cups' is neither in [matrix]"},
	{"min = -1.5", "min = 1.5x", ":21: '1.5x' is not a number"},
	{"min = -1.5", "min = nan", ":21: 'nan' is not a number"},
	{"min = -1.5", "min = 2\nmax = 1", ":17: claim 'one' allows nothing: min is above max"},
	{"min = -1.5", "at = 5", ":17: claim 'one': 'at' needs 'growth'"},
	{"min = -1.5", "value = max exits",
	 ":21: a claim has one of 'ratio', 'growth' and 'value'"},
	{"growth = exits cpus\n", "", ":22: claim 'two' has none of 'ratio', 'growth' and 'value'"},
	{"growth = exits cpus", "value = exits",
	 ":24: unknown statistic 'exits'; possible are median"},
	{"growth = exits cpus", "growth = exits lpj", ":24: 'lpj' is not a dimension of numbers"},
};

/* good, with the first `from` replaced. Malloc'ed. */
static char *replaced(const char *from, const char *to)
{
	const char *at = strstr(good, from);
	char *text = NULL;

	ck_assert_ptr_nonnull(at);
	ck_assert_int_ge(asprintf(&text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from)),
			 0);
	return text;
}

START_TEST(test_broken)
{
	char *text = replaced(broken[_i].from, broken[_i].to);
	struct err e = {""};
	struct scenario s;
	int ret = parse(&s, text, &e);

	if (broken[_i].says) {
		ck_assert_int_eq(ret, -EINVAL);
		ck_assert_msg(strstr(e.text, broken[_i].says) != NULL, "'%s' lacks '%s'", e.text,
			      broken[_i].says);
	} else {
		ck_assert_msg(ret == 0, "%s", e.text);
	}
	scenario_fini(&s);
	free(text);
}
END_TEST

START_TEST(test_empty_parts)
{
	struct scenario s;
	struct err e;

	ck_assert_int_eq(parse(&s, "", &e), -EINVAL);
	ck_assert_str_eq(e.text, "my.scenario: there is no 'summary'");
	scenario_fini(&s);
	ck_assert_int_eq(parse(&s, "summary = s\n[table]\nx = median exits\n", &e), -EINVAL);
	ck_assert_str_eq(e.text, "my.scenario: [matrix] says nothing");
	scenario_fini(&s);
	ck_assert_int_eq(parse(&s, "summary = s\n[table]\n[matrix]\ncpus = 1", &e), -EINVAL);
	ck_assert_str_eq(e.text, "my.scenario: [table] says nothing");
	scenario_fini(&s);
	ck_assert_int_eq(scenario_parse(&s, "f", "summary\0= s", 11, &e), -EINVAL);
	ck_assert_str_eq(e.text, "f: this is no text file");
	scenario_fini(&s);
}
END_TEST

static void check_many(const char *start, const char *line, const char *says)
{
	struct scenario s;
	char *text = NULL;
	struct err e;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	fputs(start, f);
	for (int i = 0; i < 300; i++)
		fprintf(f, "%s%d%s\n", line, i, *line == '[' ? "]" : " = count exits");
	fclose(f);
	ck_assert_int_eq(parse(&s, text, &e), -EINVAL);
	ck_assert_msg(strstr(e.text, says) != NULL, "'%s' lacks '%s'", e.text, says);
	scenario_fini(&s);
	free(text);
}

/* More than there is room for, of everything that there can be more of. */
START_TEST(test_too_many)
{
	check_many("", "[", ":16: more than 15 sections");
	check_many("", "k", ":257: more than 256 lines");
}
END_TEST

START_TEST(test_built_in)
{
	const struct plan_settings none = {.count = 0};
	size_t n = 0;

	for (; scenario_files[n].name; n++) {
		struct err e = {""};
		struct scenario s;
		struct plan p;
		int ret = scenario_load(&s, scenario_files[n].name, &e);

		ck_assert_msg(ret == 0, "%s", e.text);
		ck_assert_str_eq(s.name, scenario_files[n].name);
		ret = plan_build(&p, &s, &none, s.repeats, &e);
		ck_assert_msg(ret == 0 || ret == -ENODEV, "%s: %s", s.name, e.text);
		plan_fini(&p);
		scenario_fini(&s);
	}
	ck_assert_uint_ge(n, 2);
}
END_TEST

START_TEST(test_load)
{
	static const struct {
		const char *name;
		const char *says;
	} row[] = {
		{"ljp", "no scenario 'ljp'; did you mean 'lpj'?"},
		{"frobnicate", "possible are: lpj, numa-lpj"},
		{"", "no scenario ''"},
		{"./lpj", "can't read './lpj': No such file"},
		{"none.scenario", "can't read 'none.scenario': No such file"},
		{"/tmp/", "/tmp/"},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct scenario s;
		struct err e;

		ck_assert_int_lt(scenario_load(&s, row[i].name, &e), 0);
		ck_assert_msg(strstr(e.text, row[i].says) != NULL, "'%s' lacks '%s'", e.text,
			      row[i].says);
		scenario_fini(&s);
	}
}
END_TEST

static void plan(const char *key, const char *list, int expected, const char *says)
{
	struct plan_settings settings = {.count = 1};
	struct scenario s;
	struct err e = {""};
	struct plan p;

	snprintf(settings.setting[0].key, sizeof(settings.setting[0].key), "%s", key);
	settings.setting[0].list = list;
	ck_assert_int_eq(parse(&s, good, &e), 0);
	ck_assert_int_eq(plan_build(&p, &s, &settings, 3, &e), expected);
	ck_assert_msg(strstr(e.text, says) != NULL, "'%s' lacks '%s'", e.text, says);
	plan_fini(&p);
	scenario_fini(&s);
}

START_TEST(test_plan)
{
	const struct plan_settings none = {.count = 0};
	struct scenario s;
	struct err e = {""};
	struct plan p;

	ck_assert_int_eq(parse(&s, good, &e), 0);
	ck_assert_int_eq(plan_build(&p, &s, &none, 3, &e), 0);
	ck_assert_uint_eq(p.cells, 4); /* 2/1 and 4/2, but not 5/8, with two lpj each */
	ck_assert_uint_eq(p.skipped[0], 2);
	ck_assert_uint_eq(plan_skipped(&p), 2);
	ck_assert_uint_eq(p.cell[3], 3);
	plan_fini(&p);
	scenario_fini(&s);
	plan("nodes", "9", -ENODEV, "nothing to run: of 6 cells 6 are skipped, as nodes > cpus");
	plan("nodes", "1,2", -EINVAL, "nodes and cpus go together, but one has 2 values");
	plan("memory", "x,y", 0, "");
	plan("weather", "x", -EINVAL, "can't vary 'weather'");
}
END_TEST

START_TEST(test_plan_too_large)
{
	static const char text[] = "summary = s\n[matrix]\ncpus = 1-1000\nnodes = 1-1000\n"
				   "[table]\nx = count exits\n";
	const struct plan_settings none = {.count = 0};
	struct scenario s;
	struct err e = {""};
	struct plan p;

	ck_assert_int_eq(parse(&s, text, &e), 0);
	ck_assert_int_eq(plan_build(&p, &s, &none, 5, &e), -EINVAL);
	ck_assert_str_eq(e.text, "1000000 cells, 5 times each, are more than 10000 runs");
	plan_fini(&p);
	scenario_fini(&s);
}
END_TEST

Suite *scenario_suite(void)
{
	Suite *s = suite_create("scenario");
	TCase *c = tcase_create("scenario");

	tcase_add_test(c, test_good);
	tcase_add_test(c, test_empty_parts);
	tcase_add_test(c, test_too_many);
	tcase_add_test(c, test_built_in);
	tcase_add_test(c, test_load);
	tcase_add_test(c, test_plan);
	tcase_add_test(c, test_plan_too_large);
	suite_add_tcase(s, c);
	c = tcase_create("mistakes");
	tcase_set_tags(c, "slow");
	tcase_set_timeout(c, 30);
	tcase_add_loop_test(c, test_broken, 0, (int)(sizeof(broken) / sizeof(broken[0])));
	suite_add_tcase(s, c);
	return s;
}
