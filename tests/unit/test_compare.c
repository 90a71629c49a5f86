/* SPDX-License-Identifier: MIT */
/* Unit tests of `vpup compare`: pairs, verdicts, tables, hosts. */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "bench/compare.h"
#include "bench/compare_print.h"
#include "bench/host_diff.h"
#include "bench/metric_kind.h"

static const struct compare_options defaults = {COMPARE_ALPHA, COMPARE_MIN_EFFECT, false};

/* A document with nothing in it but runs. */
static json_t *document(void)
{
	return json_pack("{s:[]}", "runs");
}

/* n runs of these params (JSON) in which metric goes from `from` in steps. */
static void add(json_t *doc, const char *params, const char *metric, size_t n, double from,
		double step)
{
	for (size_t i = 0; i < n; i++) {
		json_t *run = json_pack("{s:o, s:{s:f}}", "params", json_loads(params, 0, NULL),
					"metrics", metric, from + (double)i * step);

		ck_assert_ptr_nonnull(run);
		json_array_append_new(json_object_get(doc, "runs"), run);
	}
}

static void compare(struct comparison *c, json_t *base, json_t *new)
{
	struct err e = {""};

	ck_assert_msg(compare_runs(c, base, new, NULL, &defaults, &e) == 0, "%s", e.text);
}

/* The verdict on a metric that has 10 values on either side, far closer together than the minimum effect. */
static struct compare_row one_row(const char *metric, double base_from, double new_from)
{
	json_t *base = document(), *new = document();
	struct compare_row row;
	struct comparison c;

	add(base, "{}", metric, 10, base_from, 0.01);
	add(new, "{}", metric, 10, new_from, 0.01);
	compare(&c, base, new);
	ck_assert_uint_eq(c.rows, 1);
	row = c.row[0];
	row.params = NULL;
	row.metric = NULL;
	compare_fini(&c);
	json_decref(new);
	json_decref(base);
	return row;
}

START_TEST(test_verdicts)
{
	ck_assert_int_eq(one_row("smp_bringup_ms", 100, 111).verdict, VERDICT_WORSE);
	ck_assert_int_eq(one_row("smp_bringup_ms", 100, 90).verdict, VERDICT_BETTER);
	ck_assert_int_eq(one_row("smp_bringup_ms", 100, 100.02).verdict, VERDICT_SAME);
	/* significant, but too small to matter */
	ck_assert_double_le(one_row("smp_bringup_ms", 100, 104).p_adjusted, 0.0001);
	ck_assert_int_eq(one_row("smp_bringup_ms", 100, 104).verdict, VERDICT_SAME);
}
END_TEST

START_TEST(test_effect)
{
	struct compare_row row = one_row("stage.init_ms", 100, 111);

	ck_assert_double_eq_tol(row.shift, 11, 1e-9);
	ck_assert_double_eq_tol(row.effect, 11 / 100.045, 1e-9);
	ck_assert(row.interval[0] <= row.shift && row.shift <= row.interval[1]);
	ck_assert_double_eq_tol(row.p, 2.0 / 184756, 1e-12); /* C(20, 10) */
	ck_assert_double_eq(row.median[0], 100.045);
}
END_TEST

/* From a base of 0 no part of it can be told; any significant shift counts. */
START_TEST(test_base_zero)
{
	json_t *base = document(), *new = document();
	struct comparison c;

	add(base, "{}", "lpj_error_ppm", 10, 0, 0);
	add(new, "{}", "lpj_error_ppm", 10, 0, 0);
	compare(&c, base, new);
	ck_assert_int_eq(c.row[0].verdict, VERDICT_SAME);
	compare_fini(&c);
	json_decref(new);

	new = document();
	add(new, "{}", "lpj_error_ppm", 10, 3, 0);
	compare(&c, base, new);
	ck_assert_int_eq(c.row[0].verdict, VERDICT_WORSE);
	ck_assert(isinf(c.row[0].effect));
	compare_fini(&c);
	json_decref(new);
	json_decref(base);
}
END_TEST

