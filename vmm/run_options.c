/* SPDX-License-Identifier: MIT */
/* The options of `vpup run`: the table of them all, and what is made of it: help, and getopt's. */
#include "vmm/run_options.h"

#include <stdio.h>
#include <string.h>

#include "hyperv/hv_feature.h"
#include "vmm/cli.h"
#include "vmm/run_option.h"
#include "vmm/run_option_args.h"
#include "vmm/run_option_checks.h"

#define CMD            RUN_OPTION_CMD
#define DEFAULT_MEMORY (256ull << 20)

/* The offset of a field, which must have this type. */
#define FIELD(type, name) \
	(offsetof(struct vm_config, name) + 0 * sizeof((type *)0 == &((struct vm_config *)0)->name))

#define WORD(name)   .kind = RUN_OPTION_WORD, .field = FIELD(const char *, name)
#define FLAG(name)   .kind = RUN_OPTION_FLAG, .field = FIELD(bool, name)
#define SWITCH(name) .kind = RUN_OPTION_SWITCH, .field = FIELD(bool, name)
#define LIST(name, n)                                                   \
	.kind = RUN_OPTION_LIST, .field = FIELD(const char *, name[0]), \
	.count = FIELD(unsigned, name##_count), .max = n
#define PARSED(name) .kind = RUN_OPTION_PARSED, .parse = run_option_##name

static const struct run_option options[] = {
	{"cpus", 'c', "N[,sockets=S][,cores=C][,threads=T]", "virtual processors (default 1)",
	 PARSED(cpus)},
	{"numa", 0, "N", "NUMA nodes, each with an equal share of VPs and memory", PARSED(numa)},
	{"memory", 'm', "SIZE", "guest RAM, with suffix K, M, G or T (default 256M)",
	 PARSED(memory)},
	{"kernel", 'k', "FILE", "bzImage, PVH or Multiboot kernel (default: the bundled guest)",
	 WORD(kernel)},
	{"initrd", 'i', "FILE", "the kernel's first module", WORD(initrd)},
	{"append", 'a', "STR", "kernel command line", WORD(append)},
	{"exec", 0, "CMD", "run a shell command under Linux (-k), and exit as it does",
	 PARSED(exec)},
	{"modules", 0, "DIR", "kernel modules for --exec: a tree such as /lib/modules/RELEASE",
	 WORD(modules)},
	{"firmware", 0, "seabios|qboot|FILE", "start the kernel, or a disk, by a PC BIOS",
	 WORD(firmware)},
	{"hyperv", 0, "user|kernel|off", "Hyper-V by vpup or by KVM, or neither (default user)",
	 PARSED(hyperv)},
	{"hv", 0, "LIST|help", "Hyper-V features to turn on and off: +synic,-stimer,...",
	 PARSED(hv)},
	{"invtsc", 0, "on|off|force", "show the invariant TSC where the host has it (default on)",
	 PARSED(invtsc)},
	{"nested", 0, "on|off", "let the guest run VMs: show SVM or VMX (default off)",
	 SWITCH(nested)},
	{"pin", 0, "LIST", "host CPUs of the VPs in turn, such as 0-3,8, or VP=CPU,...", WORD(pin)},
	{"noise", 0, "SPEC", "steal, burn or vm, with keys: see docs/noise.md; repeatable",
	 PARSED(noise)},
	{"lpj", 0, "auto|off|N", "tell Linux its loops per jiffy, so that no VP calibrates",
	 PARSED(lpj)},
	{"hz", 0, "N", "the kernel's CONFIG_HZ, where --lpj auto can't find it", PARSED(hz)},
	{"force", 0, NULL, "run Linux also on a KVM that emulates its guests", FLAG(force)},
	{"fault", 0, "SPEC", "something that goes wrong: see docs/faults.md; repeatable",
	 LIST(fault, FAULTS_MAX)},
	{"disk", 0, "FILE[,ro]", "a raw image as virtio disk; repeatable", LIST(disk, DISKS_MAX)},
	{"share", 0, "DIR=TAG[,ro]", "a directory as virtio file system (mount -t virtiofs TAG)",
	 LIST(share, SHARES_MAX - 1)},
	{"share-cwd", 0, "on|off",
	 "this directory for --exec, read-only (default: where it can be)", PARSED(share_cwd)},
	{"net", 0, "user[,hostfwd=RULE]|tap=IF", "a virtio network interface", WORD(net)},
	{"rng", 0, NULL, "a virtio entropy device", FLAG(rng)},
	{"testdev", 0, NULL, "devices and exit status that kvm-unit-tests expect", FLAG(testdev)},
	{"hv-testdev", 0, NULL, "of these the Hyper-V test device alone", FLAG(hv_testdev)},
	{"console", 0, "stdio|pty|unix=PATH|file=FILE|none", "where COM1 goes (default stdio)",
	 PARSED(console)},
	{"virtio-console", 0, "pty|unix=PATH|file=FILE",
	 "a virtio console beside COM1 (hvc0 in Linux), and where it goes", PARSED(hvc)},
	{"debugcon", 0, "FILE", "write there what goes to port 0xe9, which else is a trace",
	 WORD(debugcon)},
	{"timeout", 0, "SEC", "end the run after this long, with exit status 4", PARSED(timeout)},
	{"power-off", 0, "SEC", "press the guest's power button after this long",
	 PARSED(power_off)},
	{"timeline", 0, "FILE", "write host and guest events for Perfetto or chrome://tracing",
	 WORD(timeline)},
	{"json", 0, "FILE|-", "write the result; '-' is stdout, and turns the console off",
	 WORD(json)},
	{"floor", 0, "on|off", "measure the least start-up too, for the result (default off)",
	 SWITCH(floor)},
	{"counters", 0, NULL, "print how often each port, MSR and exit was used", FLAG(counters)},
	{"dump-dtb", 0, "FILE", "write the machine's flattened device tree", WORD(dump_dtb)},
	{"dump-acpi", 0, "DIR", "write the machine's ACPI tables", WORD(dump_acpi)},
	{"dump-only", 0, NULL, "run nothing; needs no /dev/kvm", FLAG(dump_only)},
	{"quiet", 'q', NULL, "no summary line at the end", FLAG(quiet)},
};

#define OPTIONS (sizeof(options) / sizeof(options[0]))

static void print_help(void)
{
	puts("usage: vpup run [options] [KERNEL]\n"
	     "\n"
	     "Launches a VM. Without KERNEL it runs the bundled guest, which brings all VPs "
	     "online,\n"
	     "reports what each stage cost, and ends. See vpup(1) for its command line (-a).\n");
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct run_option *o = &options[i];
		char left[64];
		int n;

		n = snprintf(left, sizeof(left), "%c%c%c --%s %s", o->letter ? '-' : ' ',
			     o->letter ? o->letter : ' ', o->letter ? ',' : ' ', o->name,
			     o->arg ? o->arg : "");
		if (n > 32)
			printf("  %s\n  %-32s  %s\n", left, "", o->help);
		else
			printf("  %-32s  %s\n", left, o->help);
	}
	puts("  -h, --help                        this text\n"
	     "\n"
	     "Exit status: 0 done, 1 the guest reported failure, 2 bad usage or input, 3 this "
	     "host\n"
	     "can't, 4 timeout, 5 the guest crashed; with --testdev, 2n+1 for exit code n.");
}

