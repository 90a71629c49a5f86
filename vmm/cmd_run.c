/* SPDX-License-Identifier: MIT */
/* `vpup run`: one VM, from its options to its exit status. */
#include "vmm/cmd_run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "guest-kernel/abi/exit.h"
#include "vmm/acpi.h"
#include "vmm/bare_startup.h"
#include "vmm/cli.h"
#include "vmm/counters.h"
#include "vmm/exec_share.h"
#include "vmm/fdt.h"
#include "vmm/finding.h"
#include "vmm/glue.h"
#include "vmm/host_caps.h"
#include "vmm/hv_host.h"
#include "vmm/load.h"
#include "vmm/machine.h"
#include "vmm/metrics.h"
#include "vmm/outfile.h"
#include "vmm/result.h"
#include "vmm/rss.h"
#include "vmm/run_loop.h"
#include "vmm/run_options.h"
#include "vmm/slow_host.h"
#include "vmm/timeline.h"
#include "vmm/tsc.h"

#define CMD "run"

struct run {
	struct vm_config cfg;
	struct machine machine;
	struct run_record record;
	struct host_cap cap[HOST_CAPS];
	char **argv;
	int signal_fd;
};

static int fail(enum vpup_exit status, const struct err *e)
{
	cli_fail(CMD, "%s", e->text);
	return status;
}

static int dump_dtb(const struct run *r, const struct mem *m, struct err *e)
{
	size_t size;
	void *fdt;
	int ret = fdt_build(&fdt, &size,
			    faults_shown(&r->machine.faults.tables, &r->machine.topology), m,
			    r->machine.append, e);

	if (ret)
		return ret;
	ret = outfile_write(r->cfg.dump_dtb, fdt, size, e);
	free(fdt);
	return ret;
}

static int dump_acpi(const struct run *r, const struct mem *m, struct err *e)
{
	const struct topology *t = faults_shown(&r->machine.faults.tables, &r->machine.topology);
	struct acpi_tables tables;
	gpa_t base;
	int ret = load_place_acpi(&r->machine, m, &base, e);

	if (ret == 0)
		ret = acpi_build(&tables, t, m, virtio_slots(&r->cfg), base, e);
	if (ret)
		return ret;
	ret = acpi_dump(&tables, r->cfg.dump_acpi, e);
	acpi_fini(&tables);
	return ret;
}

/* Writes the tables that were asked for, from a memory map of its own: no VM is needed. */
static int dump(const struct run *r, struct err *e)
{
	struct mem m = {0};
	int ret = 0;

	if (!r->cfg.dump_dtb && !r->cfg.dump_acpi)
		return 0;
	ret = mem_init(&m, r->cfg.memory_bytes, e);
	if (ret == 0 && r->cfg.dump_dtb)
		ret = dump_dtb(r, &m, e);
	if (ret == 0 && r->cfg.dump_acpi)
		ret = dump_acpi(r, &m, e);
	mem_fini(&m);
	return ret;
}

/* The steps that lead to running VPs, and whose fault it is when one fails. */
static int start(struct run *r)
{
	static const struct {
		int (*step)(struct machine *m, struct err *e);
		enum vpup_exit status;
	} steps[] = {
		{machine_open_backends, VPUP_EXIT_USAGE}, {machine_open, VPUP_EXIT_HOST},
		{machine_check_limits, VPUP_EXIT_USAGE},  {machine_open_console, VPUP_EXIT_USAGE},
		{machine_create, VPUP_EXIT_HOST},         {machine_load, VPUP_EXIT_USAGE},
		{machine_check_speed, VPUP_EXIT_HOST},    {machine_start, VPUP_EXIT_HOST},
	};
	struct err e;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i].step(&r->machine, &e))
			return fail(steps[i].status, &e);
	if (r->machine.lpj_note[0] && !r->cfg.quiet)
		fprintf(stderr, "vpup run: %s\n", r->machine.lpj_note);
	return 0;
}

/* Moves what the run left in the machine into the record. */
static int fill_record(struct run *r)
{
	struct run_record *rec = &r->record;
	struct machine *m = &r->machine;

	rec->end_tsc = m->outcome.end_tsc;
	rec->vps = m->topology.vps;
	rec->has_firmware = m->firmware.image != NULL;
	rec->vp = calloc(rec->vps, sizeof(*rec->vp));
	if (!rec->vp)
		return cli_fail(CMD, "out of memory");
	for (uint32_t i = 0; i < rec->vps; i++)
		rec->vp[i] = m->vp[i].times;
	rec->stolen = m->noise.stealer.log;
	rec->steal_start_tsc = m->noise.stealer.start_tsc;
	if (kvm_vp_tsc_offset(&m->kvm, &m->vp[0].kvm, &rec->tsc_offset) < 0)
		rec->tsc_offset =
			0; /* no such attribute: KVM started the guest's TSC with the host's */
	return 0;
}

