/* SPDX-License-Identifier: MIT */
/* Parses the options of `vpup lab` and prints its help. */
#include "lab/lab_options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/levels.h"
#include "vmm/cli.h"

#define CMD            "lab"
#define MEMORY_DEFAULT (2048ull << 20)
#define CPUS_MAX       64
#define CPUS_DEFAULT   4 /* at most: emulated CPUs beyond this machine's only hinder each other */

enum option_letter {
	OPT_ENGINE = 256,
	OPT_DEPTH,
	OPT_KERNEL,
	OPT_MODULES,
	OPT_CPUS,
	OPT_MEMORY,
	OPT_APPEND,
	OPT_LOG,
	OPT_HYPERV,
	OPT_TIMEOUT,
	OPT_TIMELINE,
};

static const struct option options[] = {
	{"engine", required_argument, NULL, OPT_ENGINE},
	{"depth", required_argument, NULL, OPT_DEPTH},
	{"l1-kernel", required_argument, NULL, OPT_KERNEL},
	{"l1-modules", required_argument, NULL, OPT_MODULES},
	{"l1-cpus", required_argument, NULL, OPT_CPUS},
	{"l1-memory", required_argument, NULL, OPT_MEMORY},
	{"l1-append", required_argument, NULL, OPT_APPEND},
	{"l1-log", required_argument, NULL, OPT_LOG},
	{"hyperv", required_argument, NULL, OPT_HYPERV},
	{"timeout", required_argument, NULL, OPT_TIMEOUT},
	{"timeline", required_argument, NULL, OPT_TIMELINE},
	{"verbose", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static void print_help(void)
{
	puts("usage: vpup lab [options] -- COMMAND [ARGUMENT...]\n"
	     "       vpup lab fetch [--if-missing] [6.1|6.12]\n"
	     "\n"
	     "Boots a Linux (L1) that has a KVM of its own, and runs vpup COMMAND in it: its VMs "
	     "are\n"
	     "then nested guests (L2). Works on any machine, as L1 can be emulated. Files that "
	     "COMMAND\n"
	     "names are copied in; those that it writes come out. Its exit status is passed on.\n"
	     "'fetch' gets Debian's kernel of that version (default 6.1) into the cache.\n"
	     "\n"
	     "      --engine qemu-tcg|qemu-kvm|vpup\n"
	     "                          what runs L1 (default: qemu-kvm where KVM can nest, else "
	     "qemu-tcg)\n"
	     "      --depth N           run COMMAND N levels deep (default 1); 2: vpup runs a "
	     "Linux L2\n"
	     "                          in L1, and COMMAND in that\n"
	     "      --hyperv user|kernel|off\n"
	     "                          what a level that vpup runs sees of Hyper-V (default "
	     "user)\n"
	     "      --l1-kernel FILE    bzImage or PVH vmlinux, or lab:6.1, lab:6.12 (default: "
	     "this\n"
	     "                          machine's own where that will do, else lab:6.1)\n"
	     "      --l1-modules DIR    its /lib/modules/VERSION\n"
	     "      --l1-cpus N         (default: this machine's, at most 4)\n"
	     "      --l1-memory SIZE    (default 2G)\n"
	     "      --l1-append STR     added to L1's kernel command line\n"
	     "      --l1-log FILE       write L1's console there\n"
	     "      --timeline FILE     write a trace of all levels: the lab's steps, and "
	     "COMMAND's own\n"
	     "      --timeout SEC       end all after this long, with exit status 4\n"
	     "  -v, --verbose           tell on stderr what took how long\n"
	     "  -h, --help              this text\n"
	     "\n"
	     "Exit status: COMMAND's; 2 bad usage or input, 3 this host can't or L1 failed, 4 "
	     "timeout.");
}

static int parse_engine(struct lab_options *o)
{
	struct err e;

	o->engine = engine_find(optarg, &e);
	return o->engine ? 0 : cli_fail(CMD, "%s", e.text);
}

static int parse_number(const char *name, uint64_t max, uint64_t *out)
{
	if (cli_parse_u64(optarg, 1, max, out))
		return cli_fail(CMD, "%s: '%s' is not a whole number from 1 to %d", name, optarg,
				(int)max);
	return 0;
}

static int parse_memory(struct lab_options *o)
{
	if (cli_parse_size(optarg, &o->l1_memory_bytes) || o->l1_memory_bytes < LEVELS_MEMORY_MIN ||
	    o->l1_memory_bytes % (1 << 20))
		return cli_fail(CMD, "--l1-memory: '%s' is not a size such as 2G, of at least 256M",
				optarg);
	return 0;
}

static int parse_hyperv(struct lab_options *o)
{
	if (strcmp(optarg, "user") && strcmp(optarg, "kernel") && strcmp(optarg, "off"))
		return cli_fail(CMD, "--hyperv: '%s' is not user, kernel or off", optarg);
	o->hyperv = optarg;
	return 0;
}

/* Other levels write there, too, which have no stdout but COMMAND's. */
static int parse_timeline(struct lab_options *o)
{
	if (!*optarg || *optarg == '-')
		return cli_fail(CMD, "--timeline: '%s' is not a file's name", optarg);
	o->timeline = optarg;
	return 0;
}

static int parse_timeout(struct lab_options *o)
{
	if (cli_parse_duration(optarg, 1e6, &o->timeout_s))
		return cli_fail(CMD, "--timeout: '%s' is not a number of seconds above 0", optarg);
	return 0;
}

static const char **text_option(struct lab_options *o, int c)
{
	switch (c) {
	case OPT_KERNEL:
		return &o->l1_kernel;
	case OPT_MODULES:
		return &o->l1_modules;
	case OPT_APPEND:
		return &o->l1_append;
	case OPT_LOG:
		return &o->l1_log;
	default:
		return NULL;
	}
}

static int parse_one(struct lab_options *o, int c, char **argv)
{
	const char **text = text_option(o, c);

	if (text) {
		*text = optarg;
		return 0;
	}
	switch (c) {
	case OPT_ENGINE:
		return parse_engine(o);
	case OPT_DEPTH:
		return parse_number("--depth", LAB_DEPTH_MAX, &o->depth);
	case OPT_CPUS:
		return parse_number("--l1-cpus", CPUS_MAX, &o->l1_cpus);
	case OPT_MEMORY:
		return parse_memory(o);
	case OPT_HYPERV:
		return parse_hyperv(o);
	case OPT_TIMEOUT:
		return parse_timeout(o);
	case OPT_TIMELINE:
		return parse_timeline(o);
	case 'v':
		o->verbose = true;
		return 0;
	default:
		return cli_bad_option(CMD, c, argv, options);
	}
}

static void defaults(struct lab_options *o)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*o = (struct lab_options){
		.engine = engine_default(),
		.depth = 1,
		.l1_cpus = cpus < 1              ? 1
			   : cpus < CPUS_DEFAULT ? (uint64_t)cpus
						 : CPUS_DEFAULT,
		.l1_memory_bytes = MEMORY_DEFAULT,
		.hyperv = "user",
	};
}

int lab_options_parse(struct lab_options *o, int argc, char **argv, int *status)
{
	int c;

	defaults(o);
	opterr = 0;
	optind = 1;
	*status = 0;
	/* '+': the options end where COMMAND begins, with or without "--". */
	while (*status == 0 && (c = getopt_long(argc, argv, "+:vh", options, NULL)) != -1) {
		if (c == 'h') {
			print_help();
			return 1;
		}
		*status = parse_one(o, c, argv);
	}
	if (*status == 0 && o->l1_memory_bytes >> (o->depth - 1) < LEVELS_MEMORY_MIN)
		*status = cli_fail(CMD,
				   "--depth %d halves --l1-memory from level to level: it "
				   "takes at least %dM",
				   (int)o->depth, (int)(LEVELS_MEMORY_MIN >> 20 << (o->depth - 1)));
	if (*status == 0 && optind >= argc)
		*status = cli_fail(CMD, "no COMMAND; for example 'vpup lab -- run -c 4'");
	o->command = argv + optind;
	return *status != 0;
}
