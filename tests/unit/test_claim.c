/* SPDX-License-Identifier: MIT */
/* Unit tests of claims: ratio, growth and value, their bounds, and what is said of them. */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "bench/claim.h"
#include "bench/plan.h"
#include "bench/terminal_view.h"

#define SCENARIO                      \
	"summary = s\n"               \
	"[matrix]\n"                  \
	"cpus = 2, 4, 8\n"            \
	"lpj = calibrate, preset\n"   \
	"[table]\n"                   \
	"t = median smp_bringup_ms\n" \
	"[claim c]\n"                 \
	"text = it takes\n"

struct rig {
	struct scenario scenario;
	struct plan plan;
	struct summary summary;
	json_t *runs;
	struct claim_result r;
	char *text; /* what a person sees */
};

static void add_run(struct rig *r, int cpus, const char *lpj, double ms, int ppm)
{
	json_t *run = json_pack("{s:{s:i, s:s}, s:{s:f, s:i}, s:[]}", "params", "cpus", cpus, "lpj",
				lpj, "metrics", "smp_bringup_ms", ms, "lpj_error_ppm", ppm, "vps");

	ck_assert_int_eq(json_array_append_new(r->runs, run), 0);
}

/* Calibration costs 80 ms a VP and 100 once; preset 1 a VP, but 20 in all of 8. */
static void rig_init(struct rig *r, const char *claim)
{
	const struct plan_settings none = {.count = 0};
	char text[512];
	struct err e = {""};
	size_t size;
	FILE *f;

	*r = (struct rig){.runs = json_array()};
	snprintf(text, sizeof(text), SCENARIO "%s", claim);
	ck_assert_msg(scenario_parse(&r->scenario, "f", text, strlen(text), &e) == 0, "%s", e.text);
	ck_assert_int_eq(plan_build(&r->plan, &r->scenario, &none, 1, &e), 0);
	for (int cpus = 2; cpus <= 8; cpus *= 2) {
		add_run(r, cpus, "calibrate", 100 + 80 * cpus, 1000 * cpus);
		add_run(r, cpus, "preset", cpus == 8 ? 20 : cpus, 0);
	}
	ck_assert_int_eq(summary_compute(&r->summary, r->runs, &e), 0);
	claim_evaluate(&r->scenario.claim[0], &r->plan.matrix, &r->summary, &r->r);
	f = open_memstream(&r->text, &size);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(terminal_claims(f, &(struct terminal_view){.scenario = &r->scenario,
								    .m = &r->plan.matrix,
								    .summary = &r->summary}),
			 0);
	fclose(f);
}

static void rig_fini(struct rig *r)
{
	free(r->text);
	json_decref(r->runs);
	summary_fini(&r->summary);
	plan_fini(&r->plan);
	scenario_fini(&r->scenario);
}

static const struct {
	const char *claim;
	double value;
	bool holds;
	const char *text;
} row[] = {
	{"ratio = smp_bringup_ms lpj=calibrate lpj=preset\n", 37, true,
	 "8 VPs: it takes 37.0 times faster (740 ms -> 20.0 ms)\n"},
	{"ratio = smp_bringup_ms lpj=calibrate lpj=preset\nmin = 37\n", 37, true,
	 "8 VPs: it takes 37.0 times faster (740 ms -> 20.0 ms) [>= 37.0: yes]\n"},
	{"ratio = smp_bringup_ms lpj=calibrate lpj=preset\nmin = 37.1\nmax = 99\n", 37, false,
	 "8 VPs: it takes 37.0 times faster (740 ms -> 20.0 ms) [37.1 to 99.0: NO]\n"},
	{"ratio = smp_bringup_ms lpj=preset lpj=calibrate\nwhere = cpus < 8\n", 1.0 / 105, true,
	 "4 VPs: it takes 105 times slower (4.00 ms -> 420 ms)\n"},
	{"growth = smp_bringup_ms cpus\nwhere = lpj=calibrate\nmin = 30\nat = 1780\n", 80, true,
	 "lpj=calibrate: it takes 80.0 ms per VP (line through cpus=2-8; extrapolated to 1780: "
	 "142500 ms) [>=\n    30.0: yes]\n"},
	{"growth = smp_bringup_ms cpus\nwhere = lpj=preset and cpus < 8\nmax = 0.9\n", 1, false,
	 "lpj=preset: it takes 1.00 ms per VP (line through cpus=2-4) [<= 0.900: NO]\n"},
	{"value = max lpj_error_ppm\nwhere = lpj = calibrate\n", 8000, true,
	 "8 VPs, lpj=calibrate: it takes 8000 ppm\n"},
	{"value = min lpj_error_ppm\nwhere = lpj = calibrate\nmin = 2000\n", 2000, true,
	 "2 VPs, lpj=calibrate: it takes 2000 ppm [>= 2000: yes]\n"},
	{"value = max lpj_error_ppm\nwhere = lpj = preset\nmax = 0\n", 0, true,
	 "8 VPs, lpj=preset: it takes 0 ppm [<= 0: yes]\n"},
	{"value = median smp_bringup_ms\nwhere = cpus < 8\n", 4, true,
	 "4 VPs, lpj=preset: it takes 4.00 ms\n"},
};

