/* SPDX-License-Identifier: MIT */
/* `vpup compare BASE NEW`. */
#include "bench/cmd_compare.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/judge.h"
#include "bench/result_file.h"
#include "vmm/cli.h"

#define CMD "compare"

struct options {
	struct judge judge;
	json_t *ignored; /* owned */
	const char *json;
};

static void print_help(void)
{
	fputs("usage: vpup compare [options] BASE NEW\n"
	      "\n"
	      "Judges the result file NEW against BASE: each metric of runs with equal parameters, "
	      "by a\n"
	      "rank test and a minimum effect, corrected for the number of metrics.\n"
	      "\n"
	      "      --alpha P          rate of false alarms over all metrics together (default "
	      "0.01)\n"
	      "      --min-effect PART  least shift that matters, of the base's median (default "
	      "5%)\n"
	      "      --ignore KEY       pair runs that differ in this parameter (may be repeated)\n"
	      "      --json FILE|-      write the comparison; with '-' stdout has only that\n"
	      "  -q, --quiet            only rows that are better or worse\n"
	      "  -h, --help             this text\n"
	      "\n"
	      "Verdicts: worse, better; same: an effect that matters can be ruled out; unclear: "
	      "neither.\n"
	      "Exit status: 0 nothing is worse, 1 something is, 2 bad usage or input.\n",
	      stdout);
}

static int parse_option(struct options *o, int c, char **argv, const struct option *options)
{
	switch (c) {
	case 'a':
		return judge_parse_part(CMD, "--alpha", optarg, &o->judge.options.alpha);
	case 'm':
		return judge_parse_part(CMD, "--min-effect", optarg, &o->judge.options.min_effect);
	case 'i':
		if (!optarg[0] || json_object_set_new(o->ignored, optarg, json_true()))
			return cli_fail(CMD, "--ignore: '%s' is not the name of a parameter",
					optarg);
		return 0;
	case 'j':
		o->json = optarg;
		return 0;
	case 'q':
		o->judge.only_changes = true;
		return 0;
	default:
		return cli_bad_option(CMD, c, argv, options);
	}
}

static int check_operands(int operands, char **operand)
{
	struct stat st[2];

	if (operands < 2)
		return cli_fail(CMD, "two result files are needed, BASE and NEW");
	if (operands > 2)
		return cli_fail(CMD, "unexpected argument '%s'", operand[2]);
	if (stat(operand[0], &st[0]) == 0 && stat(operand[1], &st[1]) == 0 &&
	    st[0].st_dev == st[1].st_dev && st[0].st_ino == st[1].st_ino)
		return cli_fail(CMD, "'%s' is BASE and NEW at once; give two results", operand[1]);
	return 0;
}

/* Returns true to go on; else *status is the exit status. */
static bool parse_options(struct options *o, int argc, char **argv, int *status)
{
	static const struct option options[] = {
		{"alpha", required_argument, NULL, 'a'},
		{"min-effect", required_argument, NULL, 'm'},
		{"ignore", required_argument, NULL, 'i'},
		{"json", required_argument, NULL, 'j'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	opterr = 0;
	optind = 1;
	*status = 0;
	while (*status == 0 && (c = getopt_long(argc, argv, ":qh", options, NULL)) != -1) {
		if (c == 'h') {
			print_help();
			return false;
		}
		*status = parse_option(o, c, argv, options);
	}
	if (*status == 0)
		*status = check_operands(argc - optind, argv + optind);
	return *status == 0;
}

static int compare_files(struct options *o, char **path)
{
	json_t *document[2] = {NULL, NULL};
	struct outfile out = {.f = NULL};
	struct err e;
	int status = 0;

	for (int i = 0; status == 0 && i < 2; i++) {
		document[i] = result_file_read(path[i], &e);
		o->judge.names[i] = path[i];
		if (!document[i])
			status = cli_fail(CMD, "%s", e.text);
	}
	if (status == 0 && o->json && outfile_open(&out, o->json, &e))
		status = cli_fail(CMD, "%s", e.text);
	if (status == 0) {
		o->judge.out = o->json && strcmp(o->json, "-") == 0 ? NULL : stdout;
		o->judge.json = o->json ? &out : NULL;
		o->judge.ignored = o->ignored;
		status = judge_documents(&o->judge, document[0], document[1]);
	}
	outfile_abort(&out);
	json_decref(document[1]);
	json_decref(document[0]);
	return status;
}

int cmd_compare(int argc, char **argv)
{
	struct options o = {
		.judge = {.cmd = CMD, .options = {COMPARE_ALPHA, COMPARE_MIN_EFFECT, false}},
		.ignored = json_object(),
	};
	int status;

	if (parse_options(&o, argc, argv, &status))
		status = compare_files(&o, argv + optind);
	json_decref(o.ignored);
	return status;
}
