/* SPDX-License-Identifier: MIT */
/* The options of `vpup run`: one table that parses them and prints the help. */
#include "vmm/run_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hyperv/hv_feature.h"
#include "vmm/cli.h"

#define CMD              "run"
#define DEFAULT_MEMORY   (256ull << 20)
#define LPJ_MAX          1000000000000 /* a TSC of 100 THz at 100 Hz */
#define HZ_MAX           10000
#define VPS_MAX          65535 /* beyond any KVM; the host's own limit is checked later */
#define FAULTY_TIMEOUT_S 60    /* a run that must end, whatever the guest makes of the fault */

struct run_option {
	const char *name;
	char letter; /* 0: long form only */
	const char *arg;
	const char *help;
	int (*parse)(struct vm_config *cfg, const char *arg); /* 0, or VPUP_EXIT_USAGE */
};

static int parse_count(const char *what, const char *s, uint32_t *out)
{
	uint64_t val;

	if (cli_parse_u64(s, 1, VPS_MAX, &val))
		return cli_fail(CMD, "%s: '%s' is not a whole number from 1 to %d", what, s,
				VPS_MAX);
	*out = (uint32_t)val;
	return 0;
}

static int parse_cpus_part(struct topology_config *t, const char *part)
{
	static const char *const keys[] = {"sockets", "cores", "threads", NULL};
	uint32_t *const fields[] = {&t->sockets, &t->cores, &t->threads};
	size_t key_len = strcspn(part, "=");

	for (unsigned i = 0; keys[i]; i++)
		if (strlen(keys[i]) == key_len && strncmp(part, keys[i], key_len) == 0 &&
		    part[key_len] == '=')
			return parse_count(keys[i], part + key_len + 1, fields[i]);
	return cli_fail(CMD, "--cpus: '%s' is not sockets=N, cores=N or threads=N", part);
}

static int parse_cpus(struct vm_config *cfg, const char *arg)
{
	char *copy = strdup(arg), *save = NULL, *part;
	int ret;

	if (!copy)
		return cli_fail(CMD, "out of memory");
	part = strtok_r(copy, ",", &save);
	ret = parse_count("--cpus", part ? part : "", &cfg->topology.vps);
	while (ret == 0 && (part = strtok_r(NULL, ",", &save)))
		ret = parse_cpus_part(&cfg->topology, part);
	free(copy);
	return ret;
}

static int parse_numa(struct vm_config *cfg, const char *arg)
{
	return parse_count("--numa", arg, &cfg->topology.nodes);
}

static int parse_memory(struct vm_config *cfg, const char *arg)
{
	if (cli_parse_size(arg, &cfg->memory_bytes))
		return cli_fail(CMD, "--memory: '%s' is not a size such as 256M or 4G", arg);
	return 0;
}

static int parse_kernel(struct vm_config *cfg, const char *arg)
{
	cfg->kernel = arg;
	return 0;
}

static int parse_initrd(struct vm_config *cfg, const char *arg)
{
	cfg->initrd = arg;
	return 0;
}

static int parse_exec(struct vm_config *cfg, const char *arg)
{
	if (!arg[0])
		return cli_fail(CMD, "--exec: the command is empty");
	cfg->exec = arg;
	return 0;
}

static int parse_modules(struct vm_config *cfg, const char *arg)
{
	cfg->modules = arg;
	return 0;
}

static int parse_append(struct vm_config *cfg, const char *arg)
{
	cfg->append = arg;
	return 0;
}

static int parse_firmware(struct vm_config *cfg, const char *arg)
{
	cfg->firmware = arg;
	return 0;
}

static int parse_hyperv(struct vm_config *cfg, const char *arg)
{
	if (strcmp(arg, "user") == 0)
		cfg->hyperv = HYPERV_USER;
	else if (strcmp(arg, "kernel") == 0)
		cfg->hyperv = HYPERV_KERNEL;
	else if (strcmp(arg, "off") == 0)
		cfg->hyperv = HYPERV_OFF;
	else
		return cli_fail(CMD, "--hyperv: '%s' is not user, kernel or off", arg);
	return 0;
}

static int parse_hv(struct vm_config *cfg, const char *arg)
{
	cfg->hv = arg;
	cfg->hv_help = strcmp(arg, "help") == 0;
	return 0;
}

static int parse_switch(const char *name, const char *arg, bool *out)
{
	*out = strcmp(arg, "on") == 0;
	if (!*out && strcmp(arg, "off"))
		return cli_fail(CMD, "%s: '%s' is not on or off", name, arg);
	return 0;
}