/* A constant count needs no statistics, and one exit more is one too many. */
START_TEST(test_counts)
{
	json_t *base = document(), *more = document(), *few = document(), *vary = document();
	struct comparison c;

	add(base, "{}", "exits", 5, 380, 0);
	add(more, "{}", "exits", 5, 381, 0);
	add(few, "{}", "exits", 4, 381, 0);
	add(vary, "{}", "exits", 10, 376, 1);
	compare(&c, base, more);
	ck_assert(c.row[0].is_count);
	ck_assert_uint_eq(c.tests, 0);
	ck_assert_int_eq(c.row[0].verdict, VERDICT_WORSE);
	compare_fini(&c);
	compare(&c, more, base);
	ck_assert_int_eq(c.row[0].verdict, VERDICT_BETTER);
	compare_fini(&c);
	compare(&c, base, few); /* four equal values do not make a constant */
	ck_assert(!c.row[0].is_count);
	compare_fini(&c);
	compare(&c, base, vary);
	ck_assert(!c.row[0].is_count);
	ck_assert_int_eq(c.row[0].verdict, VERDICT_SAME);
	compare_fini(&c);
	json_decref(vary);
	json_decref(few);
	json_decref(more);
	json_decref(base);
}
END_TEST

/* With three runs not even samples that do not overlap are evidence. */
START_TEST(test_too_few)
{
	json_t *base = document(), *new = document();
	struct comparison c;

	add(base, "{}", "startup_ms", 3, 10, 1);
	add(new, "{}", "startup_ms", 3, 1000, 1);
	compare(&c, base, new);
	ck_assert_int_eq(c.row[0].verdict, VERDICT_UNCLEAR);
	ck_assert(c.row[0].is_too_few);
	ck_assert_uint_eq(c.row[0].runs_needed, 5);
	compare_fini(&c);
	json_decref(new);
	json_decref(base);
}
END_TEST

/* Twenty metrics: p of one in 126 is nothing special, and the runs needed grow. */
START_TEST(test_corrected)
{
	json_t *base = document(), *new = document();
	struct comparison c;

	for (int i = 0; i < 20; i++) {
		char metric[16];

		snprintf(metric, sizeof(metric), "m%d_ms", i);
		add(base, "{}", metric, 5, 100, 1);
		add(new, "{}", metric, 5, i == 0 ? 200 : 100, 1);
	}
	compare(&c, base, new);
	ck_assert_uint_eq(c.tests, 20);
	ck_assert_double_eq_tol(c.row[0].p, 2.0 / 252, 1e-12);
	ck_assert_double_eq_tol(c.row[0].p_adjusted, 40.0 / 252, 1e-12);
	ck_assert_int_eq(c.row[0].verdict, VERDICT_UNCLEAR);
	ck_assert_uint_eq(c.row[0].runs_needed, 8); /* 2 / C(16, 8) < 0.01 / 20 <= 2 / C(14, 7) */
	compare_fini(&c);
	json_decref(new);
	json_decref(base);
}
END_TEST

/* What moves by 20 % while it is measured proves nothing by moving 10 %. */
START_TEST(test_drift)
{
	struct compare_options o = defaults;
	json_t *base = document(), *new = document();
	struct comparison c;

	add(base, "{}", "create_ms", 20, 100, 0.01);
	add(base, "{}", "create_ms", 20, 120, 0.01);
	add(new, "{}", "create_ms", 40, 130, 0.01);
	compare(&c, base, new);
	ck_assert_double_le(c.row[0].p_adjusted, 0.01);
	ck_assert_double_eq_tol(c.row[0].drift, 20, 0.1);
	ck_assert_int_eq(c.row[0].verdict, VERDICT_UNCLEAR);
	compare_fini(&c);
	o.is_interleaved = true;
	ck_assert_int_eq(compare_runs(&c, base, new, NULL, &o, NULL), 0);
	ck_assert_int_eq(c.row[0].verdict, VERDICT_WORSE);
	compare_fini(&c);
	json_decref(new);
	json_decref(base);
}
END_TEST

