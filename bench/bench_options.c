/* SPDX-License-Identifier: MIT */
/* The command line of `vpup bench`. */
#include "bench/bench_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/cli.h"

#define CMD "bench"

enum {
	OPTION_CHECK = 256,
	OPTION_LIST,
	OPTION_SHOW,
	OPTION_BASELINE,
	OPTION_AGAINST
}; /* options without a letter */

/* What stands on the command line and waits until the scenario is known. */
struct given {
	struct plan_settings settings;
	size_t repeats;   /* 0: not given */
	double timeout_s; /* 0: not given */
	char *impl;       /* values of a dimension that --against adds; owned */
	const char *show; /* print this scenario's file, or NULL */
	bool list;
};

static void print_list(void)
{
	for (size_t i = 0; scenario_files[i].name; i++) {
		struct scenario s;
		struct err e;

		if (scenario_load(&s, scenario_files[i].name, &e) == 0)
			printf("  %-20s  %s\n", s.name, s.summary);
		scenario_fini(&s);
	}
}

static void print_help(void)
{
	fputs("usage: vpup bench [options] SCENARIO|FILE\n"
	      "       vpup bench --list | --show SCENARIO\n"
	      "\n"
	      "Runs a measurement matrix, cell by cell and round by round, each cell in a process "
	      "of\n"
	      "its own, and prints a table.\n"
	      "\n"
	      "  -c, --cpus LIST       VP counts, such as 1,2,4-8\n"
	      "      --repeat N        runs of each cell (default: as the scenario says)\n"
	      "      --set KEY=V1,V2   values of another dimension, such as smp=serial,full; a "
	      "value\n"
	      "                        with commas stands in double quotes\n"
	      "      --timeout SEC     give up when one run takes longer (default 120)\n"
	      "      --check           exit 1 if a claim of the scenario does not keep its "
	      "bounds\n"
	      "      --baseline FILE   judge the result against an earlier one, as vpup compare "
	      "does\n"
	      "      --against VPUP    run every cell with another vpup too, in turns, and judge\n"
	      "      --json FILE|-     write the result; with '-' stdout has only that\n"
	      "  -q, --quiet           no progress line\n"
	      "      --list            the scenarios' names, and what they measure\n"
	      "      --show SCENARIO   print a scenario's file, to make your own of it\n"
	      "  -h, --help            this text\n"
	      "\n"
	      "Scenarios (a file of your own: see docs/scenarios.md):\n",
	      stdout);
	print_list();
	fputs("\n"
	      "Exit status: 0 done, 2 bad usage or input, else that of the run that failed (see\n"
	      "vpup run): 1 guest failed, or a regression, 3 this host can't, 4 timeout, 5 guest "
	      "crashed.\n",
	      stdout);
}

static int setting_add(struct plan_settings *s, const char *key, size_t key_length,
		       const char *list)
{
	struct plan_setting new = {.list = list};

	if (key_length == 0 || key_length >= sizeof(new.key))
		return cli_fail(CMD, "--set: '%.*s' is not KEY=VALUE,...", (int)key_length + 1,
				key);
	memcpy(new.key, key, key_length);
	for (size_t i = 0; i < s->count; i++) {
		if (strcmp(s->setting[i].key, new.key) == 0)
			return cli_fail(CMD, "'%s' is set twice", new.key);
	}
	if (s->count == MATRIX_DIMENSIONS)
		return cli_fail(CMD, "--set: more than %d dimensions", MATRIX_DIMENSIONS);
	s->setting[s->count++] = new;
	return 0;
}

static int parse_set(struct given *g, const char *arg)
{
	const char *equals = strchr(arg, '=');

	if (!equals)
		return cli_fail(CMD, "--set: '%s' is not KEY=VALUE,...", arg);
	return setting_add(&g->settings, arg, (size_t)(equals - arg), equals + 1);
}

static int parse_repeat(struct given *g, const char *arg)
{
	uint64_t n;

	if (cli_parse_u64(arg, 1, SCENARIO_REPEATS_MAX, &n))
		return cli_fail(CMD, "--repeat: '%s' is not a whole number from 1 to %d", arg,
				SCENARIO_REPEATS_MAX);
	g->repeats = (size_t)n;
	return 0;
}

static int parse_timeout(struct given *g, const char *arg)
{
	if (cli_parse_duration(arg, 1e6, &g->timeout_s))
		return cli_fail(CMD, "--timeout: '%s' is not a number of seconds above 0", arg);
	return 0;
}

static int names_refuse(void)
{
	char list[256] = "";

	for (size_t i = 0; scenario_files[i].name; i++) {
		size_t used = strlen(list);

		snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
			 scenario_files[i].name);
	}
	return cli_fail(CMD, "no scenario given; possible are: %s", list);
}

