/* SPDX-License-Identifier: MIT */
/* Unit tests of summaries: grouping, missing metrics, look-up, and their JSON. */
#include <check.h>
#include <jansson.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "bench/summary.h"

static json_t *load(const char *text)
{
	json_error_t error;
	json_t *value = json_loads(text, 0, &error);

	ck_assert_msg(value != NULL, "%s", error.text);
	return value;
}

/* Interleaved, with params written in another order, and one run that lacks a metric. */
static const char runs_text[] =
	"[{\"params\":{\"cpus\":1,\"lpj\":\"a\"},\"metrics\":{\"smp_bringup_ms\":10,\"exits\":1}},"
	" {\"params\":{\"cpus\":1,\"lpj\":\"b\"},\"metrics\":{\"smp_bringup_ms\":5}},"
	" {\"params\":{\"lpj\":\"a\",\"cpus\":1},\"metrics\":{\"smp_bringup_ms\":14}},"
	" {\"params\":{\"cpus\":1,\"lpj\":\"b\"},\"metrics\":{\"smp_bringup_ms\":7,\"new\":3}},"
	" {\"params\":{\"cpus\":\"1\",\"lpj\":\"a\"},\"metrics\":{\"smp_bringup_ms\":99}}]";

START_TEST(test_groups)
{
	json_t *runs = load(runs_text);
	struct summary s;
	struct err e;

	ck_assert_int_eq(summary_compute(&s, runs, &e), 0);
	ck_assert_uint_eq(s.rows, 5);
	ck_assert_str_eq(s.row[0].metric, "smp_bringup_ms");
	ck_assert_uint_eq(s.row[0].stats.n, 2);
	ck_assert_double_eq(s.row[0].stats.median, 12);
	ck_assert_double_eq(s.row[0].stats.max, 14);
	ck_assert_str_eq(s.row[1].metric, "exits");
	ck_assert_uint_eq(s.row[1].stats.n, 1);
	ck_assert_double_eq(s.row[2].stats.median, 6);
	ck_assert_str_eq(s.row[3].metric, "new");
	ck_assert_double_eq(s.row[4].stats.median, 99); /* "1" is not 1 */
	summary_fini(&s);
	json_decref(runs);
}
END_TEST

START_TEST(test_find)
{
	json_t *runs = load(runs_text), *params = load("{\"lpj\":\"b\"}"),
	       *none = load("{\"hz\":1}");
	const struct stats *found;
	struct summary s;
	struct err e;

	ck_assert_int_eq(summary_compute(&s, runs, &e), 0);
	found = summary_find(&s, params, "smp_bringup_ms");
	ck_assert_ptr_nonnull(found);
	ck_assert_double_eq(found->median, 6);
	ck_assert_ptr_null(summary_find(&s, params, "exits"));
	ck_assert_ptr_null(summary_find(&s, none, "smp_bringup_ms"));
	summary_fini(&s);
	json_decref(none);
	json_decref(params);
	json_decref(runs);
}
END_TEST

START_TEST(test_json)
{
	json_t *runs = load(runs_text), *list, *row, *expected;
	struct summary s;
	struct err e;

	ck_assert_int_eq(summary_compute(&s, runs, &e), 0);
	list = summary_json(&s);
	ck_assert_uint_eq(json_array_size(list), 5);
	row = json_array_get(list, 1);
	expected = load("{\"params\":{\"cpus\":1,\"lpj\":\"a\"},\"metric\":\"exits\","
			"\"unit\":\"exits\",\"n\":1,\"median\":1,\"p5\":1,\"p95\":1,\"mad\":0,"
			"\"ci95\":[1.0,1.0]}");
	ck_assert(json_equal(row, expected));
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, 3), "unit")), "");
	json_decref(expected);
	json_decref(list);
	summary_fini(&s);
	json_decref(runs);
}
END_TEST

START_TEST(test_no_runs)
{
	json_t *runs = json_array(), *list;
	struct summary s;
	struct err e;

	ck_assert_int_eq(summary_compute(&s, runs, &e), 0);
	ck_assert_uint_eq(s.rows, 0);
	list = summary_json(&s);
	ck_assert_uint_eq(json_array_size(list), 0);
	ck_assert(json_is_array(list));
	json_decref(list);
	summary_fini(&s);
	json_decref(runs);
}
END_TEST

Suite *summary_suite(void)
{
	Suite *s = suite_create("summary");
	TCase *c = tcase_create("summary");

	tcase_add_test(c, test_groups);
	tcase_add_test(c, test_find);
	tcase_add_test(c, test_json);
	tcase_add_test(c, test_no_runs);
	suite_add_tcase(s, c);
	return s;
}
