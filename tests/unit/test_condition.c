/* SPDX-License-Identifier: MIT */
/* Unit tests of conditions: operators, numbers and words, "and". */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "bench/condition.h"

/* cpus=16 nodes=2 lpj=known */
static const char *lookup(void *ctx, const char *name)
{
	(void)ctx;
	if (strcmp(name, "cpus") == 0)
		return "16";
	if (strcmp(name, "nodes") == 0)
		return "2";
	return strcmp(name, "lpj") == 0 ? "known" : NULL;
}

static const struct {
	const char *text;
	bool holds;
} row[] = {
	{"cpus = 16", true},
	{"cpus=16", true},
	{" cpus =\t016 ", true},
	{"cpus != 16", false},
	{"cpus < 16", false},
	{"cpus <= 16", true},
	{"cpus > 15", true},
	{"cpus >= 17", false},
	{"cpus > 9", true}, /* as numbers, not as text */
	{"nodes < cpus", true},
	{"cpus < nodes", false},
	{"lpj = known", true},
	{"lpj != known", false},
	{"lpj = preset", false},
	{"lpj < preset", false}, /* words have no order */
	{"lpj > preset", false},
	{"lpj >= known", false},
	{"cpus = x", false},
	{"cpus != x", true},
	{"other = 1", false}, /* not known: nothing holds of it */
	{"other != 1", false},
	{"cpus = 16 and lpj = known", true},
	{"cpus = 16 and lpj = preset", false},
	{"cpus = 15 and lpj = known", false},
};

START_TEST(test_holds)
{
	char text[64];
	struct condition c;
	struct err e = {""};

	snprintf(text, sizeof(text), "%s", row[_i].text);
	ck_assert_msg(condition_parse(&c, text, &e) == 0, "%s", e.text);
	ck_assert_msg(condition_holds(&c, lookup, NULL) == row[_i].holds, "%s", row[_i].text);
}
END_TEST

START_TEST(test_always)
{
	const struct condition none = {.terms = 0};

	ck_assert(condition_holds(&none, lookup, NULL));
}
END_TEST

START_TEST(test_refused)
{
	static const char *const refused[] = {
		"",
		"cpus",
		"cpus =",
		"= 16",
		"cpus ! 16",
		"cpus = = 16",
		"cpus =< 3",
		"cpus and nodes",
		"cpus = 1 and ",
		" and cpus = 1",
		"1 = 1 = 1",
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		char text[64];
		struct condition c;
		struct err e;

		snprintf(text, sizeof(text), "%s", refused[i]);
		ck_assert_msg(condition_parse(&c, text, &e) == -EINVAL, "'%s'", refused[i]);
	}
}
END_TEST

START_TEST(test_terms)
{
	char four[] = "a=1 and b=2 and c=3 and d!=4",
	     five[] = "a=1 and b=2 and c=3 and d=4 and e=5";
	char text[CONDITION_TEXT_SIZE];
	struct condition c;
	struct err e;

	ck_assert_int_eq(condition_parse(&c, four, &e), 0);
	ck_assert_str_eq(condition_text(&c, text), "a = 1 and b = 2 and c = 3 and d != 4");
	ck_assert_int_eq(condition_parse(&c, five, &e), -EINVAL);
	ck_assert_str_eq(e.text, "more than 4 terms");
}
END_TEST

Suite *condition_suite(void)
{
	Suite *s = suite_create("condition");
	TCase *c = tcase_create("condition");

	tcase_add_loop_test(c, test_holds, 0, (int)(sizeof(row) / sizeof(row[0])));
	tcase_add_test(c, test_always);
	tcase_add_test(c, test_refused);
	tcase_add_test(c, test_terms);
	suite_add_tcase(s, c);
	return s;
}