START_TEST(test_pairs)
{
	json_t *base = document(), *new = document();
	struct comparison c;

	add(base, "{\"cpus\":2,\"lpj\":\"fine\"}", "create_ms", 8, 1, 0.001);
	add(base, "{\"cpus\":4,\"lpj\":\"fine\"}", "create_ms", 8, 2, 0.001);
	add(new, "{\"lpj\":\"fine\",\"cpus\":4}", "create_ms", 8, 3, 0.001);
	add(new, "{\"lpj\":\"fine\",\"cpus\":8}", "create_ms", 8, 3, 0.001);
	add(new, "{\"lpj\":\"fine\",\"cpus\":4}", "startup_ms", 8, 3, 0.001);
	compare(&c, base, new);
	ck_assert_uint_eq(c.rows, 1);
	ck_assert_int_eq(c.row[0].verdict, VERDICT_WORSE);
	ck_assert_uint_eq(json_array_size(c.notes), 3);
	ck_assert_str_eq(json_string_value(json_array_get(c.notes, 0)),
			 "only NEW has the metric startup_ms, at lpj=fine cpus=4");
	ck_assert_str_eq(json_string_value(json_array_get(c.notes, 1)),
			 "only BASE has 1 cell, such as cpus=2");
	compare_fini(&c);
	json_decref(new);
	json_decref(base);
}
END_TEST

/* A later vpup may know of more parameters. */
START_TEST(test_new_parameter)
{
	json_t *base = document(), *new = document(), *two = document();
	struct comparison c;
	struct err e;

	add(base, "{\"cpus\":2}", "create_ms", 8, 1, 0.001);
	add(new, "{\"cpus\":2,\"synic\":\"off\"}", "create_ms", 8, 1, 0.001);
	compare(&c, base, new);
	ck_assert_uint_eq(c.rows, 1);
	ck_assert_str_eq(json_string_value(json_array_get(c.notes, 0)),
			 "only NEW has the parameter synic (always off); it is ignored");
	compare_fini(&c);
	add(two, "{\"cpus\":2,\"synic\":\"off\"}", "create_ms", 8, 1, 0.001);
	add(two, "{\"cpus\":2,\"synic\":\"serial\"}", "create_ms", 8, 1, 0.001);
	ck_assert_int_eq(compare_runs(&c, base, two, NULL, &defaults, &e), -EINVAL);
	ck_assert_ptr_nonnull(strstr(e.text, "synic is - in BASE and off in NEW"));
	compare_fini(&c);
	json_decref(two);
	json_decref(new);
	json_decref(base);
}
END_TEST

START_TEST(test_no_pairs)
{
	json_t *base = document(), *new = document(), *ignored = json_pack("{s:b}", "impl", 1);
	struct comparison c;
	struct err e;

	add(base, "{\"impl\":\"qemu\"}", "create_ms", 8, 1, 0.001);
	add(new, "{\"impl\":\"vpup\"}", "create_ms", 8, 1, 0.001);
	ck_assert_int_eq(compare_runs(&c, base, new, NULL, &defaults, &e), -EINVAL);
	ck_assert_str_eq(e.text, "no runs of equal parameters: impl is qemu in BASE and vpup in "
				 "NEW; --ignore impl compares all the same");
	compare_fini(&c);
	ck_assert_int_eq(compare_runs(&c, base, new, ignored, &defaults, &e), 0);
	compare_fini(&c);
	json_decref(ignored);
	json_decref(new);
	json_decref(base);
}
END_TEST

START_TEST(test_kinds)
{
	ck_assert_int_eq(metric_kind_of("anything_ms").better, METRIC_LESS_IS_BETTER);
	ck_assert_int_eq(metric_kind_of("lpj_error_ppm").better, METRIC_LESS_IS_BETTER);
	ck_assert_int_eq(metric_kind_of("lpj_max").better, METRIC_NOT_JUDGED);
	ck_assert_int_eq(metric_kind_of("_ms").better, METRIC_NOT_JUDGED);
	ck_assert_int_eq(metric_kind_of("stage.init_sum_ms").better, METRIC_NOT_JUDGED);
	ck_assert_int_eq(metric_kind_of("stage.init_cycles").better, METRIC_NOT_JUDGED);
	ck_assert_int_eq(metric_kind_of("").better, METRIC_NOT_JUDGED);
	ck_assert(metric_kind_of("exits").is_count);
}
END_TEST

