/* SPDX-License-Identifier: MIT */
/* `vpup peer`: vpup or another VMM, measured from outside. */
#include "bench/cmd_peer.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peer.h"
#include "bench/peer_command.h"
#include "bench/peer_guest.h"
#include "vmm/cli.h"
#include "vmm/cpuid.h"
#include "vmm/host_caps.h"
#include "vmm/result.h"
#include "vmm/run_options.h"

#define CMD           "peer"
#define RAM_MAX_BYTES (3ull << 30) /* up to here it is one mapping, which tells it from the rest */

struct peer {
	const char *impl; /* vpup or qemu */
	enum peer_mark mark;
	const char *json; /* or NULL */
	double timeout_s;
	struct vm_config cfg;
	struct host_cap cap[HOST_CAPS];
	struct hostinfo host;
	bool invtsc; /* the guest is shown it */
	struct peer_debugcon debugcon;
	struct peer_seen seen;
};

static void print_help(void)
{
	fputs("usage: vpup peer [options] -- RUN-OPTIONS\n"
	      "\n"
	      "Starts the VM of 'vpup run RUN-OPTIONS' by vpup or by QEMU's microvm, measures from "
	      "outside\n"
	      "how long the process takes to a mark that the guest sets, and ends it.\n"
	      "\n"
	      "      --impl vpup|qemu  which VMM (default vpup)\n"
	      "      --until MARK      entry: the kernel (a bzImage) starts;\n"
	      "                        init: the /init of --exec is ready;\n"
	      "                        online: the serial port says 'Brought up' (default)\n"
	      "      --timeout SEC     give up after this long (default 120)\n"
	      "      --json FILE|-     write a result; with '-' stdout has only that\n"
	      "  -h, --help            this text\n"
	      "\n"
	      "'vpup bench startup-peers' and 'linux-peers' compare the two by it.\n"
	      "\n"
	      "Exit status: 0 done, 1 the VMM ended before the mark, 2 bad usage or input, 3 this "
	      "host\n"
	      "can't, 4 timeout.\n",
	      stdout);
}

static int parse_option(struct peer *p, int c, const char *arg)
{
	int mark;

	switch (c) {
	case 'i':
		p->impl = arg;
		if (strcmp(arg, "vpup") && strcmp(arg, "qemu"))
			return cli_fail(CMD, "--impl: '%s' is not vpup or qemu", arg);
		return 0;
	case 'u':
		mark = cli_find_word(arg, peer_mark_names);
		if (mark < 0)
			return cli_fail(CMD, "--until: '%s' is not entry, init or online", arg);
		p->mark = (enum peer_mark)mark;
		return 0;
	case 't':
		if (cli_parse_duration(arg, 1e6, &p->timeout_s))
			return cli_fail(CMD, "--timeout: '%s' is not a number of seconds above 0",
					arg);
		return 0;
	default:
		p->json = arg;
		return 0;
	}
}

/* What stands behind "--" is run's, and must leave the console to us. */
static int check_config(const struct peer *p)
{
	const struct vm_config *c = &p->cfg;
	struct err e;

	if (peer_command_check(c, &e))
		return cli_fail(CMD, "%s", e.text);
	if (c->json || c->timeline || c->dump_dtb || c->dump_acpi || c->debugcon || c->counters ||
	    c->floor || c->timeout_s > 0 || c->console.kind != CONSOLE_STDIO)
		return cli_fail(CMD, "behind '--' stands what makes a VM; outputs and --timeout "
				     "are for before it");
	if (p->mark == PEER_INIT && !c->exec)
		return cli_fail(CMD, "--until init needs run's --exec");
	if (c->memory_bytes > RAM_MAX_BYTES)
		return cli_fail(CMD, "--memory: up to 3G can be told from the VMM's own");
	return 0;
}

/* Returns true to go on. */
static bool parse(struct peer *p, int argc, char **argv, int *status)
{
	static const struct option options[] = {
		{"impl", required_argument, NULL, 'i'},    {"until", required_argument, NULL, 'u'},
		{"timeout", required_argument, NULL, 't'}, {"json", required_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},          {0},
	};
	int c;

	opterr = 0;
	while (*status == 0 && (c = getopt_long(argc, argv, "+:h", options, NULL)) != -1) {
		if (c == 'h') {
			print_help();
			return false;
		}
		*status = c == '?' || c == ':' ? cli_bad_option(CMD, c, argv, options)
					       : parse_option(p, c, optarg);
	}
	if (*status)
		return false;
	if (optind < argc && strcmp(argv[optind - 1], "--")) {
		*status = cli_fail(CMD, "'%s': run's options stand behind '--'", argv[optind]);
		return false;
	}
	/* run's parser begins behind the word before its options. */
	if (run_options_parse(&p->cfg, argc - optind + 1, argv + optind - 1, status))
		return false;
	*status = check_config(p);
	return *status == 0;
}

