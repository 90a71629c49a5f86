/* SPDX-License-Identifier: MIT */
/* Unit tests of number lists: what parses, what is refused, how they are shown. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/id_list.h"

static const struct {
	const char *text;
	const char *shown; /* NULL: refused */
	size_t count;
} cases[] = {
	{"0", "0", 1},
	{"0-3,8", "0-3,8", 5},
	{"8,0-3", "8,0-3", 5},
	{"5-5", "5", 1},
	{"1,1", "1,1", 2},
	{"1,2,3,7", "1-3,7", 4},
	{"100", "100", 1},
	{"101", NULL, 0},
	{"99-101", NULL, 0},
	{"3-1", NULL, 0},
	{"", NULL, 0},
	{",", NULL, 0},
	{"1,", NULL, 0},
	{",1", NULL, 0},
	{"1,,2", NULL, 0},
	{"1-", NULL, 0},
	{"-1", NULL, 0},
	{"1-2-3", NULL, 0},
	{"1 ,2", NULL, 0},
	{"x", NULL, 0},
	{"1000000000000000000000000000000000000000", NULL, 0},
};

START_TEST(parses_lists)
{
	struct id_list l = {0};
	char text[ID_LIST_TEXT_SIZE];
	struct err e = {""};
	int ret = id_list_parse(&l, cases[_i].text, 100, &e);

	if (!cases[_i].shown) {
		ck_assert_int_eq(ret, -EINVAL);
		ck_assert(strstr(e.text, "rising range up to 100"));
	} else {
		ck_assert_int_eq(ret, 0);
		ck_assert_uint_eq(l.count, cases[_i].count);
		id_list_text(&l, text);
		ck_assert_str_eq(text, cases[_i].shown);
	}
	id_list_fini(&l);
}
END_TEST

START_TEST(is_bounded)
{
	struct id_list l = {0};
	struct err e;

	ck_assert_int_eq(id_list_parse(&l, "0-65535", 65535, &e), 0);
	ck_assert_uint_eq(l.count, ID_LIST_MAX);
	ck_assert(id_list_has(&l, 65535));
	ck_assert_int_eq(id_list_add(&l, 1), -E2BIG);
	id_list_fini(&l);
	ck_assert_int_eq(id_list_parse(&l, "0-65535,0", 65535, &e), -E2BIG);
	ck_assert(strstr(e.text, "at most 65536"));
	id_list_fini(&l);
}
END_TEST

START_TEST(shows_what_fits)
{
	struct id_list l = {0};
	char text[ID_LIST_TEXT_SIZE];

	for (uint32_t i = 0; i < 60; i += 2)
		ck_assert_int_eq(id_list_add(&l, i), 0);
	id_list_text(&l, text);
	ck_assert(strlen(text) < sizeof(text));
	ck_assert(strstr(text, "0,2,4,") == text);
	ck_assert_str_eq(text + strlen(text) - 3, "...");
	id_list_fini(&l);
	id_list_text(&l, text);
	ck_assert_str_eq(text, "");
}
END_TEST

Suite *id_list_suite(void)
{
	Suite *s = suite_create("id_list");
	TCase *c = tcase_create("id_list");

	suite_add_tcase(s, c);
	tcase_add_loop_test(c, parses_lists, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(c, is_bounded);
	tcase_add_test(c, shows_what_fits);
	return s;
}
