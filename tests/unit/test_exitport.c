/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/exitport.c. */
#include <check.h>

#include "tests/unit/suites.h"
#include "devices/exitport.h"

struct seen {
	unsigned exits;
	uint32_t code;
};

static struct seen seen;
static struct exitport port;

static void on_exit_code(void *ctx, uint32_t code)
{
	struct seen *s = ctx;

	s->exits++;
	s->code = code;
}

static void setup(void)
{
	struct exitport_env env = {.exit = on_exit_code, .ctx = &seen};

	seen = (struct seen){0};
	exitport_init(&port, &env);
}

START_TEST(write_reports_the_code)
{
	exitport_write(&port, 0, 1);
	ck_assert_uint_eq(seen.exits, 1);
	ck_assert_uint_eq(seen.code, 0);

	exitport_write(&port, 0x12345678, 4);
	ck_assert_uint_eq(seen.exits, 2);
	ck_assert_uint_eq(seen.code, 0x12345678);
}
END_TEST

START_TEST(code_is_as_wide_as_the_access)
{
	exitport_write(&port, 0xffffff02, 1);
	ck_assert_uint_eq(seen.code, 0x02);
	exitport_write(&port, 0xffff0102, 2);
	ck_assert_uint_eq(seen.code, 0x0102);
	exitport_write(&port, UINT32_MAX, 4);
	ck_assert_uint_eq(seen.code, UINT32_MAX);
}
END_TEST

START_TEST(read_gives_all_ones_and_no_exit)
{
	ck_assert_uint_eq(exitport_read(&port, 1), 0xff);
	ck_assert_uint_eq(exitport_read(&port, 2), 0xffff);
	ck_assert_uint_eq(exitport_read(&port, 4), 0xffffffff);
	ck_assert_uint_eq(seen.exits, 0);
}
END_TEST

Suite *exitport_suite(void)
{
	Suite *s = suite_create("exitport");
	TCase *tc = tcase_create("exitport");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, write_reports_the_code);
	tcase_add_test(tc, code_is_as_wide_as_the_access);
	tcase_add_test(tc, read_gives_all_ones_and_no_exit);
	suite_add_tcase(s, tc);
	return s;
}
