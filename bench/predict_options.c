/* SPDX-License-Identifier: MIT */
/* The command line of `vpup predict`. */
#include "bench/predict_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/cli.h"

#define CMD         "predict"
#define VPS_MAX     65535
#define COST_MAX_US 1e9
#define ITEM_SIZE   64

static void print_help(void)
{
	fputs("usage: vpup predict [options] RESULT\n"
	      "       vpup predict --cost LIST --cpus LIST [options]\n"
	      "       vpup predict --claims\n"
	      "\n"
	      "Bring-up times from a model (docs/predict.md), its stage costs fitted from a result "
	      "file\n"
	      "or given. Each VP count that was measured is predicted too, from the others alone, "
	      "and\n"
	      "the error printed beside it. All that it predicts is modelled, not measured.\n"
	      "\n"
	      "      --cpus LIST     VP counts to predict, such as 1780,4096\n"
	      "      --cores LIST    host cores that VPs share (default: as measured; with --cost, "
	      "one\n"
	      "                      for each VP)\n"
	      "      --cost LIST     costs, such as kick=240us,start=2.5ms,online=80; us without a "
	      "unit.\n"
	      "                      kick, start, remote, init, ucode, identify, calibrate, "
	      "tscsync,\n"
	      "                      work, online, release\n"
	      "      --smp LIST      with --cost: serial, kick, init, full, hvcall (default: all)\n"
	      "      --sockets N     with --cost: sockets (default 1)\n"
	      "      --threads N     with --cost: threads of a core (default 1)\n"
	      "      --claims        what was published, and what the model makes of the costs "
	      "published\n"
	      "                      with it\n"
	      "      --json FILE|-   write the predictions; with '-' stdout has only that\n"
	      "  -h, --help          this text\n"
	      "\n"
	      "Exit status: 0 done, 2 bad usage or input.\n",
	      stdout);
}

/* Cuts the next item off *rest; a copy in item. False: there is none, or it is too long. */
static bool next_item(const char **rest, char item[ITEM_SIZE])
{
	size_t length = strcspn(*rest, ",");

	if (length >= ITEM_SIZE)
		return false;
	memcpy(item, *rest, length);
	item[length] = '\0';
	*rest += length;
	if (**rest == ',')
		(*rest)++;
	else
		*rest = NULL;
	return true;
}

static int parse_list(struct predict_list *l, const char *option, const char *arg)
{
	char item[ITEM_SIZE] = "";
	uint64_t value;

	l->count = 0;
	for (const char *rest = arg; rest;) {
		if (!next_item(&rest, item) || cli_parse_u64(item, 1, VPS_MAX, &value))
			return cli_fail(CMD, "%s: '%s' is not a list of numbers from 1 to %d",
					option, arg, VPS_MAX);
		if (l->count == PREDICT_LIST_MAX)
			return cli_fail(CMD, "%s: more than %d numbers", option, PREDICT_LIST_MAX);
		l->value[l->count++] = (uint32_t)value;
	}
	return 0;
}

static int parse_number(uint32_t *out, const char *option, const char *arg)
{
	uint64_t value;

	if (cli_parse_u64(arg, 1, VPS_MAX, &value))
		return cli_fail(CMD, "%s: '%s' is not a whole number from 1 to %d", option, arg,
				VPS_MAX);
	*out = (uint32_t)value;
	return 0;
}

static int parse_modes(struct predict_options *o, const char *arg)
{
	char item[ITEM_SIZE] = "";

	for (const char *rest = arg; rest;) {
		enum predict_mode m = PREDICT_MODES;

		if (next_item(&rest, item))
			m = predict_mode_find(item);
		if (m == PREDICT_MODES)
			return cli_fail(CMD,
					"--smp: '%s' is not a list of serial, kick, init, full, "
					"hvcall",
					arg);
		o->mode[m] = true;
	}
	return 0;
}