/* Of the host, what is to stand beside the numbers, and what a guest is told by lpj. */
static int examine_host(struct peer *p, struct err *e)
{
	struct hostinfo_given given = {.cap = p->cap, .caps = HOST_CAPS};
	struct cpuid_set cpuid;
	struct kvm k;
	int ret = kvm_open(&k, e);

	if (ret)
		return ret;
	host_caps_read(&k, p->cap);
	ret = kvm_supported_cpuid(&k, &cpuid, e);
	p->invtsc = ret == 0 && p->cfg.invtsc != INVTSC_OFF && cpuid_shows_invtsc(&cpuid);
	if (ret == 0)
		ret = kvm_create_vm(&k, e);
	if (ret == 0)
		ret = kvm_tsc_khz(&k, &given.tsc_khz, e);
	kvm_close(&k);
	hostinfo_collect(&p->host, &given);
	return ret;
}

static int measure(struct peer *p, const struct peer_guest *guest, struct err *e)
{
	const struct peer_vm vm = {
		.cfg = &p->cfg,
		.guest = guest,
		.debugcon = p->mark == PEER_ONLINE ? NULL : p->debugcon.path,
		.is_emulated = p->host.emulated == HOST_YES,
	};
	struct peer_run run = {
		.mark = p->mark,
		.debugcon = &p->debugcon,
		.ram_bytes = p->cfg.memory_bytes,
		.timeout_s = p->timeout_s,
	};
	struct peer_command c;
	int status = VPUP_EXIT_HOST;

	if (strcmp(p->impl, "qemu") ? peer_command_vpup(&c, &vm) : peer_command_qemu(&c, &vm)) {
		err_set(e, ENOMEM, "out of memory");
	} else {
		run.exe = c.exe;
		run.argv = c.argv;
		status = peer_run(&run, &p->seen, e);
	}
	peer_command_fini(&c);
	return status;
}

static int make_and_measure(struct peer *p, struct err *e)
{
	struct peer_guest guest;
	int status = VPUP_EXIT_USAGE;

	if (peer_guest_init(&guest, &p->cfg, p->mark == PEER_ENTRY, p->host.given.tsc_khz, e) == 0)
		status = measure(p, &guest, e);
	peer_guest_fini(&guest);
	return status;
}

static int report(const struct peer *p, char **argv, struct err *e)
{
	const struct run_record record = {
		.vps = p->cfg.topology.vps,
		.invtsc = p->invtsc,
		.mark_ms = p->seen.mark_ms,
		.rss_kib = p->seen.rss_kib,
	};
	struct outfile out;
	json_t *document;
	int ret;

	if (!p->json) {
		printf("%s: %s after %.1f ms, %" PRIu64 " KiB without the guest's RAM\n", p->impl,
		       peer_mark_names[p->mark], p->seen.mark_ms, p->seen.rss_kib);
		return fflush(stdout) ? err_set(e, errno, "stdout: %s", strerror(errno)) : 0;
	}
	document = result_document("peer", &p->host, argv);
	if (!document || result_add_run(document, result_peer_object(&record, &p->cfg, p->impl,
								     peer_mark_names[p->mark]))) {
		json_decref(document);
		return err_set(e, ENOMEM, "out of memory");
	}
	ret = outfile_open(&out, p->json, e);
	if (ret == 0)
		ret = result_commit(document, &out, e);
	json_decref(document);
	return ret;
}

static int run(struct peer *p, char **argv)
{
	int status = VPUP_EXIT_HOST;
	struct err e;

	if (examine_host(p, &e) == 0 && peer_debugcon_init(&p->debugcon, &e) == 0)
		status = make_and_measure(p, &e);
	if (status == 0 && report(p, argv, &e))
		status = VPUP_EXIT_HOST;
	if (status)
		cli_fail(CMD, "%s", e.text);
	peer_debugcon_fini(&p->debugcon);
	return status;
}

int cmd_peer(int argc, char **argv)
{
	struct peer p = {
		.impl = "vpup",
		.mark = PEER_ONLINE,
		.timeout_s = 120,
		.debugcon = {.read_fd = -1, .write_fd = -1},
	};
	int status = VPUP_EXIT_OK;

	return parse(&p, argc, argv, &status) ? run(&p, argv) : status;
}