static int find_scenario(struct bench_options *o, int argc, char **argv)
{
	struct err e;

	if (optind >= argc)
		return names_refuse();
	if (optind + 1 < argc)
		return cli_fail(CMD, "unexpected argument '%s'", argv[optind + 1]);
	if (scenario_load(&o->scenario, argv[optind], &e))
		return cli_fail(CMD, "%s", e.text);
	return 0;
}

/* --against is a dimension of the matrix: its two values take turns like all others. */
static int set_against(struct bench_options *o, struct given *given)
{
	struct err e;

	if (!o->judge.against)
		return 0;
	if (o->judge.baseline)
		return cli_fail(CMD, "--baseline and --against: give one of them");
	given->impl = bench_judge_impl(o->judge.against, &e);
	if (!given->impl)
		return cli_fail(CMD, "%s", e.text);
	return setting_add(&given->settings, "impl", 4, given->impl);
}

static int make_plan(struct bench_options *o, const struct given *given)
{
	struct err e;
	int ret;

	o->repeats = given->repeats ? given->repeats : o->scenario.repeats;
	o->timeout_s = given->timeout_s > 0 ? given->timeout_s : o->scenario.timeout_s;
	ret = plan_build(&o->plan, &o->scenario, &given->settings, o->repeats, &e);
	if (ret == 0)
		ret = bench_judge_open(&o->judge, &o->plan, &e);
	if (ret)
		cli_fail(CMD, "%s", e.text);
	if (ret == -ENODEV)
		return VPUP_EXIT_HOST;
	return ret ? VPUP_EXIT_USAGE : 0;
}

static int print_file(const char *name)
{
	const struct scenario_file *file = scenario_find(name);
	struct scenario none;
	struct err e;

	if (file) {
		fputs(file->text, stdout);
		return 0;
	}
	if (scenario_load(&none, name, &e) == 0)
		err_set(&e, EINVAL, "--show: '%s' is not one of vpup's own scenarios", name);
	scenario_fini(&none);
	return cli_fail(CMD, "%s", e.text);
}

static int parse_option(struct bench_options *o, struct given *g, int c, char **argv,
			const struct option *options)
{
	switch (c) {
	case 'c':
		return setting_add(&g->settings, "cpus", 4, optarg);
	case 'r':
		return parse_repeat(g, optarg);
	case 's':
		return parse_set(g, optarg);
	case 't':
		return parse_timeout(g, optarg);
	case 'j':
		o->json = optarg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case OPTION_CHECK:
		o->check = true;
		return 0;
	case OPTION_BASELINE:
		o->judge.baseline = optarg;
		return 0;
	case OPTION_AGAINST:
		o->judge.against = optarg;
		return 0;
	case OPTION_LIST:
		g->list = true;
		return 0;
	case OPTION_SHOW:
		g->show = optarg;
		return 0;
	default:
		return cli_bad_option(CMD, c, argv, options);
	}
}

bool bench_options_parse(struct bench_options *o, int argc, char **argv, int *status)
{
	static const struct option options[] = {
		{"cpus", required_argument, NULL, 'c'},
		{"repeat", required_argument, NULL, 'r'},
		{"set", required_argument, NULL, 's'},
		{"timeout", required_argument, NULL, 't'},
		{"json", required_argument, NULL, 'j'},
		{"quiet", no_argument, NULL, 'q'},
		{"check", no_argument, NULL, OPTION_CHECK},
		{"baseline", required_argument, NULL, OPTION_BASELINE},
		{"against", required_argument, NULL, OPTION_AGAINST},
		{"list", no_argument, NULL, OPTION_LIST},
		{"show", required_argument, NULL, OPTION_SHOW},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct given given = {.repeats = 0};
	int c;

	*o = (struct bench_options){.repeats = 0};
	opterr = 0;
	optind = 1;
	*status = 0;
	while (*status == 0 && (c = getopt_long(argc, argv, ":c:qh", options, NULL)) != -1) {
		if (c == 'h') {
			print_help();
			return false;
		}
		*status = parse_option(o, &given, c, argv, options);
	}
	if (*status == 0 && given.list) {
		print_list();
		return false;
	}
	if (*status == 0 && given.show) {
		*status = print_file(given.show);
		return false;
	}
	if (*status == 0)
		*status = find_scenario(o, argc, argv);
	if (*status == 0)
		*status = set_against(o, &given);
	if (*status == 0)
		*status = make_plan(o, &given);
	free(given.impl);
	return *status == 0;
}

void bench_options_fini(struct bench_options *o)
{
	bench_judge_close(&o->judge);
	plan_fini(&o->plan);
	scenario_fini(&o->scenario);
}