START_TEST(test_table_width)
{
	const char *params = "{\"cpus\":1024,\"smp\":\"serial\\u001b[31m\",\"lpj\":\"calibrate\"}";
	json_t *base = document(), *new = document();
	struct comparison c;
	char line[512];
	FILE *f = tmpfile();

	add(base, params, "cost.hypercall_unknown_us", 20, 123456, 9000);
	add(new, params, "cost.hypercall_unknown_us", 18, 123456, 9999);
	add(base, "{\"cpus\":1,\"smp\":\"a-very-long-value-of-a-parameter\",\"lpj\":\"x\"}",
	    "startup_ms", 3, 1, 2);
	add(new, "{\"cpus\":1,\"smp\":\"a-very-long-value-of-a-parameter\",\"lpj\":\"x\"}",
	    "startup_ms", 3, 1, 2);
	compare(&c, base, new);
	ck_assert_int_eq(compare_print(f, &c, false), 0);
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		ck_assert_uint_le(strlen(line), 101);
		ck_assert_ptr_null(strchr(line, 0x1b));
	}
	fclose(f);
	compare_fini(&c);
	json_decref(new);
	json_decref(base);
}
END_TEST

static size_t host_warnings(const char *base, const char *new, const char *expected)
{
	json_t *a = json_pack("{s:o}", "host", json_loads(base, 0, NULL)), *warnings = json_array();
	json_t *b = json_pack("{s:o}", "host", json_loads(new, 0, NULL));
	size_t count;

	ck_assert_int_eq(host_diff(a, b, warnings), 0);
	count = json_array_size(warnings);
	if (expected)
		ck_assert_str_eq(json_string_value(json_array_get(warnings, 0)), expected);
	json_decref(warnings);
	json_decref(b);
	json_decref(a);
	return count;
}

START_TEST(test_hosts)
{
	ck_assert_uint_eq(host_warnings("{}", "{}", NULL), 0);
	ck_assert_uint_eq(host_warnings("{\"kernel\":null}", "{\"kernel\":\"6.1\"}", NULL), 0);
	host_warnings("{\"kernel\":\"6.1\"}", "{\"kernel\":\"6.12\"}",
		      "different host kernels: 6.1 in BASE, 6.12 in NEW");
	host_warnings("{\"kvm_module\":\"kvm_amd\",\"emulated\":false}",
		      "{\"kvm_module\":\"kvm_pvm\",\"emulated\":true}",
		      "different KVM modules: kvm_amd in BASE, kvm_pvm in NEW");
	ck_assert_uint_eq(host_warnings("{\"tsc_khz\":2445430}", "{\"tsc_khz\":2445431}", NULL), 0);
	host_warnings("{\"tsc_khz\":2445430}", "{\"tsc_khz\":2600000}",
		      "different TSC frequencies (kHz): 2445430 in BASE, 2600000 in NEW");
	ck_assert_uint_eq(host_warnings("{\"load\":[1.9,0,0],\"cpus_online\":2}",
					"{\"load\":[0,9,9],\"cpus_online\":2}", NULL),
			  0);
	host_warnings("{\"load\":[2.5,0,0],\"cpus_online\":2}", "{\"cpus_online\":2}",
		      "the host of BASE was busy: load 2.50 on 2 CPUs");
}
END_TEST

Suite *compare_suite(void)
{
	Suite *s = suite_create("compare");
	TCase *c = tcase_create("compare");

	tcase_add_test(c, test_verdicts);
	tcase_add_test(c, test_effect);
	tcase_add_test(c, test_base_zero);
	tcase_add_test(c, test_counts);
	tcase_add_test(c, test_too_few);
	tcase_add_test(c, test_corrected);
	tcase_add_test(c, test_drift);
	tcase_add_test(c, test_pairs);
	tcase_add_test(c, test_new_parameter);
	tcase_add_test(c, test_no_pairs);
	tcase_add_test(c, test_kinds);
	tcase_add_test(c, test_table_width);
	tcase_add_test(c, test_hosts);
	suite_add_tcase(s, c);
	return s;
}
