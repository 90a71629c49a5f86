/* SPDX-License-Identifier: MIT */
/* Unit tests of a measurement with a fake `vpup run`: order, checks, table, and early ends. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suites.h"
#include "bench/session.h"
#include "bench/summary.h"
#include "bench/terminal.h"
#include "tests/unit/fake_child.h"
#include "vmm/cli.h"
#include "vmm/result.h"

/* Does what its command line says: calibration takes 100 ms per VP, everything else 2. */
#define FAKE_RUN                                                                        \
	"while [ $# -gt 0 ]; do\n"                                                      \
	"	case $1 in --cpus) cpus=$2;; --append) append=$2;; esac; shift\n"             \
	"done\n"                                                                        \
	"for word in $append; do eval \"${word%%=*}=${word#*=}\"; done\n"               \
	"echo \"$cpus $lpj\" >> $DIR/log\n"                                             \
	"per_vp=2; [ $lpj = calibrate ] && per_vp=100\n"                                \
	"result() {\n"                                                                  \
	"	echo '{\"schema\":\"vpup.result/1\",\"tool\":{},\"scenario\":\"run\",'\n"     \
	"	echo '\"host\":{\"kernel\":\"6.1\",\"cpus_online\":2,\"emulated\":true},'\n"  \
	"	echo '\"summary\":[],\"runs\":[{\"vps\":[],\"params\":{\"impl\":\"vpup\",'\n" \
	"	echo \"\\\"cpus\\\":$cpus,\\\"smp\\\":\\\"$smp\\\",\\\"hz\\\":$hz,\"\n"       \
	"	echo \"\\\"lpj\\\":\\\"$lpj\\\"},\\\"metrics\\\":{$1}}]}\"\n"                 \
	"}\n"
#define GOOD_RUN \
	FAKE_RUN "result \"\\\"smp_bringup_ms\\\":$((cpus * per_vp)),\\\"lpj_error_ppm\\\":7\"\n"

struct rig {
	struct fake_child child;
	struct scenario scenario;
	struct plan plan;
	json_t *document;
	struct err e;
	int status;
	char log[512];
};

static void read_log(struct rig *r)
{
	char path[128];
	FILE *f;

	r->log[0] = '\0';
	snprintf(path, sizeof(path), "%s/log", r->child.dir);
	f = fopen(path, "re");
	if (!f)
		return;
	r->log[fread(r->log, 1, sizeof(r->log) - 1, f)] = '\0';
	fclose(f);
}

static void measure(struct rig *r, const char *body, const char *cpus, int stop_fd)
{
	struct plan_settings settings = {.setting = {{.list = cpus, .key = "cpus"}}, .count = 1};
	struct session s = {
		.scenario = &r->scenario,
		.matrix = &r->plan.matrix,
		.repeats = 2,
		.timeout_s = 10,
		.stop_fd = stop_fd,
	};

	*r = (struct rig){.status = 0};
	fake_child_init(&r->child, body);
	s.exe = r->child.exe;
	ck_assert_int_eq(scenario_load(&r->scenario, "lpj", &r->e), 0);
	ck_assert_int_eq(plan_build(&r->plan, &r->scenario, &settings, 2, &r->e), 0);
	s.cell = r->plan.cell;
	s.cells = r->plan.cells;
	r->document = result_document("lpj", NULL, NULL);
	ck_assert_ptr_nonnull(r->document);
	r->status = session_run(&s, r->document, &r->e);
	read_log(r);
	fake_child_fini(&r->child);
}

static void rig_fini(struct rig *r)
{
	json_decref(r->document);
	plan_fini(&r->plan);
	scenario_fini(&r->scenario);
}

static size_t runs(const struct rig *r)
{
	return json_array_size(json_object_get(r->document, "runs"));
}

static int is_incomplete(const struct rig *r)
{
	return json_is_true(json_object_get(r->document, "incomplete"));
}

START_TEST(test_interleaved)
{
	struct rig r;
	json_t *host;

	measure(&r, GOOD_RUN, "2,4", -1);
	ck_assert_msg(r.status == 0, "%s", r.e.text);
	ck_assert_str_eq(r.log, "2 calibrate\n2 fine\n2 preset\n4 calibrate\n4 fine\n4 preset\n"
				"2 calibrate\n2 fine\n2 preset\n4 calibrate\n4 fine\n4 preset\n");
	ck_assert_uint_eq(runs(&r), 12);
	ck_assert(!is_incomplete(&r));
	host = json_object_get(r.document, "host"); /* as the runs report it */
	ck_assert_str_eq(json_string_value(json_object_get(host, "kernel")), "6.1");
	rig_fini(&r);
}
END_TEST

/* What a person sees of a document. */
static char *show(const struct rig *r)
{
	struct summary summary;
	char *text = NULL;
	struct err e;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(summary_compute(&summary, json_object_get(r->document, "runs"), &e), 0);
	ck_assert_int_eq(terminal_print(f, &r->scenario, &r->plan, r->document, &summary), 0);
	fclose(f);
	summary_fini(&summary);
	return text;
}