START_TEST(test_known)
{
	char broken[CLAIMS_TEXT_SIZE];
	struct rig r;

	rig_init(&r, row[_i].claim);
	ck_assert(r.r.is_known);
	ck_assert_double_eq_tol(r.r.value, row[_i].value, 1e-9);
	ck_assert_str_eq(r.text, row[_i].text);
	ck_assert(claim_holds(&r.scenario.claim[0], &r.r) == row[_i].holds);
	ck_assert_uint_eq(claims_broken(&r.scenario, &r.plan.matrix, &r.summary, broken),
			  row[_i].holds ? 0 : 1);
	ck_assert_str_eq(broken, row[_i].holds ? "" : "c");
	rig_fini(&r);
}
END_TEST

/* A claim with bounds that nothing was measured for is not kept. */
static const char *const unknown[] = {
	"ratio = smp_bringup_ms lpj=calibrate lpj=fine\n",
	"ratio = smp_bringup_ms lpj=calibrate lpj=preset\nwhere = cpus > 8\n",
	"growth = smp_bringup_ms cpus\nwhere = cpus = 4\n",
	"value = max startup_ms\n",
};

START_TEST(test_unknown)
{
	char claim[128], broken[CLAIMS_TEXT_SIZE];
	struct rig r;

	rig_init(&r, unknown[_i]);
	ck_assert(!r.r.is_known);
	ck_assert_str_eq(r.text, "");
	ck_assert_uint_eq(claims_broken(&r.scenario, &r.plan.matrix, &r.summary, broken), 0);
	rig_fini(&r);
	snprintf(claim, sizeof(claim), "%smax = 1\n", unknown[_i]);
	rig_init(&r, claim);
	ck_assert_str_eq(r.text, "");
	ck_assert_uint_eq(claims_broken(&r.scenario, &r.plan.matrix, &r.summary, broken), 1);
	ck_assert_str_eq(broken, "c (not measured)");
	rig_fini(&r);
}
END_TEST

START_TEST(test_json)
{
	json_t *claims, *expected;
	struct rig r;

	rig_init(&r, "growth = smp_bringup_ms cpus\nwhere = lpj=calibrate\nmin = 30\nat = 1780\n");
	claims = claims_json(&r.scenario, &r.plan.matrix, &r.summary);
	expected = json_pack("[{s:s, s:s, s:s, s:i, s:s, s:i, s:b, s:i}]", "name", "c", "metric",
			     "smp_bringup_ms", "unit", "ms", "value", 80, "per", "cpus", "min", 30,
			     "holds", 1, "extrapolated", 142500);
	ck_assert(json_equal(claims, expected));
	json_decref(expected);
	json_decref(claims);
	rig_fini(&r);
}
END_TEST

Suite *claim_suite(void)
{
	Suite *s = suite_create("claim");
	TCase *c = tcase_create("claim");

	tcase_add_loop_test(c, test_known, 0, (int)(sizeof(row) / sizeof(row[0])));
	tcase_add_loop_test(c, test_unknown, 0, (int)(sizeof(unknown) / sizeof(unknown[0])));
	tcase_add_test(c, test_json);
	suite_add_tcase(s, c);
	return s;
}