static uint32_t vps_online(const struct run *r)
{
	uint32_t n = 0;

	for (size_t i = 0; i < r->record.guest.vp_count; i++)
		n += r->record.guest.vp[i].online != 0;
	return n;
}

/* By what a Linux guest logged. */
static void print_linux_summary(const struct run *r)
{
	const struct run_record *rec = &r->record;
	const struct klog *k = &rec->klog;
	uint64_t us;

	if (!klog_bringup_us(k, &us))
		return;
	fprintf(r->cfg.exec ? stderr : stdout,
		"%u VP%s online (VM and VPs created in %.1f ms, SMP bring-up %.1f ms)\n", k->cpus,
		k->cpus == 1 ? "" : "s", run_ms(rec, rec->start_tsc, rec->vps_created_tsc),
		(double)us / 1000.0);
}

static void print_summary(const struct run *r)
{
	const struct run_record *rec = &r->record;
	uint64_t online = metrics_all_online_tsc(rec);

	if (r->machine.guest_is_linux)
		print_linux_summary(r);
	if (!online || r->machine.guest_is_linux)
		return;
	printf("%u VP%s online %.1f ms after start (VM and VPs created in %.1f ms, SMP bring-up "
	       "%.1f ms%s)\n",
	       vps_online(r), vps_online(r) == 1 ? "" : "s", run_ms(rec, rec->start_tsc, online),
	       run_ms(rec, rec->start_tsc, rec->vps_created_tsc),
	       run_ms(rec, rec->guest.info.smp_begin_tsc, rec->guest.info.smp_end_tsc),
	       guest_is_modelled(&rec->guest) ? ", modelled costs" : "");
}

static int write_json(const struct run *r, struct err *e)
{
	const struct hostinfo_given given = {.cap = r->cap,
					     .caps = HOST_CAPS,
					     .tsc_khz = r->record.tsc_khz};
	struct hostinfo h;

	hostinfo_collect(&h, &given);
	return result_write_run(r->cfg.json, &r->record, &r->cfg, &h, r->argv, e);
}

static void print_verdict(const struct run_record *rec)
{
	char line[512];

	finding_verdict_line(rec->verdict, &rec->guest, line, sizeof(line));
	puts(line);
}

/* The command ran elsewhere than one may think. */
static void tell_unused_share(const struct run *r)
{
	if (r->cfg.cwd && r->machine.outcome.kind == OUTCOME_EXIT &&
	    !r->machine.share[r->cfg.share_count - 1].was_used)
		fputs("vpup run: this directory was not there: the kernel has no virtiofs, or "
		      "--modules is missing\n",
		      stderr);
}

static int report(struct run *r)
{
	struct err e;

	if (r->cfg.timeline && timeline_write(r->cfg.timeline, &r->record, &e))
		return fail(VPUP_EXIT_HOST, &e);
	if (r->cfg.json && write_json(r, &e))
		return fail(VPUP_EXIT_HOST, &e);
	if (!r->cfg.quiet)
		print_summary(r);
	if (!r->cfg.quiet)
		tell_unused_share(r);
	if (!r->cfg.quiet && r->record.verdict)
		print_verdict(&r->record);
	if (r->cfg.counters)
		counters_print(&r->machine, r->cfg.quiet ? stderr : stdout);
	return fflush(stdout) ? VPUP_EXIT_HOST : VPUP_EXIT_OK;
}

static int guest_exit_status(uint32_t code)
{
	switch (code) {
	case GUEST_EXIT_OK:
		return VPUP_EXIT_OK;
	case GUEST_EXIT_FAIL:
		cli_fail(CMD, "the guest reported failure");
		return VPUP_EXIT_FAIL;
	case GUEST_EXIT_PANIC:
		cli_fail(CMD, "the guest crashed: its console says where");
		return VPUP_EXIT_CRASH;
	default:
		cli_fail(CMD, "the guest ended with code %u", code);
		return VPUP_EXIT_FAIL;
	}
}

/* As QEMU's isa-debug-exit ends it: always odd. */
static int testdev_exit_status(uint32_t code)
{
	if (code)
		cli_fail(CMD, "the guest ended with code %u", code);
	return (int)((code << 1 | 1) & 0xff);
}

static int command_did_not_end(void)
{
	cli_fail(CMD,
		 "the guest ended before the command did; '--append console=ttyS0' shows its log");
	return VPUP_EXIT_FAIL;
}

