/* SPDX-License-Identifier: MIT */
/* The command line of `vpup bench`. */
#include "bench/bench_options.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/cli.h"

#define CMD             "bench"
#define DEFAULT_REPEATS 5
#define DEFAULT_TIMEOUT 120
#define REPEATS_MAX     1000

/* A dimension on the command line. It waits until the scenario is known. */
struct setting {
	const char *list;
	char key[32];
};

struct settings {
	struct setting setting[MATRIX_DIMENSIONS];
	size_t count;
};

static void print_help(void)
{
	fputs("usage: vpup bench [options] SCENARIO\n"
	      "\n"
	      "Runs a measurement matrix, cell by cell and round by round, each cell in a process "
	      "of\n"
	      "its own, and prints a table.\n"
	      "\n"
	      "  -c, --cpus LIST       VP counts, such as 1,2,4-8\n"
	      "      --repeat N        runs of each cell (default 5)\n"
	      "      --set KEY=V1,V2   values of another dimension: nodes, smp, lpj, hz, hyperv, "
	      "invtsc\n"
	      "      --timeout SEC     give up when one run takes longer (default 120)\n"
	      "      --json FILE|-     write the result; with '-' stdout has only that\n"
	      "  -q, --quiet           no progress line\n"
	      "  -h, --help            this text\n"
	      "\n"
	      "Scenarios:\n",
	      stdout);
	for (size_t i = 0; scenarios[i]; i++)
		printf("  %-20s  %s\n", scenarios[i]->name, scenarios[i]->summary);
	fputs("\n"
	      "Exit status: 0 done, 2 bad usage or input, else that of the run that failed (see\n"
	      "vpup run): 1 guest failed, 3 this host can't, 4 timeout, 5 guest crashed.\n",
	      stdout);
}

static int setting_add(struct settings *s, const char *key, size_t key_length, const char *list)
{
	struct setting new = {.list = list};

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

static int parse_set(struct settings *s, const char *arg)
{
	const char *equals = strchr(arg, '=');

	if (!equals)
		return cli_fail(CMD, "--set: '%s' is not KEY=VALUE,...", arg);
	return setting_add(s, arg, (size_t)(equals - arg), equals + 1);
}

static int parse_repeat(struct bench_options *o, const char *arg)
{
	uint64_t n;

	if (cli_parse_u64(arg, 1, REPEATS_MAX, &n))
		return cli_fail(CMD, "--repeat: '%s' is not a whole number from 1 to %d", arg,
				REPEATS_MAX);
	o->repeats = (size_t)n;
	return 0;
}

static int parse_timeout(struct bench_options *o, const char *arg)
{
	if (cli_parse_seconds(arg, &o->timeout_s) || o->timeout_s <= 0 || o->timeout_s > 1e6)
		return cli_fail(CMD, "--timeout: '%s' is not a number of seconds above 0", arg);
	return 0;
}

static int find_scenario(struct bench_options *o, int argc, char **argv)
{
	const char *names[32] = {NULL};
	const char *near;
	char list[256] = "";

	for (size_t i = 0; scenarios[i] && i + 1 < sizeof(names) / sizeof(names[0]); i++) {
		size_t used = strlen(list);

		names[i] = scenarios[i]->name;
		snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", names[i]);
	}
	if (optind >= argc)
		return cli_fail(CMD, "no scenario given; possible are: %s", list);
	if (optind + 1 < argc)
		return cli_fail(CMD, "unexpected argument '%s'", argv[optind + 1]);
	o->scenario = scenario_find(argv[optind]);
	if (o->scenario)
		return 0;
	near = cli_suggest(argv[optind], names);
	if (near)
		return cli_fail(CMD, "no scenario '%s'; did you mean '%s'?", argv[optind], near);
	return cli_fail(CMD, "no scenario '%s'; possible are: %s", argv[optind], list);
}

static const char *setting_find(const struct settings *s, const char *key)
{
	for (size_t i = 0; i < s->count; i++) {
		if (strcmp(s->setting[i].key, key) == 0)
			return s->setting[i].list;
	}
	return NULL;
}

static bool scenario_varies(const struct scenario *scenario, const char *key)
{
	for (const struct scenario_dimension *d = scenario->dimension; d->key; d++) {
		if (strcmp(d->key, key) == 0)
			return true;
	}
	return false;
}

/*
 * What the scenario does not know varies slowest, so that its own last dimension, the one that it
 * compares, still tells neighbouring cells apart.
 */
static int build_matrix(struct bench_options *o, const struct settings *s)
{
	size_t cells, runs;
	struct err e;

	for (size_t i = 0; i < s->count; i++) {
		const struct setting *new = &s->setting[i];

		if (!scenario_varies(o->scenario, new->key) &&
		    matrix_set(&o->matrix, new->key, new->list, &e))
			return cli_fail(CMD, "%s", e.text);
	}
	for (const struct scenario_dimension *d = o->scenario->dimension; d->key; d++) {
		const char *list = setting_find(s, d->key);

		if (matrix_set(&o->matrix, d->key, list ? list : d->values, &e))
			return cli_fail(CMD, "%s", e.text);
	}
	cells = matrix_cells(&o->matrix);
	if (__builtin_mul_overflow(cells, o->repeats, &runs) || runs > BENCH_RUNS_MAX)
		return cli_fail(CMD, "%zu cells, %zu times each, are more than %d runs", cells,
				o->repeats, BENCH_RUNS_MAX);
	return 0;
}

static int parse_option(struct bench_options *o, struct settings *s, int c, char **argv,
			const struct option *options)
{
	switch (c) {
	case 'c':
		return setting_add(s, "cpus", 4, optarg);
	case 'r':
		return parse_repeat(o, optarg);
	case 's':
		return parse_set(s, optarg);
	case 't':
		return parse_timeout(o, optarg);
	case 'j':
		o->json = optarg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	default:
		return cli_bad_option(CMD, c, argv, options);
	}
}

bool bench_options_parse(struct bench_options *o, int argc, char **argv, int *status)
{
	static const struct option options[] = {
		{"cpus", required_argument, NULL, 'c'}, {"repeat", required_argument, NULL, 'r'},
		{"set", required_argument, NULL, 's'},  {"timeout", required_argument, NULL, 't'},
		{"json", required_argument, NULL, 'j'}, {"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},       {0},
	};
	struct settings settings = {.count = 0};
	int c;

	*o = (struct bench_options){.repeats = DEFAULT_REPEATS, .timeout_s = DEFAULT_TIMEOUT};
	opterr = 0;
	optind = 1;
	*status = 0;
	while (*status == 0 && (c = getopt_long(argc, argv, ":c:qh", options, NULL)) != -1) {
		if (c == 'h') {
			print_help();
			return false;
		}
		*status = parse_option(o, &settings, c, argv, options);
	}
	if (*status == 0)
		*status = find_scenario(o, argc, argv);
	if (*status == 0)
		*status = build_matrix(o, &settings);
	return *status == 0;
}

void bench_options_fini(struct bench_options *o)
{
	matrix_fini(&o->matrix);
}
