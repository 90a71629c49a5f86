/* SPDX-License-Identifier: MIT */
/* `vpup conformance`: runs the bundled guest's tests, and tells what they found. */
#include "bench/cmd_conformance.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/conformance_diff.h"
#include "bench/conformance_result.h"
#include "bench/conformance_run.h"
#include "bench/runner.h"
#include "bench/stop.h"
#include "bench/tap.h"
#include "guest-kernel/abi/tests.h"
#include "vmm/cli.h"
#include "vmm/result.h"

#define CMD             "conformance"
#define TIMEOUT_DEFAULT "60"

struct conformance {
	struct conformance_setup setup;
	const char *hyperv; /* NULL: not given */
	const char *hv;     /* or NULL */
	const char *json;
	bool diff;
	char *tests; /* owned */
	struct outfile out;
	struct stop stop;
};

static const char *const test_names[] = {TEST_ALL, TEST_NAMES, NULL};

static void print_help(void)
{
	fputs("usage: vpup conformance [options] [TEST...]\n"
	      "\n"
	      "Runs the bundled guest with tests of the Hyper-V interface, and prints what they "
	      "found\n"
	      "as TAP, version 13. What has to be there and what must be refused follows from "
	      "CPUID.\n"
	      "\n"
	      "      --hyperv user|kernel  implementation to test: vpup's own (default) or KVM's\n"
	      "      --diff            test both, and list the assertions whose result is not the "
	      "same\n"
	      "      --hv LIST         Hyper-V features to turn on and off, as for vpup run\n"
	      "      --json FILE|-     write the result as JSON; '-' is stdout, in place of TAP\n"
	      "  -c, --cpus N          virtual processors (default 2)\n"
	      "      --timeout SEC     give up after this long (default " TIMEOUT_DEFAULT ")\n"
	      "  -h, --help            this text\n"
	      "\n"
	      "Tests (default all):",
	      stdout);
	for (size_t i = 1; test_names[i]; i++)
		printf("%s%s", i % 8 == 1 ? "\n  " : " ", test_names[i]);
	fputs("\n\n"
	      "Exit status: 0 all passed, 1 some failed (--diff: some differ), 2 bad usage,\n"
	      "3 this host can't, 4 timeout, 5 the guest crashed.\n",
	      stdout);
}

static int check_test(const char *name)
{
	const char *near;

	for (size_t i = 0; test_names[i]; i++)
		if (strcmp(test_names[i], name) == 0)
			return 0;
	near = cli_suggest(name, test_names);
	if (near)
		return cli_fail(CMD, "no test '%s'; did you mean '%s'?", name, near);
	return cli_fail(CMD, "no test '%s'; 'vpup conformance --help' lists them", name);
}

/* A,B for the guest's test=. */
static int join_tests(struct conformance *o, char **tests, int count)
{
	char *all[] = {(char *)TEST_ALL};
	size_t size = 1;
	char *at;

	if (count == 0) {
		tests = all;
		count = 1;
	}
	for (int i = 0; i < count; i++) {
		if (check_test(tests[i]))
			return VPUP_EXIT_USAGE;
		size += strlen(tests[i]) + 1;
	}
	o->tests = malloc(size);
	if (!o->tests)
		return cli_fail(CMD, "out of memory");
	at = o->tests;
	for (int i = 0; i < count; i++)
		at = stpcpy(stpcpy(at, i ? "," : ""), tests[i]);
	o->setup.tests = o->tests;
	return 0;
}

static int set_hyperv(struct conformance *o, const char *arg)
{
	o->hyperv = arg;
	if (strcmp(arg, "user") == 0 || strcmp(arg, "kernel") == 0)
		return 0;
	return cli_fail(CMD, "--hyperv: '%s' can't be tested; user and kernel can", arg);
}

