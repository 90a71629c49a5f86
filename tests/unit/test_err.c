/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/err.c. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/err.h"

START_TEST(returns_the_negative_code)
{
	struct err e;

	ck_assert_int_eq(err_set(&e, ENOENT, "no %s", "file"), -ENOENT);
	ck_assert_str_eq(e.text, "no file");
}
END_TEST

START_TEST(null_drops_the_text)
{
	ck_assert_int_eq(err_set(NULL, EIO, "lost %d", 1), -EIO);
}
END_TEST

START_TEST(may_wrap_its_own_text)
{
	struct err e;

	err_set(&e, EINVAL, "inner");
	err_set(&e, EINVAL, "outer: %s", e.text);
	ck_assert_str_eq(e.text, "outer: inner");
}
END_TEST

START_TEST(long_text_is_cut)
{
	struct err e;
	char text[2 * sizeof(e.text)];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	err_set(&e, EINVAL, "%s", text);
	ck_assert_uint_eq(strlen(e.text), sizeof(e.text) - 1);
}
END_TEST

START_TEST(control_characters_are_replaced)
{
	struct err e;

	err_set(&e, EINVAL, "%s", "a\nb\033[1m\x7f \xc3\xa9");
	ck_assert_str_eq(e.text, "a?b?[1m? \xc3\xa9");
}
END_TEST

Suite *err_suite(void)
{
	Suite *s = suite_create("err");
	TCase *tc = tcase_create("err");

	tcase_add_test(tc, returns_the_negative_code);
	tcase_add_test(tc, null_drops_the_text);
	tcase_add_test(tc, may_wrap_its_own_text);
	tcase_add_test(tc, long_text_is_cut);
	tcase_add_test(tc, control_characters_are_replaced);
	suite_add_tcase(s, tc);
	return s;
}
