/* SPDX-License-Identifier: MIT */
/* Unit tests of the reader of test lines. */
#include <check.h>
#include <string.h>

#include "bench/conformance_result.h"
#include "bench/tap.h"
#include "tests/unit/suites.h"

START_TEST(test_lines)
{
	const char *at =
		"# host\nok 1 - a: b\nrubbish\nnot ok 22 - c\nok 3 - d # SKIP not offered\n"
		"okay\nok 4\n1..4";
	struct tap_line line;

	ck_assert(tap_next(&at, &line) && line.ok && !line.reason);
	ck_assert(line.name_size == 4 && memcmp(line.name, "a: b", 4) == 0);
	ck_assert(tap_next(&at, &line) && !line.ok && !line.reason);
	ck_assert(line.name_size == 1 && *line.name == 'c');
	ck_assert(tap_next(&at, &line) && line.ok && line.reason);
	ck_assert(line.name_size == 1 && *line.name == 'd');
	ck_assert(line.reason_size == 11 && memcmp(line.reason, "not offered", 11) == 0);
	ck_assert(tap_next(&at, &line) && line.ok && line.name_size == 0);
	ck_assert(!tap_next(&at, &line));
	ck_assert(!tap_next(&at, &line));
	ck_assert_str_eq(at, "");
}
END_TEST

static bool said(const struct tap_line *line, const char *text)
{
	return line->said && line->said_size == strlen(text) &&
	       memcmp(line->said, text, line->said_size) == 0;
}

START_TEST(test_what_was_found)
{
	const char *at = "not ok 1 - a\n# a: got 3, wanted 4\nok 2 - b\n# b: median 7\n# b: got 1\n"
			 "ok 3 - c\nnot ok 4 - d: got 5\n# d: got 6";
	struct tap_line line;

	ck_assert(tap_next(&at, &line) && said(&line, "got 3, wanted 4"));
	ck_assert(tap_next(&at, &line) && !line.said);
	ck_assert(tap_next(&at, &line) && !line.said);
	ck_assert(tap_next(&at, &line) && said(&line, "got 6"));
}
END_TEST

static void check_counts(const char *text, unsigned passed, unsigned failed, unsigned skipped,
			 bool is_planned)
{
	struct tap_counts n = tap_count(text);

	ck_assert_uint_eq(n.passed, passed);
	ck_assert_uint_eq(n.failed, failed);
	ck_assert_uint_eq(n.skipped, skipped);
	ck_assert(n.planned == is_planned);
}

START_TEST(test_counts)
{
	check_counts(NULL, 0, 0, 0, false);
	check_counts("", 0, 0, 0, false);
	check_counts("1..0\n", 0, 0, 0, false);
	check_counts("ok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP no\n1..3\n", 1, 1, 1, true);
	check_counts("1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c", 2, 1, 0, true);
	check_counts("ok 1 - a\n1..2\n", 1, 0, 0, false); /* one is missing */
	check_counts("ok 1 - a\n", 1, 0, 0, false);       /* ended early */
	check_counts("ok 1 - a # SKIPPED?\n1..1\n", 1, 0, 0, true);
}
END_TEST

START_TEST(test_result)
{
	char *const command[] = {(char *)"conformance", NULL};
	json_t *run = json_pack("{s:{s:s}}", "host", "kernel", "6.1");
	json_t *r = conformance_result("ok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP no\n1..3\n", run,
				       "user", command);
	const char *schema, *hyperv, *kernel, *name, *skipped;
	int passed, failed, skips, complete, ok0, ok1;

	ck_assert_int_eq(json_unpack(r, "{s:s, s:s, s:{s:s}, s:[{s:b}, {s:b}, {s:s, s:s}!]}",
				     "schema", &schema, "hyperv", &hyperv, "host", "kernel",
				     &kernel, "tests", "ok", &ok0, "ok", &ok1, "name", &name,
				     "skipped", &skipped),
			 0);
	ck_assert_int_eq(json_unpack(r, "{s:i, s:i, s:i, s:b}", "passed", &passed, "failed",
				     &failed, "skipped", &skips, "complete", &complete),
			 0);
	ck_assert_str_eq(schema, "vpup.conformance/1");
	ck_assert_str_eq(hyperv, "user");
	ck_assert_str_eq(kernel, "6.1");
	ck_assert_str_eq(name, "c");
	ck_assert_str_eq(skipped, "no");
	ck_assert(ok0 && !ok1 && passed == 1 && failed == 1 && skips == 1 && complete);
	json_decref(r);
	r = conformance_result(NULL, NULL, "user", command);
	ck_assert_int_eq(json_unpack(r, "{s:b}", "complete", &complete), 0);
	ck_assert(!complete && json_array_size(json_object_get(r, "tests")) == 0);
	json_decref(r);
	json_decref(run);
}
END_TEST

Suite *tap_suite(void)
{
	Suite *s = suite_create("tap");
	TCase *c = tcase_create("tap");

	tcase_add_test(c, test_lines);
	tcase_add_test(c, test_what_was_found);
	tcase_add_test(c, test_counts);
	tcase_add_test(c, test_result);
	suite_add_tcase(s, c);
	return s;
}