static int take_option(struct conformance *o, int c)
{
	uint64_t cpus;

	switch (c) {
	case 'H':
		return set_hyperv(o, optarg);
	case 'd':
		o->diff = true;
		return 0;
	case 'f':
		o->hv = optarg;
		return strcmp(optarg, "help") ? 0 : cli_fail(CMD, "try 'vpup run --hv help'");
	case 'j':
		o->json = optarg;
		return 0;
	case 'c':
		o->setup.cpus = optarg;
		return cli_parse_u64(optarg, 1, UINT16_MAX, &cpus)
			       ? cli_fail(CMD, "--cpus: '%s' is not a whole number from 1 to %d",
					  optarg, UINT16_MAX)
			       : 0;
	default:
		o->setup.timeout = optarg;
		return cli_parse_seconds(optarg, &o->setup.timeout_s) || o->setup.timeout_s == 0
			       ? cli_fail(CMD, "--timeout: '%s' is not a number of seconds above 0",
					  optarg)
			       : 0;
	}
}

/* Returns true to go on. */
static bool parse_options(struct conformance *o, int argc, char **argv, int *status)
{
	static const struct option options[] = {
		{"hyperv", required_argument, NULL, 'H'}, {"diff", no_argument, NULL, 'd'},
		{"hv", required_argument, NULL, 'f'},     {"json", required_argument, NULL, 'j'},
		{"cpus", required_argument, NULL, 'c'},   {"timeout", required_argument, NULL, 't'},
		{"help", no_argument, NULL, 'h'},         {0},
	};
	int c;

	*status = VPUP_EXIT_OK;
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":c:h", options, NULL)) != -1) {
		if (c == 'h') {
			print_help();
			return false;
		}
		*status = c == '?' || c == ':' ? cli_bad_option(CMD, c, argv, options)
					       : take_option(o, c);
		if (*status)
			return false;
	}
	if (o->diff && o->hyperv)
		*status = cli_fail(CMD, "--diff runs both modes; --hyperv has no place beside it");
	else
		*status = join_tests(o, argv + optind, argc - optind);
	return *status == VPUP_EXIT_OK;
}

static const char *host_text(const json_t *document, const char *key)
{
	const char *text =
		json_string_value(json_object_get(json_object_get(document, "host"), key));

	return text ? text : "unknown";
}

static bool to_stdout(const struct conformance *o)
{
	return o->json && strcmp(o->json, "-") == 0;
}

static void print_head(const struct conformance *o, const json_t *document)
{
	puts("TAP version 13");
	if (document)
		printf("# vpup %s; %s VPs; %s on Linux %s, %s\n", VPUP_VERSION, o->setup.cpus,
		       host_text(document, "kvm_module"), host_text(document, "kernel"),
		       host_text(document, "cpu_model"));
}

static void print_mode(const struct conformance_run *r)
{
	struct tap_counts n = tap_count(r->tap);

	printf("# Hyper-V %s%s%s: %u passed, %u failed, %u skipped\n", r->hyperv, r->hv ? " " : "",
	       r->hv ? r->hv : "", n.passed, n.failed, n.skipped);
}

/* The run's own end, where its lines do not tell it. */
static void tell_end(const struct conformance *o, const struct conformance_run *r)
{
	if (r->told)
		return;
	if (!to_stdout(o) && (r->document || r->tap))
		printf("Bail out! %s\n", r->e.text);
	cli_fail(CMD, "%s", r->e.text);
}

/* Ends the output: result, which it takes, goes to --json. */
static int write_out(struct conformance *o, json_t *result, int status)
{
	struct err e;
	int ret = 0;

	if (fflush(stdout)) {
		cli_fail(CMD, "can't write standard output: %s", strerror(errno));
		status = VPUP_EXIT_HOST;
	} else if (o->json) {
		ret = result ? result_commit(result, &o->out, &e)
			     : err_set(&e, ENOMEM, "no result: out of memory");
		if (ret) {
			cli_fail(CMD, "%s", e.text);
			status = VPUP_EXIT_HOST;
		}
	}
	json_decref(result);
	return status;
}