/* The table in getopt_long()'s form; long options without a letter get 256 + index. */
static void build_getopt(struct option *long_options, char *short_options)
{
	size_t n = 0;

	short_options[n++] = ':';
	for (size_t i = 0; i < OPTIONS; i++) {
		long_options[i] = (struct option){options[i].name,
						  options[i].arg ? required_argument : no_argument,
						  NULL, 256 + (int)i};
		if (!options[i].letter)
			continue;
		short_options[n++] = options[i].letter;
		if (options[i].arg)
			short_options[n++] = ':';
	}
	short_options[n++] = 'h';
	short_options[n] = '\0';
	long_options[OPTIONS] = (struct option){"help", no_argument, NULL, 'h'};
	long_options[OPTIONS + 1] = (struct option){0};
}

static const struct run_option *find_option(int c)
{
	if (c >= 256)
		return &options[c - 256];
	for (size_t i = 0; i < OPTIONS; i++)
		if (options[i].letter == c)
			return &options[i];
	return NULL;
}

static int take_operands(struct vm_config *cfg, int argc, char **argv)
{
	if (optind < argc && cfg->kernel)
		return cli_fail(CMD, "kernel given twice: '%s' and '%s'", cfg->kernel,
				argv[optind]);
	if (optind < argc)
		cfg->kernel = argv[optind++];
	if (optind < argc)
		return cli_fail(CMD, "unexpected argument '%s'", argv[optind]);
	return 0;
}

int run_options_parse(struct vm_config *cfg, int argc, char **argv, int *status)
{
	struct option long_options[OPTIONS + 2];
	char short_options[2 * OPTIONS + 3];
	int c;

	*cfg = (struct vm_config){
		.topology = {.vps = 1},
		.memory_bytes = DEFAULT_MEMORY,
		.console = {.kind = CONSOLE_STDIO},
		.append = "",
	};
	build_getopt(long_options, short_options);
	opterr = 0;
	optind = 1;
	*status = 0;
	while (*status == 0 &&
	       (c = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		const struct run_option *o = find_option(c);

		if (c == 'h') {
			print_help();
			return 1;
		}
		*status = o ? run_option_take(o, cfg, optarg)
			    : cli_bad_option(CMD, c, argv, long_options);
	}
	if (*status == 0 && cfg->hv_help) {
		hv_features_help(stdout);
		return 1;
	}
	if (*status == 0)
		*status = take_operands(cfg, argc, argv);
	if (*status == 0)
		*status = run_options_check(cfg);
	if (*status == 0)
		run_options_complete(cfg);
	return *status != 0;
}