static int parse_invtsc(struct vm_config *cfg, const char *arg)
{
	if (strcmp(arg, "on") == 0)
		cfg->invtsc = INVTSC_HOST;
	else if (strcmp(arg, "off") == 0)
		cfg->invtsc = INVTSC_OFF;
	else if (strcmp(arg, "force") == 0)
		cfg->invtsc = INVTSC_FORCE;
	else
		return cli_fail(CMD, "--invtsc: '%s' is not on, off or force", arg);
	return 0;
}

static int parse_nested(struct vm_config *cfg, const char *arg)
{
	return parse_switch("--nested", arg, &cfg->nested);
}

static int parse_debugcon(struct vm_config *cfg, const char *arg)
{
	cfg->debugcon = arg;
	return 0;
}

static int parse_lpj(struct vm_config *cfg, const char *arg)
{
	cfg->lpj = LPJ_NUMBER;
	if (strcmp(arg, "auto") == 0)
		cfg->lpj = LPJ_AUTO;
	else if (strcmp(arg, "off") == 0)
		cfg->lpj = LPJ_OFF;
	else if (cli_parse_u64(arg, 1, LPJ_MAX, &cfg->lpj_number))
		return cli_fail(CMD, "--lpj: '%s' is not auto, off or a number of loops per jiffy",
				arg);
	return 0;
}

static int parse_hz(struct vm_config *cfg, const char *arg)
{
	uint64_t hz;

	if (cli_parse_u64(arg, 1, HZ_MAX, &hz))
		return cli_fail(CMD, "--hz: '%s' is not a whole number from 1 to %d", arg, HZ_MAX);
	cfg->hz = (uint32_t)hz;
	return 0;
}

static int set_force(struct vm_config *cfg, const char *arg)
{
	(void)arg;
	cfg->force = true;
	return 0;
}

/* What else than the terminal a console may be. False: none of these. */
static bool parse_console_kind(struct console_config *c, const char *arg)
{
	*c = (struct console_config){CONSOLE_NONE, NULL};
	if (strcmp(arg, "pty") == 0) {
		c->kind = CONSOLE_PTY;
	} else if (strncmp(arg, "unix=", 5) == 0 && arg[5]) {
		c->kind = CONSOLE_UNIX;
		c->path = arg + 5;
	} else if (strncmp(arg, "file=", 5) == 0 && arg[5]) {
		c->kind = CONSOLE_FILE;
		c->path = arg + 5;
	}
	return c->kind != CONSOLE_NONE || strcmp(arg, "none") == 0;
}

static int parse_console(struct vm_config *cfg, const char *arg)
{
	if (parse_console_kind(&cfg->console, arg))
		return 0;
	cfg->console.kind = CONSOLE_STDIO;
	if (strcmp(arg, "stdio") == 0)
		return 0;
	return cli_fail(CMD, "--console: '%s' is not stdio, pty, unix=PATH, file=FILE or none",
			arg);
}

static int parse_hvc(struct vm_config *cfg, const char *arg)
{
	if (parse_console_kind(&cfg->hvc, arg))
		return 0;
	return cli_fail(CMD, "--virtio-console: '%s' is not pty, unix=PATH, file=FILE or none",
			arg);
}

static int parse_timeout(struct vm_config *cfg, const char *arg)
{
	if (cli_parse_seconds(arg, &cfg->timeout_s) || cfg->timeout_s <= 0 || cfg->timeout_s > 1e9)
		return cli_fail(CMD, "--timeout: '%s' is not a number of seconds above 0", arg);
	return 0;
}

static int parse_timeline(struct vm_config *cfg, const char *arg)
{
	cfg->timeline = arg;
	return 0;
}

static int parse_json(struct vm_config *cfg, const char *arg)
{
	cfg->json = arg;
	return 0;
}

static int parse_dump_dtb(struct vm_config *cfg, const char *arg)
{
	cfg->dump_dtb = arg;
	return 0;
}

static int parse_dump_acpi(struct vm_config *cfg, const char *arg)
{
	cfg->dump_acpi = arg;
	return 0;
}

static int set_dump_only(struct vm_config *cfg, const char *arg)
{
	(void)arg;
	cfg->dump_only = true;
	return 0;
}

static int parse_floor(struct vm_config *cfg, const char *arg)
{
	cfg->floor = strcmp(arg, "on") == 0;
	if (!cfg->floor && strcmp(arg, "off"))
		return cli_fail(CMD, "--floor: '%s' is not on or off", arg);
	return 0;
}

