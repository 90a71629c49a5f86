/* SPDX-License-Identifier: MIT */
/* Unit tests of what the command line parses: numbers, sizes, seconds, suggestions. */
#include <check.h>
#include <errno.h>

#include "tests/unit/suites.h"
#include "vmm/cli.h"

START_TEST(parses_whole_numbers_alone)
{
	static const struct {
		const char *s;
		int ret;
		uint64_t val;
	} cases[] = {
		{"0", 0, 0},
		{"16", 0, 16},
		{"0x10", 0, 16},
		{"0X1f", 0, 31},
		{"010", 0, 10},
		{"100", 0, 100},
		{"101", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"1x", -EINVAL, 0},
		{"x", -EINVAL, 0},
		{"18446744073709551616", -ERANGE, 0},
		{"99999999999999999999999", -ERANGE, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t val = 0;

		ck_assert_int_eq(cli_parse_u64(cases[i].s, 0, 100, &val), cases[i].ret);
		ck_assert_uint_eq(val, cases[i].val);
	}
}
END_TEST

START_TEST(parses_sizes)
{
	static const struct {
		const char *s;
		int ret;
		uint64_t val;
	} cases[] = {
		{"4096", 0, 4096},
		{"4k", 0, 4096},
		{"256M", 0, 256ull << 20},
		{"256MiB", 0, 256ull << 20},
		{"3G", 0, 3ull << 30},
		{"1T", 0, 1ull << 40},
		{"0", 0, 0},
		{"16777215T", 0, 16777215ull << 40},
		{"16777216T", -ERANGE, 0},
		{"M", -EINVAL, 0},
		{"1X", -EINVAL, 0},
		{"1MM", -EINVAL, 0},
		{"-1M", -EINVAL, 0},
		{"1.5G", -EINVAL, 0},
		{"", -EINVAL, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t val = 0;

		ck_assert_int_eq(cli_parse_size(cases[i].s, &val), cases[i].ret);
		ck_assert_uint_eq(val, cases[i].val);
	}
}
END_TEST

START_TEST(parses_seconds)
{
	double val = -1;

	ck_assert_int_eq(cli_parse_seconds("2.5", &val), 0);
	ck_assert_double_eq(val, 2.5);
	ck_assert_int_eq(cli_parse_seconds(".25", &val), 0);
	ck_assert_double_eq(val, 0.25);
	ck_assert_int_eq(cli_parse_seconds("inf", &val), -EINVAL);
	ck_assert_int_eq(cli_parse_seconds("1e999", &val), -EINVAL);
	ck_assert_int_eq(cli_parse_seconds("nan", &val), -EINVAL);
	ck_assert_int_eq(cli_parse_seconds("-1", &val), -EINVAL);
	ck_assert_int_eq(cli_parse_seconds("1s", &val), -EINVAL);
	ck_assert_int_eq(cli_parse_seconds(".", &val), -EINVAL);
	ck_assert_int_eq(cli_parse_seconds("", &val), -EINVAL);
	ck_assert_double_eq(val, 0.25);
}
END_TEST

START_TEST(suggests_the_nearest_word)
{
	static const char *const words[] = {"run", "bench", "doctor", "timeline", "timeout", NULL};

	ck_assert_str_eq(cli_suggest("rn", words), "run");
	ck_assert_str_eq(cli_suggest("ben", words), "bench");
	ck_assert_str_eq(cli_suggest("dcotor", words), "doctor");
	ck_assert_str_eq(cli_suggest("tmieout", words), "timeout");
	ck_assert_ptr_null(cli_suggest("frobnicate", words));
	ck_assert_ptr_null(cli_suggest("", words));
	ck_assert_ptr_null(
		cli_suggest("a word that is much longer than any option of this program", words));
}
END_TEST

Suite *cli_suite(void)
{
	Suite *s = suite_create("cli");
	TCase *t = tcase_create("cli");

	tcase_add_test(t, parses_whole_numbers_alone);
	tcase_add_test(t, parses_sizes);
	tcase_add_test(t, parses_seconds);
	tcase_add_test(t, suggests_the_nearest_word);
	suite_add_tcase(s, t);
	return s;
}
