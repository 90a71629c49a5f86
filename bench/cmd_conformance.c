/* SPDX-License-Identifier: MIT */
/* `vpup conformance`: runs the bundled guest's tests, and tells what they found. */
#include "bench/cmd_conformance.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/conformance_result.h"
#include "bench/runner.h"
#include "bench/stop.h"
#include "bench/tap.h"
#include "guest-kernel/abi/tests.h"
#include "vmm/cli.h"
#include "vmm/result.h"

#define CMD             "conformance"
#define TIMEOUT_DEFAULT "60"
#define DEADLINE_EXTRA  10 /* s from the child's own timeout until it is killed */
#define RUN_ARGS_MAX    16

struct conformance {
	const char *hyperv;
	const char *hv; /* or NULL */
	const char *json;
	const char *cpus;
	const char *timeout;
	double timeout_s;
	char *append; /* owned */
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
	      "      --hyperv user     implementation to test (default user)\n"
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
	      "Exit status: 0 all passed, 1 some failed, 2 bad usage, 3 this host can't, "
	      "4 timeout,\n"
	      "5 the guest crashed.\n",
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

/* The guest's command line: test=A,B quiet. */
static int make_append(struct conformance *o, char **tests, int count)
{
	char *all[] = {(char *)TEST_ALL};
	size_t size = sizeof("test= quiet");
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
	o->append = malloc(size);
	if (!o->append)
		return cli_fail(CMD, "out of memory");
	at = stpcpy(o->append, "test=");
	for (int i = 0; i < count; i++)
		at = stpcpy(stpcpy(at, i ? "," : ""), tests[i]);
	strcpy(at, " quiet");
	return 0;
}

static int take_option(struct conformance *o, int c)
{
	uint64_t cpus;

	switch (c) {
	case 'H':
		o->hyperv = optarg;
		return strcmp(optarg, "user")
			       ? cli_fail(CMD, "--hyperv: '%s' can't be tested; user can", optarg)
			       : 0;
	case 'f':
		o->hv = optarg;
		return strcmp(optarg, "help") ? 0 : cli_fail(CMD, "try 'vpup run --hv help'");
	case 'j':
		o->json = optarg;
		return 0;
	case 'c':
		o->cpus = optarg;
		return cli_parse_u64(optarg, 1, UINT16_MAX, &cpus)
			       ? cli_fail(CMD, "--cpus: '%s' is not a whole number from 1 to %d",
					  optarg, UINT16_MAX)
			       : 0;
	default:
		o->timeout = optarg;
		return cli_parse_seconds(optarg, &o->timeout_s) || o->timeout_s == 0
			       ? cli_fail(CMD, "--timeout: '%s' is not a number of seconds above 0",
					  optarg)
			       : 0;
	}
}

/* Returns true to go on. */
static bool parse_options(struct conformance *o, int argc, char **argv, int *status)
{
	static const struct option options[] = {
		{"hyperv", required_argument, NULL, 'H'},
		{"hv", required_argument, NULL, 'f'},
		{"json", required_argument, NULL, 'j'},
		{"cpus", required_argument, NULL, 'c'},
		{"timeout", required_argument, NULL, 't'},
		{"help", no_argument, NULL, 'h'},
		{0},
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
	*status = make_append(o, argv + optind, argc - optind);
	return *status == VPUP_EXIT_OK;
}

static int run_guest(struct conformance *o, json_t **document, struct err *e)
{
	const char *args[RUN_ARGS_MAX] = {"vpup",     "run",
					  "--json",   "-",
					  "--quiet",  "--hyperv",
					  o->hyperv,  "--cpus",
					  o->cpus,    "--timeout",
					  o->timeout, "--append",
					  o->append,  o->hv ? "--hv" : NULL,
					  o->hv};
	const struct runner r = {
		.exe = "/proc/self/exe",
		.deadline_s = o->timeout_s + DEADLINE_EXTRA,
		.stop_fd = o->stop.fd,
		.keep_failed = true,
	};

	return runner_run(&r, (char *const *)args, document, e);
}

static const char *host_text(const json_t *document, const char *key)
{
	const char *text =
		json_string_value(json_object_get(json_object_get(document, "host"), key));

	return text ? text : "unknown";
}

/* TAP: what the guest said, and that it did not come to its end, if so. */
static void print_tap(const struct conformance *o, const char *tap, const json_t *document,
		      const char *bail_out)
{
	puts("TAP version 13");
	if (document)
		printf("# vpup %s; Hyper-V %s%s%s; %s VPs; %s on Linux %s, %s\n", VPUP_VERSION,
		       o->hyperv, o->hv ? " " : "", o->hv ? o->hv : "", o->cpus,
		       host_text(document, "kvm_module"), host_text(document, "kernel"),
		       host_text(document, "cpu_model"));
	if (tap)
		fputs(tap, stdout);
	if (bail_out)
		printf("Bail out! %s\n", bail_out);
}

static int write_json(struct conformance *o, const char *tap, const json_t *document, char **argv,
		      struct err *e)
{
	json_t *result = conformance_result(tap, document, o->hyperv, argv);
	int ret;

	if (!result)
		return err_set(e, ENOMEM, "no result: out of memory");
	ret = result_commit(result, &o->out, e);
	json_decref(result);
	return ret;
}

/* What the run's status and its lines come to. e is why, where the guest did not say it. */
static int verdict(int status, const struct tap_counts *n, struct err *e)
{
	if (status == VPUP_EXIT_FAIL && n->planned && n->failed)
		return VPUP_EXIT_FAIL; /* the lines tell */
	if (status == VPUP_EXIT_OK && (!n->planned || n->failed)) {
		err_set(e, EPROTO, "the guest's tests did not come to their end");
		return VPUP_EXIT_FAIL;
	}
	return status;
}

static int report(struct conformance *o, int status, const json_t *document, char **argv,
		  struct err *e)
{
	const json_t *run = json_array_get(json_object_get(document, "runs"), 0);
	const char *tap = json_string_value(json_object_get(run, "tap"));
	struct tap_counts n = tap_count(tap);
	bool to_stdout = o->json && strcmp(o->json, "-") == 0, told;

	status = verdict(status, &n, e);
	told = status == VPUP_EXIT_OK || (status == VPUP_EXIT_FAIL && n.planned && n.failed);
	if (!to_stdout && (document || tap))
		print_tap(o, tap, document, told ? NULL : e->text);
	if (!told)
		cli_fail(CMD, "%s", e->text);
	if (fflush(stdout)) {
		cli_fail(CMD, "can't write standard output: %s", strerror(errno));
		return VPUP_EXIT_HOST;
	}
	if (o->json && document && write_json(o, tap, document, argv, e)) {
		cli_fail(CMD, "%s", e->text);
		return VPUP_EXIT_HOST;
	}
	return status;
}

static int run_tests(struct conformance *o, char **argv)
{
	json_t *document = NULL;
	struct err e;
	int status;

	if (stop_open(&o->stop, &e)) {
		cli_fail(CMD, "%s", e.text);
		return VPUP_EXIT_HOST;
	}
	status = run_guest(o, &document, &e);
	if (status != RUNNER_STOPPED)
		status = report(o, status, document, argv, &e);
	json_decref(document);
	return status;
}

int cmd_conformance(int argc, char **argv)
{
	struct conformance o = {.hyperv = "user",
				.cpus = "2",
				.timeout = TIMEOUT_DEFAULT,
				.timeout_s = strtod(TIMEOUT_DEFAULT, NULL),
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
	free(o.append);
	return status;
}
