/* SPDX-License-Identifier: MIT */
/* vpup: the table of subcommands, and the way to them. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "bench/cmd_bench.h"
#include "bench/cmd_compare.h"
#include "bench/cmd_conformance.h"
#include "bench/cmd_decode.h"
#include "bench/cmd_peer.h"
#include "bench/cmd_predict.h"
#include "bench/cmd_report.h"
#include "lab/cmd_lab.h"
#include "lab/init.h"
#include "lab/l1_paths.h"
#include "vmm/cli.h"
#include "vmm/cmd_doctor.h"
#include "vmm/cmd_run.h"

static int cmd_help(int argc, char **argv);

static const struct subcommand subcommands[] = {
	{"run", "[options] [KERNEL]", "launch a VM; without KERNEL, the bundled guest", cmd_run},
	{"bench", "[options] SCENARIO", "run a measurement; table on stdout, result as JSON",
	 cmd_bench},
	{"compare", "[options] BASE NEW", "judge a result against an earlier one", cmd_compare},
	{"conformance", "[options] [TEST...]", "test what this host and vpup do of Hyper-V; TAP",
	 cmd_conformance},
	{"decode", "[options] FILE", "read the bundled guest's trace from a debug console's file",
	 cmd_decode},
	{"report", "RESULT... -o FILE", "show results: a page, a trace or rows", cmd_report},
	{"lab", "[options] -- COMMAND", "any of these inside a nested L1", cmd_lab},
	{"doctor", "", "what this host can do, and what to do about what it can't", cmd_doctor},
	{"peer", "[options] -- RUN-OPTIONS", "vpup or QEMU's microvm, measured from outside",
	 cmd_peer},
	{"predict", "[options] RESULT",
	 "bring-up times of machines that are not there, from a model", cmd_predict},
	{"help", "[COMMAND]", "this text, or a command's own", cmd_help},
	{L1_INIT, NULL, NULL, lab_init}, /* not for people: L1's first process */
};

#define SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

static const struct subcommand *find(const char *name)
{
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		if (strcmp(subcommands[i].name, name) == 0)
			return &subcommands[i];
	return NULL;
}

static void print_usage(FILE *out)
{
	fputs("usage: vpup COMMAND [options]\n\n"
	      "vpup brings virtual processors up: a compact KVM hypervisor that shows its guests\n"
	      "Hyper-V, and measures how long their virtual processors take to come online.\n\n",
	      out);
	for (size_t i = 0; i < SUBCOMMANDS && subcommands[i].args; i++)
		fprintf(out, "  %-11s %-24s %s\n", subcommands[i].name, subcommands[i].args,
			subcommands[i].summary);
	fputs("\n'vpup COMMAND --help' lists a command's options; 'vpup --version' the version.\n",
	      out);
}

static int unknown(const char *name)
{
	const char *names[SUBCOMMANDS + 1] = {NULL};
	const char *near;

	for (size_t i = 0; i < SUBCOMMANDS && subcommands[i].args; i++)
		names[i] = subcommands[i].name;
	near = cli_suggest(name, names);
	if (near)
		fprintf(stderr, "vpup: unknown command '%s'; did you mean '%s'?\n", name, near);
	else
		fprintf(stderr, "vpup: unknown command '%s'; 'vpup help' lists them\n", name);
	return VPUP_EXIT_USAGE;
}

static int cmd_help(int argc, char **argv)
{
	char help[] = "--help";
	char *args[] = {argc > 1 ? argv[1] : NULL, help, NULL};
	const struct subcommand *s;

	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		print_usage(stdout);
		return VPUP_EXIT_OK;
	}
	s = find(argv[1]);
	return s ? s->run(2, args) : unknown(argv[1]);
}

int main(int argc, char **argv)
{
	const struct subcommand *s;

	if (argc < 2) {
		print_usage(stderr);
		return VPUP_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("vpup " VPUP_VERSION);
		return VPUP_EXIT_OK;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_usage(stdout);
		return VPUP_EXIT_OK;
	}
	/* A file that may not grow is an error like a full disk, and nothing is left behind. */
	signal(SIGXFSZ, SIG_IGN);
	s = find(argv[1]);
	return s ? s->run(argc - 1, argv + 1) : unknown(argv[1]);
}