START_TEST(test_terminal)
{
	struct rig r;
	char *text;

	measure(&r, GOOD_RUN, "2,16", -1);
	text = show(&r);
	ck_assert_str_eq(
		text,
		"lpj: bring-up time and lpj error, calibrated against preset (smp=serial hz=250)\n"
		"\n"
		"cpus  lpj        runs  bring-up     p5-p95  per VP  lpj error  speed-up\n"
		"                             ms         ms   ms/VP        ppm     times\n"
		"   2  calibrate     2       200    200-200     100       7.00      1.00\n"
		"   2  fine          2      4.00  4.00-4.00    2.00       7.00      50.0\n"
		"   2  preset        2      4.00  4.00-4.00    2.00       7.00      50.0\n"
		"  16  calibrate     2      1600  1600-1600     100       7.00      1.00\n"
		"  16  fine          2      32.0  32.0-32.0    2.00       7.00      50.0\n"
		"  16  preset        2      32.0  32.0-32.0    2.00       7.00      50.0\n"
		"\n"
		"16 VPs: a preset lpj makes bring-up 50.0 times faster (1600 ms -> 32.0 ms) "
		"[>= 20.0: yes]\n"
		"lpj=calibrate: bring-up grows by 100 ms per VP (line through cpus=2-16) "
		"[>= 30.0: yes]\n"
		"lpj=preset: bring-up grows by 2.00 ms per VP (line through cpus=2-16) [<= 2.00: "
		"yes]\n"
		"16 VPs, lpj=preset: the worst lpj is wrong by 7.00 ppm [<= 0: NO]\n"
		"Host: unknown CPU, 2 CPUs, Linux 6.1\n"
		"KVM:  unknown module; guest instructions are emulated\n");
	free(text);
	rig_fini(&r);
}
END_TEST

/* Intervals that touch are no difference, and nobody claims one. */
START_TEST(test_terminal_no_difference)
{
	struct rig r;
	char *text;

	measure(&r, FAKE_RUN "result '\"smp_bringup_ms\":3,\"lpj_error_ppm\":0'\n", "16", -1);
	text = show(&r);
	ck_assert_ptr_nonnull(
		strstr(text, "16 VPs: a preset lpj makes bring-up neither faster nor slower "
			     "(3.00 ms -> 3.00 ms)"));
	free(text);
	rig_fini(&r);
}
END_TEST

START_TEST(test_terminal_slower)
{
	struct rig r;
	char *text;

	measure(&r,
		FAKE_RUN "ms=10; [ $lpj = calibrate ] && ms=4\n"
			 "result \"\\\"smp_bringup_ms\\\":$ms,\\\"lpj_error_ppm\\\":0\"\n",
		"16", -1);
	text = show(&r);
	ck_assert_ptr_nonnull(strstr(text, "2.50 times slower (4.00 ms -> 10.0 ms)"));
	free(text);
	rig_fini(&r);
}
END_TEST

/* The fifth run fails: the four before it are kept, and the message says which it was. */
START_TEST(test_failure_keeps_samples)
{
	struct rig r;
	char *text;

	measure(&r,
		GOOD_RUN "[ $(wc -l < $DIR/log) -lt 5 ] || "
			 "{ echo 'vpup run: out of luck' >&2; exit 3; }\n",
		"4", -1);
	ck_assert_int_eq(r.status, VPUP_EXIT_HOST);
	ck_assert_str_eq(r.e.text, "cpus=4 smp=serial hz=250 lpj=fine: out of luck");
	ck_assert_uint_eq(runs(&r), 4);
	ck_assert(is_incomplete(&r));
	text = show(&r);
	ck_assert_ptr_nonnull(strstr(text, "   4  calibrate     2  "));
	ck_assert_ptr_nonnull(strstr(text, "   4  preset        1  "));
	free(text);
	rig_fini(&r);
}
END_TEST

START_TEST(test_first_run_fails)
{
	struct rig r;

	measure(&r, "echo 'vpup run: can not' >&2; exit 4", "4", -1);
	ck_assert_int_eq(r.status, VPUP_EXIT_TIMEOUT);
	ck_assert_uint_eq(runs(&r), 0);
	ck_assert(is_incomplete(&r));
	rig_fini(&r);
}
END_TEST

START_TEST(test_stopped)
{
	struct rig r;
	int fd[2];

	ck_assert_int_eq(pipe(fd), 0);
	ck_assert_int_eq(write(fd[1], "x", 1), 1);
	measure(&r, "sleep 100", "4", fd[0]);
	ck_assert_int_eq(r.status, SESSION_STOPPED);
	ck_assert(is_incomplete(&r));
	close(fd[0]);
	close(fd[1]);
	rig_fini(&r);
}
END_TEST

/* A run that did something else, or that did not measure what the table needs, is no sample. */
START_TEST(test_wrong_run)
{
	struct rig r;

	measure(&r, FAKE_RUN "lpj=fine; result '\"smp_bringup_ms\":3,\"lpj_error_ppm\":0'\n", "4",
		-1);
	ck_assert_int_eq(r.status, VPUP_EXIT_BUG);
	ck_assert_ptr_nonnull(strstr(r.e.text, "another value of lpj"));
	ck_assert_uint_eq(runs(&r), 0);
	rig_fini(&r);
	measure(&r, FAKE_RUN "result '\"smp_bringup_ms\":3'\n", "4", -1);
	ck_assert_int_eq(r.status, VPUP_EXIT_BUG);
	ck_assert_ptr_nonnull(strstr(r.e.text, "reports no lpj_error_ppm"));
	rig_fini(&r);
}
END_TEST

Suite *session_suite(void)
{
	Suite *s = suite_create("session");
	TCase *c = tcase_create("session");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, test_interleaved);
	tcase_add_test(c, test_terminal);
	tcase_add_test(c, test_terminal_no_difference);
	tcase_add_test(c, test_terminal_slower);
	tcase_add_test(c, test_failure_keeps_samples);
	tcase_add_test(c, test_first_run_fails);
	tcase_add_test(c, test_stopped);
	tcase_add_test(c, test_wrong_run);
	suite_add_tcase(s, c);
	return s;
}
