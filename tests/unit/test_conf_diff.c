/* SPDX-License-Identifier: MIT */
/* Unit tests of the comparison of two conformance runs. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "bench/conformance_diff.h"
#include "bench/conformance_run.h"
#include "tests/unit/suites.h"

static const char user_lines[] = "ok 1 - a: same\n"
				 "ok 2 - a: both legal\n# a: got 5, wanted 3 or 5\n"
				 "not ok 3 - a: fails here\n# a: got 1, wanted 2\n"
				 "ok 4 - a: only here\n"
				 "ok 5 - a: skipped there\n"
				 "not ok 6 - a: fails on both, otherwise\n# a: got 1, wanted 2\n"
				 "ok 7 - a: in another order\n"
				 "1..7\n";
static const char kernel_lines[] = "ok 1 - a: in another order\n"
				   "ok 2 - a: same\n"
				   "ok 3 - a: both legal\n# a: got 3, wanted 3 or 5\n"
				   "ok 4 - a: fails here\n"
				   "ok 5 - a: skipped there # SKIP not offered\n"
				   "not ok 6 - a: fails on both, otherwise\n# a: got 7, wanted 2\n"
				   "ok 7 - a: only there\n"
				   "1..7\n";

static const char listed[] = "ok 1 - a: both legal\n"
			     "#   user: passed: got 5, wanted 3 or 5\n"
			     "#   kernel: passed: got 3, wanted 3 or 5\n"
			     "not ok 2 - a: fails here\n"
			     "#   user: failed: got 1, wanted 2\n"
			     "#   kernel: passed\n"
			     "not ok 3 - a: only here\n"
			     "#   user: passed\n"
			     "#   kernel: absent\n"
			     "not ok 4 - a: skipped there\n"
			     "#   user: passed\n"
			     "#   kernel: skipped: not offered\n"
			     "not ok 5 - a: fails on both, otherwise\n"
			     "#   user: failed: got 1, wanted 2\n"
			     "#   kernel: failed: got 7, wanted 2\n"
			     "not ok 6 - a: only there\n"
			     "#   user: absent\n"
			     "#   kernel: passed\n"
			     "ok 7 - 2 assertions have the same result\n"
			     "1..7\n";

static struct conformance_diff d;

static void compare(const char *user, const char *kernel)
{
	const struct conformance_side side[2] = {{.name = "user", .tap = user},
						 {.name = "kernel", .hv = "+ipi", .tap = kernel}};

	ck_assert_int_eq(conformance_diff(&d, side), 0);
}

static void check_printed(const char *want)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	conformance_diff_print(&d, out);
	fclose(out);
	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(each_kind_of_difference)
{
	compare(user_lines, kernel_lines);
	ck_assert_uint_eq(d.count, 6);
	ck_assert_uint_eq(d.differ, 5);
	ck_assert_uint_eq(d.same, 2);
	check_printed(listed);
	conformance_diff_free(&d);
}
END_TEST

START_TEST(no_difference)
{
	compare(user_lines, user_lines);
	ck_assert_uint_eq(d.differ, 0);
	check_printed("ok 1 - 7 assertions have the same result\n1..1\n");
	conformance_diff_free(&d);
	compare("", "");
	check_printed("ok 1 - 0 assertions have the same result\n1..1\n");
	conformance_diff_free(&d);
}
END_TEST

/* One name is the other's beginning. */
START_TEST(names_are_compared_whole)
{
	compare("ok 1 - a: SINT1\n", "ok 1 - a: SINT11\n");
	ck_assert_uint_eq(d.differ, 2);
	conformance_diff_free(&d);
}
END_TEST

START_TEST(as_json)
{
	char *const command[] = {(char *)"conformance", NULL};
	json_t *run = json_pack("{s:{s:s}}", "host", "kernel", "6.1"), *r, *one;
	const char *name, *user, *kernel, *said, *hv;
	int legal;

	compare(user_lines, kernel_lines);
	r = conformance_diff_result(&d, run, command);
	ck_assert_str_eq(json_string_value(json_object_get(r, "schema")),
			 "vpup.conformance-diff/1");
	ck_assert_int_eq(json_integer_value(json_object_get(r, "same")), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(r, "legal")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(r, "differ")), 5);
	ck_assert_int_eq(json_array_size(json_object_get(r, "differences")), 6);
	one = json_array_get(json_object_get(r, "differences"), 1);
	ck_assert_int_eq(json_unpack(one, "{s:s, s:b, s:{s:s, s:s}, s:{s:s}}", "name", &name,
				     "legal", &legal, "user", "result", &user, "said", &said,
				     "kernel", "result", &kernel),
			 0);
	ck_assert_str_eq(name, "a: fails here");
	ck_assert(!legal);
	ck_assert_str_eq(user, "failed");
	ck_assert_str_eq(said, "got 1, wanted 2");
	ck_assert_str_eq(kernel, "passed");
	ck_assert_int_eq(json_unpack(json_array_get(json_object_get(r, "sides"), 1), "{s:s}", "hv",
				     &hv),
			 0);
	ck_assert_str_eq(hv, "+ipi");
	json_decref(r);
	json_decref(run);
	conformance_diff_free(&d);
}
END_TEST

START_TEST(features_of_both_modes)
{
	char *user = conformance_common_features(HV_MODE_USER, NULL);
	char *kernel = conformance_common_features(HV_MODE_KERNEL, "-ipi");

	ck_assert_str_eq(user, "-sint-polling,+ipi,-start-vp,-vp-registers,-ext-calls");
	ck_assert_str_eq(kernel, "-vapic,-tlbflush,-ipi");
	free(user);
	free(kernel);
}
END_TEST

Suite *conf_diff_suite(void)
{
	Suite *s = suite_create("conf_diff");
	TCase *t = tcase_create("conf_diff");

	tcase_add_test(t, each_kind_of_difference);
	tcase_add_test(t, no_difference);
	tcase_add_test(t, names_are_compared_whole);
	tcase_add_test(t, as_json);
	tcase_add_test(t, features_of_both_modes);
	suite_add_tcase(s, t);
	return s;
}
