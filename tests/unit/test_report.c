/* SPDX-License-Identifier: MIT */
/* Unit tests of `vpup report`: spans from marks, the data of a page, and what hostile text becomes. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "bench/report.h"
#include "bench/vp_spans.h"

static json_t *parse(const char *text)
{
	json_error_t error;
	json_t *value = json_loads(text, 0, &error);

	ck_assert_msg(value != NULL, "%s", error.text);
	return value;
}

/* The spans of a VP with these marks, as "NAME FROM-TO,...". */
static void check_spans(const char *guest_ms, const char *expected)
{
	json_t *vp = json_pack("{s:o}", "guest_ms", parse(guest_ms)), *spans = vp_spans(vp), *span;
	char text[512] = "";
	size_t i;

	ck_assert_ptr_nonnull(spans);
	json_array_foreach(spans, i, span)
	{
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s%s %g-%g", i ? "," : "",
			 json_string_value(json_array_get(span, 0)),
			 json_number_value(json_array_get(span, 1)),
			 json_number_value(json_array_get(span, 2)));
	}
	ck_assert_str_eq(text, expected);
	json_decref(spans);
	json_decref(vp);
}

START_TEST(test_spans)
{
	check_spans(
		"{\"kick\":1,\"start\":2,\"init\":3,\"calibrate\":4,\"calibrated\":6,\"online\":7}",
		"kick 1-2,init 2-3,ready 3-4,calibrate 4-6,go online 6-7");
	check_spans("{}", "");
	check_spans("{\"online\":7}", "");
	check_spans("{\"online\":7,\"synic\":9,\"synic_end\":10}", "SynIC 9-10");
	check_spans("{\"init\":3,\"kick\":1,\"start\":3}", "kick 1-3"); /* no span of no length */
}
END_TEST

/* Once released, a VP goes on with what it did before; one that waits at its entry begins. */
START_TEST(test_spans_wait)
{
	check_spans("{\"start\":1,\"init\":2,\"wait\":3,\"released\":5,\"calibrate\":6}",
		    "init 1-2,ready 2-3,wait for its turn 3-5,ready 5-6");
	check_spans("{\"kick\":1,\"wait\":2,\"released\":5,\"start\":5,\"init\":6}",
		    "kick 1-2,wait for its turn 2-5,init 5-6");
}
END_TEST

/* Marks that are no numbers or of no known name, and times that go back. */
START_TEST(test_spans_hostile)
{
	check_spans("{\"kick\":\"1\",\"start\":[],\"frobnicate\":3,\"init\":4,\"calibrate\":5}",
		    "ready 4-5");
	check_spans("{\"kick\":9,\"start\":2,\"init\":-3}", "ready -3-2,init 2-9");
}
END_TEST

static json_t *result(const char *kernel)
{
	return json_pack(
		"{s:{}, s:{s:s}, s:s, s:[{s:{s:i, s:s}, s:{s:f}, s:[{s:i, s:i}]}, {s:{s:i, "
		"s:s}, s:{s:f}, s:[]}]}",
		"tool", "host", "kernel", kernel, "scenario", "x,\"y\"", "runs", "params", "cpus",
		1, "a,b", "c\nd", "metrics", "create_ms", 1.5, "vps", "vp", 0, "lpj", 77, "params",
		"cpus", 1, "a,b", "c\nd", "metrics", "create_ms", 2.5, "vps");
}

static struct report report_of(char **path, json_t **document)
{
	return (struct report){.path = path, .document = document, .count = 1};
}

