/* SPDX-License-Identifier: MIT */
/* Unit tests of the runner, with scripts as children: good, failing, talking rubbish, hanging. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/suites.h"
#include "bench/runner.h"
#include "tests/unit/fake_child.h"
#include "vmm/cli.h"

#define RESULT(runs)                                                                  \
	"{\"schema\":\"vpup.result/1\",\"tool\":{},\"host\":{},\"scenario\":\"run\"," \
	"\"runs\":[" runs "],\"summary\":[]}"
#define RUN "{\"params\":{\"cpus\":1},\"metrics\":{\"smp_bringup_ms\":12.5},\"vps\":[]}"

struct outcome {
	int ret;
	struct err e;
	json_t *document;
	double took_s;
};

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Runs the script, and checks that it leaves no process behind. */
static struct outcome run(const char *body, struct runner r)
{
	char *const argv[] = {(char *)"vpup", (char *)"run", (char *)"two words", NULL};
	double start_s = now_s();
	struct outcome o = {.ret = 0};
	struct fake_child f;

	fake_child_init(&f, body);
	r.exe = f.exe;
	o.ret = runner_run(&r, argv, &o.document, &o.e);
	o.took_s = now_s() - start_s;
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	ck_assert(r.keep_failed || (o.ret == 0) == (o.document != NULL));
	fake_child_fini(&f);
	return o;
}

static struct outcome run_plain(const char *body)
{
	return run(body, (struct runner){.deadline_s = 20, .stop_fd = -1});
}

START_TEST(test_good)
{
	struct outcome o = run_plain("echo '" RESULT(RUN) "'; echo a warning >&2");

	ck_assert_msg(o.ret == 0, "%s", o.e.text);
	ck_assert_uint_eq(json_array_size(json_object_get(o.document, "runs")), 1);
	json_decref(o.document);
}
END_TEST

START_TEST(test_arguments_and_stdin)
{
	struct outcome o = run_plain("[ \"$1\" = run ] && [ \"$2\" = 'two words' ] && [ $# = 2 ] &&"
				     "[ -z \"$(cat)\" ] && echo '" RESULT(RUN) "'");

	ck_assert_msg(o.ret == 0, "%s", o.e.text);
	json_decref(o.document);
}
END_TEST

/* More than a pipe holds, on both of them, and in an order that would block a careless reader. */
START_TEST(test_much_output)
{
	struct outcome o = run_plain("head -c 300000 /dev/zero | tr '\\0' e >&2\n"
				     "head -c 3000000 /dev/zero | tr '\\0' ' '\n"
				     "echo '" RESULT(RUN) "'");

	ck_assert_msg(o.ret == 0, "%s", o.e.text);
	json_decref(o.document);
}
END_TEST

static const struct {
	const char *body;
	int status;
	const char *says;
} failures[] = {
	{"echo 'vpup run: /dev/kvm: Permission denied' >&2; exit 3", VPUP_EXIT_HOST,
	 "/dev/kvm: Permission denied"},
	{"echo 'vpup run: no time left' >&2; exit 4", VPUP_EXIT_TIMEOUT, "no time left"},
	{"echo 'vpup run: first' >&2; echo 'vpup run: last' >&2; echo >&2; exit 1", VPUP_EXIT_FAIL,
	 "last"},
	{"echo 'vpup run: mine' >&2; echo 'not mine' >&2; exit 5", VPUP_EXIT_CRASH, "mine"},
	{"printf 'vpup run: no newline' >&2; exit 2", VPUP_EXIT_USAGE, "no newline"},
	{"echo 'from the linker' >&2; exit 127", VPUP_EXIT_HOST, "from the linker"},
	{"echo 'vpup: odd' >&2; exit 6", VPUP_EXIT_BUG, "odd"},
	{"echo 'vpup run: bug' >&2; exit 70", VPUP_EXIT_BUG, "bug"},
	{"exit 1", VPUP_EXIT_FAIL, "ended with exit status 1 and no message"},
	{"echo '" RESULT(RUN) "'; exit 1", VPUP_EXIT_FAIL, "exit status 1"},
	{"kill -SEGV $$", VPUP_EXIT_BUG, "killed by signal 11 (Segmentation fault)"},
	{"echo 'vpup run: ouch' >&2; kill -KILL $$", VPUP_EXIT_HOST, "signal 9 (Killed): ouch"},
	{"echo rubbish", VPUP_EXIT_BUG, "not a result file: line 1"},
	{"true", VPUP_EXIT_BUG, "it is empty"},
	{"echo '" RESULT("") "'", VPUP_EXIT_BUG, "not exactly one run"},
	{"echo '" RESULT(RUN "," RUN) "'", VPUP_EXIT_BUG, "not exactly one run"},
	{"printf '\\033[31mvpup\\033[0m\\n' >&2; exit 1", VPUP_EXIT_FAIL, "?[31mvpup"},
};

START_TEST(test_failures)
{
	struct outcome o = run_plain(failures[_i].body);

	ck_assert_int_eq(o.ret, failures[_i].status);
	ck_assert_msg(strstr(o.e.text, failures[_i].says) != NULL, "'%s' lacks '%s'", o.e.text,
		      failures[_i].says);
}
END_TEST

