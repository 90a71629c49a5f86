/* SPDX-License-Identifier: MIT */
/* Unit tests of plots in a line, wrapped lines, and what a terminal can show. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "bench/plot.h"
#include "bench/term_style.h"
#include "bench/wrap.h"

START_TEST(test_bar)
{
	static const struct {
		double fraction;
		const char *utf8;
		const char *ascii;
	} row[] = {
		{0, "", ""},
		{1e-9, "▏", "-"}, /* something is never nothing */
		{0.125, "▌", "-"},
		{0.25, "█", "#"},
		{0.26, "█▏", "#-"},
		{0.99, "████", "####"},
		{1, "████", "####"},
		{7, "████", "####"},
		{-1, "", ""},
		{NAN, "", ""},
		{INFINITY, "████", "####"},
	};
	char text[PLOT_TEXT_SIZE(4)];

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		ck_assert_str_eq(plot_bar(text, 4, row[i].fraction, true), row[i].utf8);
		ck_assert_str_eq(plot_bar(text, 4, row[i].fraction, false), row[i].ascii);
	}
}
END_TEST

START_TEST(test_line)
{
	const double value[] = {0, 10, 5, NAN, -3, 99};
	char text[PLOT_TEXT_SIZE(6)];

	ck_assert_str_eq(plot_line(text, value, 6, 0, 10, true), "▁█▅ ▁█");
	ck_assert_str_eq(plot_line(text, value, 6, 0, 10, false), "_#= _#");
	ck_assert_str_eq(plot_line(text, value, 2, 5, 5, true), "▁▁"); /* all the same */
	ck_assert_str_eq(plot_line(text, value, 0, 0, 1, true), "");
}
END_TEST

START_TEST(test_spread)
{
	const double value[] = {0, 1, 1, 1, 4, 8, 100};
	char text[PLOT_TEXT_SIZE(4)];

	ck_assert_str_eq(plot_spread(text, 4, value, 7, 0, 8, true), "█ ▃▅");
	ck_assert_str_eq(plot_spread(text, 4, value, 3, 1, 1, false), "#   "); /* no width */
	ck_assert_str_eq(plot_spread(text, 4, value, 0, 0, 8, true), "    ");
}
END_TEST

static void check_wrap(const char *text, size_t width, const char *expected)
{
	char *got = NULL;
	size_t size;
	FILE *f = open_memstream(&got, &size);

	ck_assert_ptr_nonnull(f);
	wrap_print(f, text, width);
	fclose(f);
	ck_assert_str_eq(got, expected);
	free(got);
}

START_TEST(test_wrap)
{
	check_wrap("", 10, "\n");
	check_wrap("one two", 7, "one two\n");
	check_wrap("one two three", 7, "one two\n    three\n");
	check_wrap("one two", 6, "one\n    two\n");
	check_wrap("a-very-long-word b", 5, "a-very-long-word\n    b\n");
	check_wrap("a b c d e f", 7, "a b c d\n    e f\n");
}
END_TEST

START_TEST(test_style)
{
	struct term_facts facts = {.is_tty = true, .term = "xterm", .codeset = "UTF-8"};
	struct term_style s = term_style_from(&facts);

	ck_assert(s.is_terminal && s.has_colour && s.has_utf8);
	ck_assert_uint_eq(s.width, 100);
	facts.columns = 80;
	ck_assert_uint_eq(term_style_from(&facts).width, 80);
	facts.columns = 200;
	ck_assert_uint_eq(term_style_from(&facts).width, 100);
	facts.no_color = ""; /* counts only if it is not empty */
	ck_assert(term_style_from(&facts).has_colour);
	facts.no_color = "1";
	s = term_style_from(&facts);
	ck_assert(s.is_terminal && !s.has_colour);
	facts.codeset = "ANSI_X3.4-1968";
	ck_assert(!term_style_from(&facts).has_utf8);
	facts.no_color = NULL;
	facts.term = "dumb";
	s = term_style_from(&facts);
	ck_assert(!s.is_terminal && !s.has_colour);
	facts.term = NULL;
	ck_assert(!term_style_from(&facts).is_terminal);
	facts.term = "xterm";
	facts.is_tty = false;
	facts.columns = 80;
	s = term_style_from(&facts);
	ck_assert(!s.is_terminal && !s.has_colour && s.width == 100);
}
END_TEST

Suite *plot_suite(void)
{
	Suite *s = suite_create("plot");
	TCase *c = tcase_create("plot");

	tcase_add_test(c, test_bar);
	tcase_add_test(c, test_line);
	tcase_add_test(c, test_spread);
	tcase_add_test(c, test_wrap);
	tcase_add_test(c, test_style);
	suite_add_tcase(s, c);
	return s;
}