START_TEST(test_data)
{
	char name[] = "r.json", *path[] = {name};
	json_t *document = result("6.1"), *data, *file, *cell, *metric;
	struct report r = report_of(path, &document);
	struct err e;

	data = report_data(&r, &e);
	ck_assert_ptr_nonnull(data);
	file = json_array_get(json_object_get(data, "files"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(file, "name")), "r.json");
	cell = json_array_get(json_object_get(file, "cells"), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(cell, "runs")), 2);
	metric = json_object_get(json_object_get(cell, "metrics"), "create_ms");
	ck_assert_double_eq(json_number_value(json_object_get(metric, "median")), 2);
	ck_assert_str_eq(json_string_value(json_object_get(metric, "unit")), "ms");
	ck_assert_uint_eq(json_array_size(json_object_get(cell, "lpj")), 2);
	ck_assert_double_eq(json_number_value(
				    json_array_get(json_array_get(json_object_get(cell, "lpj"), 0),
						   0)),
			    77);
	json_decref(data);
	json_decref(document);
}
END_TEST

/* What a writer made, as a string for free(). */
static char *written(FILE *f)
{
	long size = ftell(f);
	char *text = calloc(1, (size_t)size + 1);

	ck_assert_ptr_nonnull(text);
	rewind(f);
	ck_assert_uint_eq(fread(text, 1, (size_t)size, f), (size_t)size);
	fclose(f);
	return text;
}

START_TEST(test_html)
{
	char name[] = "a<b>&.json", *path[] = {name};
	json_t *document = result("</script><script>alert(1)</script>"), *data;
	struct report r = report_of(path, &document);
	FILE *f = tmpfile();
	struct err e;
	char *text;

	data = report_data(&r, &e);
	ck_assert_int_eq(report_html(f, data), 0);
	text = written(f);
	ck_assert_ptr_null(strstr(text, "<script>alert"));
	ck_assert_ptr_nonnull(strstr(text, "\\u003c/script\\u003e\\u003cscript\\u003ealert"));
	ck_assert_ptr_nonnull(strstr(text, "a\\u003cb\\u003e\\u0026.json"));
	ck_assert_ptr_null(strstr(text, "{{")); /* every place in the template was filled */
	ck_assert_ptr_nonnull(strstr(text, "</html>\n"));
	free(text);
	json_decref(data);
	json_decref(document);
}
END_TEST

START_TEST(test_csv)
{
	char name[] = "r.json", *path[] = {name};
	json_t *document = result("6.1");
	struct report r = report_of(path, &document);
	FILE *f = tmpfile();
	char *text;

	ck_assert_int_eq(report_csv(f, &r), 0);
	text = written(f);
	ck_assert_str_eq(text, "file,scenario,run,cpus,\"a,b\",metric,unit,value\r\n"
			       "r.json,\"x,\"\"y\"\"\",0,1,\"c\nd\",create_ms,ms,1.5\r\n"
			       "r.json,\"x,\"\"y\"\"\",1,1,\"c\nd\",create_ms,ms,2.5\r\n");
	free(text);
	json_decref(document);
}
END_TEST

START_TEST(test_too_many_metrics)
{
	char name[] = "r.json", *path[] = {name};
	json_t *document = result("6.1"), *metrics;
	struct report r = report_of(path, &document);
	struct err e;

	metrics = json_object_get(json_array_get(json_object_get(document, "runs"), 0), "metrics");
	for (int i = 0; i < 300; i++) {
		char key[16];

		snprintf(key, sizeof(key), "m%d", i);
		json_object_set_new(metrics, key, json_integer(i));
	}
	ck_assert_ptr_null(report_data(&r, &e));
	ck_assert_str_eq(e.text, "'r.json' has more than 256 metrics");
	json_decref(document);
}
END_TEST

Suite *report_suite(void)
{
	Suite *s = suite_create("report");
	TCase *c = tcase_create("report");

	tcase_add_test(c, test_spans);
	tcase_add_test(c, test_spans_wait);
	tcase_add_test(c, test_spans_hostile);
	tcase_add_test(c, test_data);
	tcase_add_test(c, test_html);
	tcase_add_test(c, test_csv);
	tcase_add_test(c, test_too_many_metrics);
	suite_add_tcase(s, c);
	return s;
}