static int test_one(struct conformance *o, char **argv)
{
	struct conformance_run r = {.hyperv = o->hyperv ? o->hyperv : "user", .hv = o->hv};
	int status;

	conformance_run(&r, &o->setup);
	status = r.status;
	if (status != RUNNER_STOPPED) {
		if (!to_stdout(o) && (r.document || r.tap)) {
			print_head(o, r.document);
			print_mode(&r);
			fputs(r.tap ? r.tap : "", stdout);
		}
		tell_end(o, &r);
		if (r.document)
			status = write_out(o, conformance_result(r.tap, r.document, r.hyperv, argv),
					   status);
	}
	conformance_run_free(&r);
	return status;
}

static int tell_differences(struct conformance *o, struct conformance_run run[2], char **argv)
{
	struct conformance_side side[2];
	struct conformance_diff d;
	json_t *result = NULL;
	int status;

	for (unsigned i = 0; i < 2; i++)
		side[i] = (struct conformance_side){run[i].hyperv, run[i].hv, run[i].tap};
	if (conformance_diff(&d, side)) {
		status = cli_fail(CMD, "out of memory");
	} else {
		if (!to_stdout(o)) {
			print_head(o, run[0].document);
			print_mode(&run[0]);
			print_mode(&run[1]);
			conformance_diff_print(&d, stdout);
		}
		result = conformance_diff_result(&d, run[0].document, argv);
		status = write_out(o, result, d.differ ? VPUP_EXIT_FAIL : VPUP_EXIT_OK);
	}
	conformance_diff_free(&d);
	return status;
}

/* Kernel mode first, as hosts without it are many. */
static int test_both(struct conformance *o, char **argv)
{
	char *hv[] = {conformance_common_features(HV_MODE_USER, o->hv),
		      conformance_common_features(HV_MODE_KERNEL, o->hv)};
	struct conformance_run run[] = {{.hyperv = "user", .hv = hv[0]},
					{.hyperv = "kernel", .hv = hv[1]}};
	int status = hv[0] && hv[1] ? VPUP_EXIT_OK : cli_fail(CMD, "out of memory");

	for (int i = 1; status == VPUP_EXIT_OK && i >= 0; i--) {
		conformance_run(&run[i], &o->setup);
		if (run[i].told)
			continue; /* passed or failed: it has lines to be compared */
		if (run[i].status != RUNNER_STOPPED)
			cli_fail(CMD, "%s", run[i].e.text);
		status = run[i].status;
	}
	if (status == VPUP_EXIT_OK)
		status = tell_differences(o, run, argv);
	for (unsigned i = 0; i < 2; i++) {
		conformance_run_free(&run[i]);
		free(hv[i]);
	}
	return status;
}

static int run_tests(struct conformance *o, char **argv)
{
	struct err e;

	if (stop_open(&o->stop, &e)) {
		cli_fail(CMD, "%s", e.text);
		return VPUP_EXIT_HOST;
	}
	o->setup.stop_fd = o->stop.fd;
	return o->diff ? test_both(o, argv) : test_one(o, argv);
}

int cmd_conformance(int argc, char **argv)
{
	struct conformance o = {.setup = {.cpus = "2",
					  .timeout = TIMEOUT_DEFAULT,
					  .timeout_s = strtod(TIMEOUT_DEFAULT, NULL)},
				.stop.fd = -1};
	struct err e;
	int status;

	if (parse_options(&o, argc, argv, &status)) {
		if (o.json && outfile_open(&o.out, o.json, &e))
			status = cli_fail(CMD, "%s", e.text);
		else
			status = run_tests(&o, argv);
		outfile_abort(&o.out);
	}
	if (status == RUNNER_STOPPED) {
		status = VPUP_EXIT_FAIL; /* for the case that the signal does not end us */
		stop_die(&o.stop);
	}
	stop_close(&o.stop);
	free(o.tests);
	return status;
}
