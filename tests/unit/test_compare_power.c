/* SPDX-License-Identifier: MIT */
/* False alarms and misses of `vpup compare`, by resampling runs that were recorded on a real host. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/loops.h"
#include "tests/unit/suites.h"
#include "bench/compare.h"
#include "bench/result_file.h"

/* vpup bench lpj -c 4 --set lpj=calibrate,preset --repeat 80; the file names its host. */
#define RECORDED "tests/data/lpj-4-vps.json"

#define POOLS 2

/* The recorded runs by their lpj policy, to draw from. */
struct recording {
	json_t *document;
	json_t *pool[POOLS]; /* calibrate, preset */
	unsigned short random[3];
};

static const char *param(const json_t *run, const char *key)
{
	return json_string_value(json_object_get(json_object_get(run, "params"), key));
}

static void recording_open(struct recording *r, unsigned short seed)
{
	struct err e = {""};
	json_t *run;
	size_t i;

	*r = (struct recording){.document = result_file_read(RECORDED, &e), .random = {seed, 0, 0}};
	ck_assert_msg(r->document != NULL, "%s", e.text);
	for (int p = 0; p < POOLS; p++)
		r->pool[p] = json_array();
	json_array_foreach(json_object_get(r->document, "runs"), i, run)
		json_array_append(r->pool[strcmp(param(run, "lpj"), "preset") == 0], run);
	for (int p = 0; p < POOLS; p++)
		ck_assert_uint_eq(json_array_size(r->pool[p]), 80);
}

static void recording_close(struct recording *r)
{
	for (int p = 0; p < POOLS; p++)
		json_decref(r->pool[p]);
	json_decref(r->document);
}

/* A run in which one metric is `times` what it was. */
static json_t *slowed(const json_t *run, const char *metric, double times)
{
	json_t *metrics = json_copy(json_object_get(run, "metrics"));
	double was = json_number_value(json_object_get(metrics, metric));

	json_object_set_new(metrics, metric, json_real(was * times));
	return json_pack("{s:O, s:o}", "params", json_object_get(run, "params"), "metrics",
			 metrics);
}

/* n runs of each pool, drawn with replacement; slow is slowed in the first pool. NULL: nothing is. */
static json_t *draw(struct recording *r, size_t n, const char *slow, double times)
{
	json_t *runs = json_array();

	for (size_t i = 0; i < n * POOLS; i++) {
		const json_t *pool = r->pool[i % POOLS];
		size_t at = (size_t)nrand48(r->random) % json_array_size(pool);
		json_t *run = json_array_get(pool, at);

		if (slow && i % POOLS == 0)
			json_array_append_new(runs, slowed(run, slow, times));
		else
			json_array_append(runs, run);
	}
	return json_pack("{s:o}", "runs", runs);
}

static void compare_draws(struct comparison *c, json_t *base, json_t *new)
{
	const struct compare_options o = {COMPARE_ALPHA, COMPARE_MIN_EFFECT, false};
	struct err e = {""};

	ck_assert_msg(compare_runs(c, base, new, NULL, &o, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(c->rows, 20);
}

/* In how many of `comparisons` of the host with itself anything at all is called worse. */
static unsigned alarms(unsigned short seed, unsigned comparisons, size_t n)
{
	struct recording r;
	unsigned count = 0;

	recording_open(&r, seed);
	for (unsigned i = 0; i < comparisons; i++) {
		json_t *base = draw(&r, n, NULL, 1), *new = draw(&r, n, NULL, 1);
		struct comparison c;

		compare_draws(&c, base, new);
		count += c.count[VERDICT_WORSE] > 0;
		compare_fini(&c);
		json_decref(new);
		json_decref(base);
	}
	recording_close(&r);
	return count;
}

/* In how many of `comparisons` that metric of the calibrated runs is called worse. */
static unsigned found(unsigned short seed, unsigned comparisons, size_t n, const char *metric,
		      double times)
{
	struct recording r;
	unsigned count = 0;

	recording_open(&r, seed);
	for (unsigned i = 0; i < comparisons; i++) {
		json_t *base = draw(&r, n, NULL, 1), *new = draw(&r, n, metric, times);
		struct comparison c;

		compare_draws(&c, base, new);
		for (size_t row = 0; row < c.rows; row++) {
			const char *lpj =
				json_string_value(json_object_get(c.row[row].params, "lpj"));

			count += strcmp(c.row[row].metric, metric) == 0 &&
				 strcmp(lpj, "calibrate") == 0 &&
				 c.row[row].verdict == VERDICT_WORSE;
		}
		compare_fini(&c);
		json_decref(new);
		json_decref(base);
	}
	recording_close(&r);
	return count;
}

/* The rate that is promised is 1 in 100 comparisons, of 20 metrics each. */
START_TEST(test_false_alarms)
{
	const unsigned of = loops(100);
	unsigned count = alarms(1, of, 20);

	printf("# A/A, 20 runs: %u of %u gave an alarm\n", count, of);
	ck_assert_uint_le(count, 1);
	count = alarms(2, of, 100);
	printf("# A/A, 100 runs: %u of %u gave an alarm\n", count, of);
	ck_assert_uint_le(count, 1);
}
END_TEST

/* 10 % more in one stage, in at least 19 of 20. How many runs that takes depends on its noise. */
START_TEST(test_planted)
{
	const unsigned of = loops(20);
	unsigned count = found(3, of, 40, "stage.calibrate_ms", 1.1);

	printf("# stage.calibrate_ms + 10 %%, 40 runs: found %u of %u\n", count, of);
	ck_assert_uint_ge(count, of - 1);
	count = found(4, of, 100, "stage.init_ms", 1.1);
	printf("# stage.init_ms + 10 %%, 100 runs: found %u of %u\n", count, of);
	ck_assert_uint_ge(count, of - 1);
}
END_TEST

/* 2 % is less than matters: it is not to be called worse, however many runs show it. */
START_TEST(test_planted_small)
{
	ck_assert_uint_le(found(5, loops(20), 200, "stage.calibrate_ms", 1.02), 1);
}
END_TEST

Suite *compare_power_suite(void)
{
	Suite *s = suite_create("compare_power");
	TCase *c = tcase_create("compare_power");

	tcase_set_tags(c, "slow"); /* thousands of tests */
	tcase_set_timeout(c, 120);
	tcase_add_test(c, test_false_alarms);
	tcase_add_test(c, test_planted);
	tcase_add_test(c, test_planted_small);
	suite_add_tcase(s, c);
	return s;
}