static int set_counters(struct vm_config *cfg, const char *arg)
{
	(void)arg;
	cfg->counters = true;
	return 0;
}

static int parse_disk(struct vm_config *cfg, const char *arg)
{
	if (cfg->disk_count == DISKS_MAX)
		return cli_fail(CMD, "--disk: more than %d of them", DISKS_MAX);
	cfg->disk[cfg->disk_count++] = arg;
	return 0;
}

static int parse_share(struct vm_config *cfg, const char *arg)
{
	if (cfg->share_count == SHARES_MAX - 1)
		return cli_fail(CMD, "--share: more than %d of them", SHARES_MAX - 1);
	cfg->share[cfg->share_count++] = arg;
	return 0;
}

static int parse_share_cwd(struct vm_config *cfg, const char *arg)
{
	bool on;
	int ret = parse_switch("--share-cwd", arg, &on);

	if (ret)
		return ret;
	cfg->share_cwd = on ? SHARE_CWD_ON : SHARE_CWD_OFF;
	return 0;
}

static int parse_net(struct vm_config *cfg, const char *arg)
{
	cfg->net = arg;
	return 0;
}

static int set_rng(struct vm_config *cfg, const char *arg)
{
	(void)arg;
	cfg->rng = true;
	return 0;
}

static int parse_noise(struct vm_config *cfg, const char *arg)
{
	if (strcmp(arg, "none") == 0)
		return 0;
	if (cfg->noise_count == NOISE_SPECS_MAX)
		return cli_fail(CMD, "--noise: more than %d of them", NOISE_SPECS_MAX);
	cfg->noise[cfg->noise_count++] = arg;
	return 0;
}

static int parse_fault(struct vm_config *cfg, const char *arg)
{
	if (cfg->fault_count == FAULTS_MAX)
		return cli_fail(CMD, "--fault: more than %d of them", FAULTS_MAX);
	cfg->fault[cfg->fault_count++] = arg;
	return 0;
}

static int parse_pin(struct vm_config *cfg, const char *arg)
{
	cfg->pin = arg;
	return 0;
}

static int set_testdev(struct vm_config *cfg, const char *arg)
{
	(void)arg;
	cfg->testdev = true;
	return 0;
}

static int set_hv_testdev(struct vm_config *cfg, const char *arg)
{
	(void)arg;
	cfg->hv_testdev = true;
	return 0;
}

static int set_quiet(struct vm_config *cfg, const char *arg)
{
	(void)arg;
	cfg->quiet = true;
	return 0;
}