/* A document of a child that failed is handed back on demand, if it is one. */
START_TEST(test_keep_failed)
{
	const struct runner r = {.deadline_s = 20, .stop_fd = -1, .keep_failed = true};
	struct outcome o = run("echo '" RESULT(RUN) "'; echo 'vpup run: no' >&2; exit 1", r);

	ck_assert_int_eq(o.ret, VPUP_EXIT_FAIL);
	ck_assert_str_eq(o.e.text, "no");
	ck_assert_ptr_nonnull(o.document);
	json_decref(o.document);
	o = run("echo rubbish; echo 'vpup run: no' >&2; exit 4", r);
	ck_assert_int_eq(o.ret, VPUP_EXIT_TIMEOUT);
	ck_assert_str_eq(o.e.text, "no");
	ck_assert_ptr_null(o.document);
	o = run("exit 5", r);
	ck_assert_int_eq(o.ret, VPUP_EXIT_CRASH);
	ck_assert_ptr_null(o.document);
	o = run("echo '" RESULT("") "'", r);
	ck_assert_int_eq(o.ret, VPUP_EXIT_BUG);
	ck_assert_ptr_null(o.document);
}
END_TEST

/* The message is at the end of more text than is kept. */
START_TEST(test_long_stderr)
{
	struct outcome o = run_plain("head -c 200000 /dev/zero | tr '\\0' '\\n' >&2\n"
				     "echo 'vpup run: the end' >&2; exit 1");

	ck_assert_int_eq(o.ret, VPUP_EXIT_FAIL);
	ck_assert_str_eq(o.e.text, "the end");
}
END_TEST

START_TEST(test_too_much_output)
{
	struct outcome o = run_plain("exec cat /dev/zero");

	ck_assert_int_eq(o.ret, VPUP_EXIT_BUG);
	ck_assert_str_eq(o.e.text, "more than 64 MiB of output");
}
END_TEST

/* With a grandchild that holds the pipes: the whole group goes. */
START_TEST(test_hanging)
{
	struct outcome o = run("sleep 100 & sleep 100; exit 0",
			       (struct runner){.deadline_s = 0.3, .stop_fd = -1});

	ck_assert_int_eq(o.ret, VPUP_EXIT_TIMEOUT);
	ck_assert_str_eq(o.e.text, "still running after 0.3 s");
	ck_assert_double_lt(o.took_s, 3);
}
END_TEST

START_TEST(test_deaf_to_sigterm)
{
	struct outcome o = run("trap '' TERM; while :; do sleep 0.1; done",
			       (struct runner){.deadline_s = 0.3, .stop_fd = -1});

	ck_assert_int_eq(o.ret, VPUP_EXIT_TIMEOUT);
	ck_assert_double_lt(o.took_s, 3);
}
END_TEST

/* One that leaves a process behind with our pipes in its hands does not keep us waiting. */
START_TEST(test_grandchild_left)
{
	struct outcome o = run_plain("sleep 100 & echo '" RESULT(RUN) "'");

	ck_assert_msg(o.ret == 0, "%s", o.e.text);
	ck_assert_double_lt(o.took_s, 3);
	json_decref(o.document);
}
END_TEST

START_TEST(test_stopped)
{
	struct outcome o;
	int fd[2];

	ck_assert_int_eq(pipe(fd), 0);
	ck_assert_int_eq(write(fd[1], "x", 1), 1);
	o = run("sleep 100", (struct runner){.deadline_s = 50, .stop_fd = fd[0]});
	ck_assert_int_eq(o.ret, RUNNER_STOPPED);
	ck_assert_double_lt(o.took_s, 1);
	close(fd[0]);
	close(fd[1]);
}
END_TEST

/* Signals that the parent blocks or ignores must work again in the child. */
START_TEST(test_child_gets_default_signals)
{
	struct outcome term, quiet;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	term = run_plain("kill -TERM $$; echo survived >&2; exit 1");
	quiet = run_plain("kill -PIPE $$; echo survived >&2; exit 1");
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	ck_assert_ptr_nonnull(strstr(term.e.text, "killed by signal 15"));
	ck_assert_ptr_nonnull(strstr(quiet.e.text, "killed by signal 13"));
}
END_TEST

static void count(void *ctx)
{
	++*(int *)ctx;
}

START_TEST(test_tick)
{
	int ticks = 0;
	struct outcome o =
		run("sleep 1.3; exit 1",
		    (struct runner){.deadline_s = 20, .stop_fd = -1, .tick = count, .ctx = &ticks});

	ck_assert_int_eq(o.ret, VPUP_EXIT_FAIL);
	ck_assert_int_ge(ticks, 2);
	ck_assert_int_le(ticks, 4);
}
END_TEST

/* A name without a '/' is a file of this directory, as it was for who checked it. */
START_TEST(test_no_such_program)
{
	static const char *const name[] = {"/no/such/program", "sh"};
	const struct runner r = {.exe = name[_i], .deadline_s = 1, .stop_fd = -1};
	char *const argv[] = {(char *)"vpup", NULL};
	json_t *document;
	struct err e;

	ck_assert_int_eq(runner_run(&r, argv, &document, &e), VPUP_EXIT_HOST);
	ck_assert_ptr_nonnull(strstr(e.text, "can't start"));
	ck_assert_ptr_nonnull(strstr(e.text, name[_i]));
	ck_assert_ptr_null(document);
}
END_TEST

Suite *runner_suite(void)
{
	Suite *s = suite_create("runner");
	TCase *c = tcase_create("runner");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, test_good);
	tcase_add_test(c, test_arguments_and_stdin);
	tcase_add_test(c, test_much_output);
	tcase_add_loop_test(c, test_failures, 0, (int)(sizeof(failures) / sizeof(failures[0])));
	tcase_add_test(c, test_long_stderr);
	tcase_add_test(c, test_too_much_output);
	tcase_add_test(c, test_hanging);
	tcase_add_test(c, test_deaf_to_sigterm);
	tcase_add_test(c, test_grandchild_left);
	tcase_add_test(c, test_stopped);
	tcase_add_test(c, test_child_gets_default_signals);
	tcase_add_test(c, test_keep_failed);
	tcase_add_test(c, test_tick);
	tcase_add_loop_test(c, test_no_such_program, 0, 2);
	suite_add_tcase(s, c);
	return s;
}
