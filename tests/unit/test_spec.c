/* SPDX-License-Identifier: MIT */
/* Unit tests of specifications: keys, units, ranges, lists without quotes. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/spec.h"

struct fields {
	uint64_t number;
	int64_t time, skew, fraction;
	uint64_t flag, choice;
	struct id_list list;
};

#define FIELD(name) offsetof(struct fields, name)

static const char *const words[] = {"red", "green", NULL};

static const struct spec_key keys[] = {
	{"number", SPEC_NUMBER, FIELD(number), 1, 9, NULL},
	{"time", SPEC_TIME, FIELD(time), 1000, 10000000000, NULL},
	{"skew", SPEC_TIME, FIELD(skew), -1000000, 1000000, NULL},
	{"fraction", SPEC_FRACTION, FIELD(fraction), 0, 1000000, NULL},
	{"flag", SPEC_FLAG, FIELD(flag), 0, 0, NULL},
	{"choice", SPEC_CHOICE, FIELD(choice), 0, 0, words},
	{"list", SPEC_LIST, FIELD(list), 0, 20, NULL},
	{NULL, 0, 0, 0, 0, NULL},
};

static int parse(struct fields *f, const char *text, struct err *e)
{
	*f = (struct fields){.number = 5};
	return spec_parse("--test", text, keys, f, e);
}

START_TEST(sets_what_is_named)
{
	struct fields f;
	struct err e;

	ck_assert_int_eq(parse(&f, "time=2.5ms,list=1-3,8,flag,fraction=30%,choice=green", &e), 0);
	ck_assert_uint_eq(f.number, 5);
	ck_assert_int_eq(f.time, 2500000);
	ck_assert_int_eq(f.fraction, 300000);
	ck_assert_uint_eq(f.flag, 1);
	ck_assert_uint_eq(f.choice, 1);
	ck_assert_uint_eq(f.list.count, 4);
	ck_assert_uint_eq(f.list.id[3], 8);
	id_list_fini(&f.list);
	/* The last one of two counts, and the list before it is not lost. */
	ck_assert_int_eq(parse(&f, "list=1,2,list=3,number=7,number=8", &e), 0);
	ck_assert_uint_eq(f.list.count, 1);
	ck_assert_uint_eq(f.number, 8);
	id_list_fini(&f.list);
}
END_TEST

static const struct {
	const char *text;
	int64_t time, skew, fraction;
} values[] = {
	{"time=1000ns", 1000, 0, 0},      {"time=1us", 1000, 0, 0},
	{"time=10s", 10000000000, 0, 0},  {"skew=-100us", 0, -100000, 0},
	{"skew=+1ms", 0, 1000000, 0},     {"skew=0ns", 0, 0, 0},
	{"fraction=500ppm", 0, 0, 500},   {"fraction=0.05%", 0, 0, 500},
	{"fraction=100%", 0, 0, 1000000},
};

START_TEST(takes_units)
{
	struct fields f;
	struct err e = {""};

	ck_assert_msg(parse(&f, values[_i].text, &e) == 0, "%s", e.text);
	ck_assert_int_eq(f.time, values[_i].time);
	ck_assert_int_eq(f.skew, values[_i].skew);
	ck_assert_int_eq(f.fraction, values[_i].fraction);
}
END_TEST

static const struct {
	const char *text;
	const char *says;
} refused[] = {
	{"", "unknown key ''"},
	{"nubmer=1", "did you mean 'number'"},
	{"colour=1", "it takes number, time"},
	{"number", "number needs a value"},
	{"number=", "it must be from 1 to 9"},
	{"number=0", "it must be from 1 to 9"},
	{"number=10", "it must be from 1 to 9"},
	{"number=1x", "it must be from 1 to 9"},
	{"number=1,2", "number=1,2: it must be"},
	{"time=5", "it must be from 1us to 10s, in ns, us, ms or s"},
	{"time=999ns", "it must be from 1us"},
	{"time=10.1s", "it must be from 1us"},
	{"time=+5ms", "it must be from 1us"},
	{"time=ms", "it must be from 1us"},
	{"time=5 ms", "it must be from 1us"},
	{"time=1e3us", "it must be from 1us"},
	{"time=nan", "it must be from 1us"},
	{"skew=-1001us", "it must be from -1ms to 1ms"},
	{"skew=--1us", "it must be from -1ms to 1ms"},
	{"fraction=-1%", "it must be from 0 to 100%, in % or ppm"},
	{"fraction=101%", "it must be from 0 to 100%"},
	{"fraction=30", "it must be from 0 to 100%"},
	{"flag=1", "flag takes no value"},
	{"choice=blue", "it must be red or green"},
	{"list=21", "list: '21' is not a number"},
	{"list=", "list: '' is not a number"},
	{"number=1,", "unknown key ''"},
	{",number=1", "unknown key ''"},
};

START_TEST(refuses_what_is_wrong)
{
	struct fields f;
	struct err e = {""};

	ck_assert_int_eq(parse(&f, refused[_i].text, &e), -EINVAL);
	ck_assert_msg(strstr(e.text, "--test: ") == e.text && strstr(e.text, refused[_i].says),
		      "%s", e.text);
	id_list_fini(&f.list);
}
END_TEST

START_TEST(long_text_is_cut_in_errors)
{
	char text[1000];
	struct fields f;
	struct err e;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(parse(&f, text, &e), -EINVAL);
	memcpy(text, "time=1", 6);
	ck_assert_int_eq(parse(&f, text, &e), -EINVAL);
	ck_assert(strstr(e.text, "it must be"));
}
END_TEST

START_TEST(finds_words)
{
	ck_assert_int_eq(spec_word("green:list=1", ":", words), 1);
	ck_assert_int_eq(spec_word("red", ":", words), 0);
	ck_assert_int_eq(spec_word("re", ":", words), -1);
	ck_assert_int_eq(spec_word("reds", ":", words), -1);
	ck_assert_int_eq(spec_word("", ":", words), -1);
}
END_TEST

Suite *spec_suite(void)
{
	Suite *s = suite_create("spec");
	TCase *c = tcase_create("spec");

	suite_add_tcase(s, c);
	tcase_add_test(c, sets_what_is_named);
	tcase_add_loop_test(c, takes_units, 0, sizeof(values) / sizeof(values[0]));
	tcase_add_loop_test(c, refuses_what_is_wrong, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(c, long_text_is_cut_in_errors);
	tcase_add_test(c, finds_words);
	return s;
}