static const struct run_option options[] = {
	{"cpus", 'c', "N[,sockets=S][,cores=C][,threads=T]", "virtual processors (default 1)",
	 parse_cpus},
	{"numa", 0, "N", "NUMA nodes, each with an equal share of VPs and memory", parse_numa},
	{"memory", 'm', "SIZE", "guest RAM, with suffix K, M, G or T (default 256M)", parse_memory},
	{"kernel", 'k', "FILE", "bzImage, PVH or Multiboot kernel (default: the bundled guest)",
	 parse_kernel},
	{"initrd", 'i', "FILE", "the kernel's first module", parse_initrd},
	{"append", 'a', "STR", "kernel command line", parse_append},
	{"exec", 0, "CMD", "run a shell command under Linux (-k), and exit as it does", parse_exec},
	{"modules", 0, "DIR", "kernel modules for --exec: a tree such as /lib/modules/RELEASE",
	 parse_modules},
	{"firmware", 0, "seabios|qboot|FILE", "start the kernel, or a disk, by a PC BIOS",
	 parse_firmware},
	{"hyperv", 0, "user|kernel|off", "Hyper-V by vpup or by KVM, or neither (default user)",
	 parse_hyperv},
	{"hv", 0, "LIST|help", "Hyper-V features to turn on and off: +synic,-stimer,...", parse_hv},
	{"invtsc", 0, "on|off|force", "show the invariant TSC where the host has it (default on)",
	 parse_invtsc},
	{"nested", 0, "on|off", "let the guest run VMs: show SVM or VMX (default off)",
	 parse_nested},
	{"pin", 0, "LIST", "host CPUs of the VPs in turn, such as 0-3,8, or VP=CPU,...", parse_pin},
	{"noise", 0, "SPEC", "steal, burn or vm, with keys: see docs/noise.md; repeatable",
	 parse_noise},
	{"lpj", 0, "auto|off|N", "tell Linux its loops per jiffy, so that no VP calibrates",
	 parse_lpj},
	{"hz", 0, "N", "the kernel's CONFIG_HZ, where --lpj auto can't find it", parse_hz},
	{"force", 0, NULL, "run Linux also on a KVM that emulates its guests", set_force},
	{"fault", 0, "SPEC", "something that goes wrong: see docs/faults.md; repeatable",
	 parse_fault},
	{"disk", 0, "FILE[,ro]", "a raw image as virtio disk; repeatable", parse_disk},
	{"share", 0, "DIR=TAG[,ro]", "a directory as virtio file system (mount -t virtiofs TAG)",
	 parse_share},
	{"share-cwd", 0, "on|off",
	 "this directory for --exec, read-only (default: where it can be)", parse_share_cwd},
	{"net", 0, "user[,hostfwd=RULE]|tap=IF", "a virtio network interface", parse_net},
	{"rng", 0, NULL, "a virtio entropy device", set_rng},
	{"testdev", 0, NULL, "devices and exit status that kvm-unit-tests expect", set_testdev},
	{"hv-testdev", 0, NULL, "of these the Hyper-V test device alone", set_hv_testdev},
	{"console", 0, "stdio|pty|unix=PATH|file=FILE|none", "where COM1 goes (default stdio)",
	 parse_console},
	{"virtio-console", 0, "pty|unix=PATH|file=FILE",
	 "a virtio console beside COM1 (hvc0 in Linux), and where it goes", parse_hvc},
	{"debugcon", 0, "FILE", "write there what goes to port 0xe9, which else is a trace",
	 parse_debugcon},
	{"timeout", 0, "SEC", "end the run after this long, with exit status 4", parse_timeout},
	{"timeline", 0, "FILE", "write host and guest events for Perfetto or chrome://tracing",
	 parse_timeline},
	{"json", 0, "FILE|-", "write the result; '-' is stdout, and turns the console off",
	 parse_json},
	{"floor", 0, "on|off", "measure the least start-up too, for the result (default off)",
	 parse_floor},
	{"counters", 0, NULL, "print how often each port, MSR and exit was used", set_counters},
	{"dump-dtb", 0, "FILE", "write the machine's flattened device tree", parse_dump_dtb},
	{"dump-acpi", 0, "DIR", "write the machine's ACPI tables", parse_dump_acpi},
	{"dump-only", 0, NULL, "run nothing; needs no /dev/kvm", set_dump_only},
	{"quiet", 'q', NULL, "no summary line at the end", set_quiet},
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

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

static int parse_operands(struct vm_config *cfg, int argc, char **argv)
{
	if (optind < argc && cfg->kernel)
		return cli_fail(CMD, "kernel given twice: '%s' and '%s'", cfg->kernel,
				argv[optind]);
	if (optind < argc)
		cfg->kernel = argv[optind++];
	if (optind < argc)
		return cli_fail(CMD, "unexpected argument '%s'", argv[optind]);
	if (cfg->dump_only && !cfg->dump_dtb && !cfg->dump_acpi)
		return cli_fail(CMD, "--dump-only needs --dump-dtb or --dump-acpi");
	if (cfg->floor && !cfg->json)
		return cli_fail(CMD, "--floor needs --json, which it adds to");
	if (cfg->hz && cfg->lpj != LPJ_AUTO)
		return cli_fail(CMD, "--hz is for --lpj auto");
	if (cfg->exec && !cfg->kernel)
		return cli_fail(CMD, "--exec needs a Linux kernel (-k)");
	if (cfg->modules && !cfg->exec)
		return cli_fail(CMD, "--modules is for --exec");
	if (cfg->share_cwd == SHARE_CWD_ON && !cfg->exec)
		return cli_fail(CMD, "--share-cwd is for --exec");
	if (cfg->fault_count && cfg->timeout_s == 0)
		cfg->timeout_s = FAULTY_TIMEOUT_S;
	if (is_stdout(cfg->json) && is_stdout(cfg->timeline))
		return cli_fail(CMD, "--json and --timeline can't both go to stdout");
	if (is_stdout(cfg->json) || is_stdout(cfg->timeline)) {
		cfg->quiet = true;
		if (cfg->console.kind == CONSOLE_STDIO)
			cfg->console.kind = CONSOLE_NONE;
	}
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
		*status = o ? o->parse(cfg, optarg) : cli_bad_option(CMD, c, argv, long_options);
	}
	if (*status == 0 && cfg->hv_help) {
		hv_features_help(stdout);
		return 1;
	}
	if (*status == 0)
		*status = parse_operands(cfg, argc, argv);
	return *status != 0;
}
