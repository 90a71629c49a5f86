/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/console_keys.c. */
#include <check.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/console_keys.h"

static struct console_keys keys;
static uint8_t out[64];
static size_t kept;
static enum console_action action;

static void setup(void)
{
	keys = (struct console_keys){0};
	memset(out, 0, sizeof(out));
}

static size_t type(const char *in)
{
	return console_keys_filter(&keys, (const uint8_t *)in, strlen(in), out, &kept, &action);
}

START_TEST(ordinary_keys_are_the_guests)
{
	ck_assert_uint_eq(type("ls -l\r\003x"), 8);
	ck_assert_uint_eq(kept, 8);
	ck_assert_mem_eq(out, "ls -l\r\003x", 8);
	ck_assert_int_eq(action, CONSOLE_NOTHING);
}
END_TEST

START_TEST(actions)
{
	static const struct {
		const char *in;
		enum console_action action;
	} rows[] = {
		{"\001x", CONSOLE_QUIT},  {"\001h", CONSOLE_HELP}, {"\001?", CONSOLE_HELP},
		{"\001p", CONSOLE_POWER}, {"\001s", CONSOLE_SIZE}, {"\001z", CONSOLE_NOTHING},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_uint_eq(type(rows[i].in), 2);
		ck_assert_uint_eq(kept, 0);
		ck_assert_int_eq(action, rows[i].action);
	}
}
END_TEST

START_TEST(an_action_ends_the_piece)
{
	ck_assert_uint_eq(type("ab\001hcd"), 4);
	ck_assert_uint_eq(kept, 2);
	ck_assert_int_eq(action, CONSOLE_HELP);
	ck_assert_uint_eq(type("cd"), 2);
	ck_assert_mem_eq(out, "cd", 2);
}
END_TEST

START_TEST(the_escape_itself)
{
	ck_assert_uint_eq(type("\001\001b"), 3);
	ck_assert_uint_eq(kept, 2);
	ck_assert_mem_eq(out, "\001b", 2);
	/* in two pieces */
	type("\001");
	ck_assert_uint_eq(kept, 0);
	type("x");
	ck_assert_int_eq(action, CONSOLE_QUIT);
}
END_TEST

Suite *console_keys_suite(void)
{
	Suite *s = suite_create("console_keys");
	TCase *t = tcase_create("console_keys");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, ordinary_keys_are_the_guests);
	tcase_add_test(t, actions);
	tcase_add_test(t, an_action_ends_the_piece);
	tcase_add_test(t, the_escape_itself);
	suite_add_tcase(s, t);
	return s;
}
