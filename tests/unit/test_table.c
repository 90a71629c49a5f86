/* SPDX-License-Identifier: MIT */
/* Unit tests of the terminal table. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "bench/table.h"

static char *print(const struct table *t)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	table_print(t, f);
	fclose(f);
	return text;
}

START_TEST(test_aligned)
{
	struct table t = {0};
	char *text;

	table_add_column(&t, "lpj", "", true);
	table_add_column(&t, "bring-up", "ms", false);
	table_add_column(&t, "note", "", true);
	ck_assert_int_eq(table_add_cell(&t, "calibrate"), 0);
	ck_assert_int_eq(table_add_cell(&t, "1180"), 0);
	ck_assert_int_eq(table_add_cell(&t, "a"), 0);
	ck_assert_int_eq(table_add_cell(&t, "fine"), 0);
	ck_assert_int_eq(table_add_cell(&t, "16.1"), 0);
	ck_assert_int_eq(table_add_cell(&t, "longer"), 0);
	ck_assert_int_eq(table_add_cell(&t, "not a whole row"), 0);
	text = print(&t);
	ck_assert_str_eq(text, "lpj              bring-up  note\n"
			       "                       ms  \n"
			       "calibrate            1180  a\n"
			       "fine                 16.1  longer\n");
	free(text);
	table_fini(&t);
}
END_TEST

START_TEST(test_head_only)
{
	struct table t = {0};
	char *text;

	table_add_column(&t, "cpus", "", false);
	text = print(&t);
	ck_assert_str_eq(text, "cpus\n    \n");
	free(text);
	table_fini(&t);
}
END_TEST

/* Wider than the terminal: the widest columns give way, and no line is longer than it may be. */
START_TEST(test_too_wide)
{
	char wide[91], wider[101];
	struct table t = {0};
	char *text;

	memset(wide, 'w', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	memset(wider, 'x', sizeof(wider) - 1);
	wider[sizeof(wider) - 1] = '\0';
	table_add_column(&t, "first", "", true);
	table_add_column(&t, "second", "", false);
	table_add_column(&t, "n", "", false);
	ck_assert_int_eq(table_add_cell(&t, wide), 0);
	ck_assert_int_eq(table_add_cell(&t, wider), 0);
	ck_assert_int_eq(table_add_cell(&t, "42"), 0);
	text = print(&t);
	for (char *rest = text, *line; (line = strsep(&rest, "\n")) && rest;)
		ck_assert_uint_eq(strlen(line), TABLE_WIDTH);
	free(text);
	text = print(&t);
	ck_assert_ptr_nonnull(strstr(text, "w~  x"));
	ck_assert_ptr_nonnull(strstr(text, "x~  42\n"));
	free(text);
	table_fini(&t);
}
END_TEST

START_TEST(test_exactly_as_wide)
{
	char wide[TABLE_WIDTH + 1];
	struct table t = {0};
	char *text;

	memset(wide, 'w', TABLE_WIDTH);
	wide[TABLE_WIDTH] = '\0';
	table_add_column(&t, "only", "", true);
	ck_assert_int_eq(table_add_cell(&t, wide), 0);
	text = print(&t);
	ck_assert_ptr_nonnull(strstr(text, wide));
	free(text);
	table_fini(&t);
}
END_TEST

/* Plots are UTF-8 and count by columns; where there is no room they are the first to go. */
START_TEST(test_plots)
{
	struct table t = {.width = 12};
	char *text;

	table_add_column(&t, "a", "", false);
	table_add_plot(&t, "bar");
	table_add_column(&t, "ms", "", false);
	ck_assert_int_eq(table_add_cell(&t, "1"), 0);
	ck_assert_int_eq(table_add_cell(&t, "█▏"), 0);
	ck_assert_int_eq(table_add_cell(&t, "42"), 0);
	ck_assert_int_eq(table_add_cell(&t, "2"), 0);
	ck_assert_int_eq(table_add_cell(&t, ""), 0);
	ck_assert_int_eq(table_add_cell(&t, "4711"), 0);
	text = print(&t);
	ck_assert_str_eq(text, "a  bar    ms\n"
			       "            \n"
			       "1  █▏     42\n"
			       "2       4711\n");
	free(text);
	t.width = 11;
	text = print(&t);
	ck_assert_str_eq(text, "a    ms\n"
			       "       \n"
			       "1    42\n"
			       "2  4711\n");
	free(text);
	table_fini(&t);
}
END_TEST

START_TEST(test_number)
{
	static const struct {
		double value;
		const char *text;
	} row[] = {
		{0, "0"},          {1180.4, "1180"},         {100, "100"},
		{99.94, "99.9"},   {16.13, "16.1"},          {9.994, "9.99"},
		{1, "1.00"},       {0.4521, "0.452"},        {0.00002, "0.000"},
		{-16.13, "-16.1"}, {12345678.9, "12345679"}, {1e300, "1e+300"},
	};
	char text[NUMBER_TEXT_SIZE];

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ck_assert_str_eq(table_number(text, row[i].value), row[i].text);
}
END_TEST

Suite *table_suite(void)
{
	Suite *s = suite_create("table");
	TCase *c = tcase_create("table");

	tcase_add_test(c, test_aligned);
	tcase_add_test(c, test_head_only);
	tcase_add_test(c, test_too_wide);
	tcase_add_test(c, test_exactly_as_wide);
	tcase_add_test(c, test_plots);
	tcase_add_test(c, test_number);
	suite_add_tcase(s, c);
	return s;
}