/* Tells how the run ended, and turns that into an exit status. */
static int verdict(const struct run *r)
{
	const struct outcome *o = &r->machine.outcome;

	switch (o->kind) {
	case OUTCOME_EXIT:
		if (r->cfg.exec)
			return (int)(o->code & 0xff);
		return r->cfg.testdev ? testdev_exit_status(o->code) : guest_exit_status(o->code);
	case OUTCOME_OFF:
		return r->cfg.exec ? command_did_not_end() : VPUP_EXIT_OK;
	case OUTCOME_QUIT:
		fputs("vpup run: ended at the console\n", stderr);
		return VPUP_EXIT_OK;
	case OUTCOME_RESET:
		if (r->cfg.exec)
			return command_did_not_end();
		fputs("vpup run: the guest asked for a reset, which ends the run\n", stderr);
		return VPUP_EXIT_OK;
	case OUTCOME_CRASH:
		cli_fail(CMD, "the guest crashed: %s", o->text);
		if (r->machine.hv && hv_host_last_words(r->machine.hv)[0])
			fprintf(stderr, "its last words:\n%s\n", hv_host_last_words(r->machine.hv));
		return VPUP_EXIT_CRASH;
	case OUTCOME_TIMEOUT:
		cli_fail(CMD, "the guest did not end within %g s (--timeout)", r->cfg.timeout_s);
		return VPUP_EXIT_TIMEOUT;
	case OUTCOME_SIGNAL:
		return 128 + (int)o->code;
	case OUTCOME_HOST_ERROR:
		cli_fail(CMD, "%s", o->text);
		return VPUP_EXIT_HOST;
	case OUTCOME_NONE:
		break;
	}
	cli_fail(CMD, "bug: the run ended without an outcome");
	return VPUP_EXIT_BUG;
}

/* Can the results be written where they are to go? */
static int check_outputs(const struct run *r, struct err *e)
{
	const char *const paths[] = {r->cfg.json, r->cfg.timeline};
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < sizeof(paths) / sizeof(paths[0]); i++)
		ret = paths[i] ? outfile_check(paths[i], e) : 0;
	return ret;
}

/* Beside what the run measured, on a host that is in the same state as then. */
static int measure_floor(struct run *r)
{
	struct err e;

	if (r->cfg.floor && bare_startup_measure(&r->record.floor, r->record.vps, &e))
		return fail(VPUP_EXIT_HOST, &e);
	return 0;
}

/* From the first VP's start to the last one's end. */
static int run_to_end(struct run *r)
{
	int status, reported;

	run_loop(&r->machine, r->signal_fd);
	if (r->cfg.json) {
		r->record.rss_kib = rss_without_guest_kib(&r->machine.mem);
		host_caps_read(&r->machine.kvm, r->cap);
	}
	machine_stop(&r->machine);
	console_flush(&r->machine.console);
	if (fill_record(r))
		return VPUP_EXIT_HOST;
	if (measure_floor(r))
		return VPUP_EXIT_HOST;
	if (r->cfg.fault_count || r->record.guest.finding_count)
		r->record.verdict = finding_verdict(&r->machine.outcome, &r->record.guest);
	status = verdict(r);
	reported = r->machine.outcome.kind == OUTCOME_SIGNAL ? VPUP_EXIT_OK : report(r);
	return status ? status : reported;
}

/* This directory for the command of --exec; where that can't be, a person is told. */
static int share_directory(struct run *r)
{
	struct err e;
	int ret = exec_share_add(&r->cfg, &e);

	if (ret < 0)
		return fail(VPUP_EXIT_HOST, &e);
	if (ret > 0 && !r->cfg.quiet)
		fprintf(stderr, "vpup run: %s\n", e.text);
	return 0;
}

static int run_vm(struct run *r)
{
	struct err e;
	int status = share_directory(r);

	if (status)
		return status;
	if (machine_init(&r->machine, &r->cfg, &r->record, &e))
		return fail(VPUP_EXIT_USAGE, &e);
	if (noise_wants_list(&r->machine.noise)) {
		noise_list(&r->machine.noise, r->machine.topology.vps, stdout);
		return fflush(stdout) ? VPUP_EXIT_HOST : VPUP_EXIT_OK;
	}
	if (check_outputs(r, &e) || dump(r, &e))
		return fail(VPUP_EXIT_USAGE, &e);
	if (r->cfg.dump_only)
		return VPUP_EXIT_OK;
	r->signal_fd = run_loop_signals(&e);
	if (r->signal_fd < 0)
		return fail(VPUP_EXIT_HOST, &e);
	status = start(r);
	if (status == 0)
		status = run_to_end(r);
	close(r->signal_fd);
	return status;
}

/* Ends as the signal would have ended the process, so that a shell's loop stops too. */
static void die_by(int sig)
{
	sigset_t set;

	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	raise(sig);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Of this process: what exec and dynamic linking took, when asked at the start. */
static uint64_t cpu_time_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int cmd_run(int argc, char **argv)
{
	struct run r = {.signal_fd = -1, .argv = argv};
	enum outcome_kind kind;
	int status;

	r.record.start_tsc = tsc_now();
	r.record.exec_cpu_ns = cpu_time_ns();
	if (run_options_parse(&r.cfg, argc, argv, &status))
		return status;
	status = run_vm(&r);
	kind = r.machine.outcome.kind;
	machine_fini(&r.machine);
	guest_trace_fini(&r.record.guest);
	klog_fini(&r.record.klog);
	free(r.record.vp);
	exec_share_fini(&r.cfg);
	if (kind == OUTCOME_SIGNAL)
		die_by((int)r.machine.outcome.code);
	return status;
}