/* A decimal number and its unit. */
static bool parse_us(const char *text, double *us)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*us = strtod(text, &end);
	if (strcmp(end, "ms") == 0)
		*us *= 1e3;
	else if (strcmp(end, "s") == 0)
		*us *= 1e6;
	else if (*end && strcmp(end, "us") != 0)
		return false;
	return *us >= 0 && *us <= COST_MAX_US;
}

static int parse_cost(struct predict_options *o, const char *item)
{
	const char *names[PREDICT_COSTS + 1] = {NULL};
	size_t length = strcspn(item, "=");
	char name[ITEM_SIZE];
	const char *near;

	memcpy(name, item, length);
	name[length] = '\0';
	for (unsigned c = 0; c < PREDICT_COSTS; c++) {
		names[c] = predict_cost_name(c);
		if (strcmp(names[c], name) != 0)
			continue;
		if (item[length] == '=' && parse_us(item + length + 1, &o->given.cost_us[c]))
			return 0;
		return cli_fail(CMD, "--cost: '%s' is not %s=TIME, such as %s=250us or %s=1.5ms",
				item, name, name, name);
	}
	near = cli_suggest(name, names);
	if (near)
		return cli_fail(CMD, "--cost: no cost '%s'; did you mean '%s'?", name, near);
	return cli_fail(CMD, "--cost: no cost '%s'; vpup predict --help lists them", name);
}

static int parse_costs(struct predict_options *o, const char *arg)
{
	char item[ITEM_SIZE] = "";
	int ret = 0;

	o->have_costs = true;
	for (const char *rest = arg; ret == 0 && rest;) {
		if (!next_item(&rest, item))
			return cli_fail(CMD, "--cost: '%s' is not a list of NAME=TIME", arg);
		ret = parse_cost(o, item);
	}
	return ret;
}

static int parse_option(struct predict_options *o, int c, char **argv, const struct option *options)
{
	switch (c) {
	case 'c':
		return parse_list(&o->cpus, "--cpus", optarg);
	case 'C':
		return parse_list(&o->cores, "--cores", optarg);
	case 'k':
		return parse_costs(o, optarg);
	case 'm':
		return parse_modes(o, optarg);
	case 's':
		return parse_number(&o->given.sockets, "--sockets", optarg);
	case 't':
		return parse_number(&o->given.threads, "--threads", optarg);
	case 'j':
		o->json = optarg;
		return 0;
	case 'l':
		o->claims = true;
		return 0;
	default:
		return cli_bad_option(CMD, c, argv, options);
	}
}

static int check(struct predict_options *o, int argc, char **argv)
{
	if (optind < argc)
		o->file = argv[optind++];
	if (optind < argc)
		return cli_fail(CMD, "unexpected argument '%s'", argv[optind]);
	if (o->claims && (o->file || o->have_costs))
		return cli_fail(CMD, "--claims takes neither a result nor --cost");
	if (o->file && o->have_costs)
		return cli_fail(CMD, "costs come from a result or from --cost, not both");
	if (!o->file && !o->have_costs && !o->claims)
		return cli_fail(CMD, "no RESULT given, and neither --cost nor --claims");
	if (o->have_costs && o->cpus.count == 0)
		return cli_fail(CMD, "--cost needs --cpus, the VP counts to predict");
	return 0;
}

bool predict_options_parse(struct predict_options *o, int argc, char **argv, int *status)
{
	static const struct option options[] = {
		{"cpus", required_argument, NULL, 'c'},
		{"cores", required_argument, NULL, 'C'},
		{"cost", required_argument, NULL, 'k'},
		{"smp", required_argument, NULL, 'm'},
		{"sockets", required_argument, NULL, 's'},
		{"threads", required_argument, NULL, 't'},
		{"claims", no_argument, NULL, 'l'},
		{"json", required_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	*o = (struct predict_options){.given = {.sockets = 1, .threads = 1}};
	*status = VPUP_EXIT_OK;
	opterr = 0;
	optind = 1;
	while (*status == 0 && (c = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (c == 'h') {
			print_help();
			return false;
		}
		*status = parse_option(o, c, argv, options);
	}
	if (*status == 0)
		*status = check(o, argc, argv);
	return *status == 0;
}
