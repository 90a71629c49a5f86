/* SPDX-License-Identifier: MIT */
/* `vpup doctor`: what this host can do, and what to do about what it can't. */
#include "vmm/cmd_doctor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vmm/cli.h"
#include "vmm/doctor_parts.h"
#include "vmm/doctor_say.h"
#include "vmm/host_caps.h"
#include "vmm/mips.h"

#define CMD "doctor"

static int64_t value(const struct host_cap *cap, const char *name)
{
	for (unsigned i = 0; i < HOST_CAPS; i++)
		if (strcmp(cap[i].name, name) == 0)
			return cap[i].value;
	return 0;
}

/* What `vpup run` can't do without. */
static bool say_needs(const struct host_cap *cap)
{
	static const char *const needs[] = {"KVM_CAP_SYNC_REGS", "KVM_CAP_IMMEDIATE_EXIT",
					    "KVM_CAP_X86_USER_SPACE_MSR"};
	bool all = true;

	for (unsigned i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (value(cap, needs[i]))
			continue;
		doctor_say(DOCTOR_BAD, "capability", "%s is missing: Linux 5.10 or newer is needed",
			   needs[i]);
		all = false;
	}
	if (all)
		doctor_say(DOCTOR_FINE, "capabilities", "all that vpup needs");
	return all;
}

static void say_abilities(const struct host_cap *cap)
{
	int64_t x2apic = value(cap, "KVM_CAP_X2APIC_API");

	doctor_say(
		DOCTOR_FINE, "VPs", "up to %" PRId64 " in a VM%s", value(cap, "KVM_CAP_MAX_VCPUS"),
		x2apic ? ""
		       : ", but APIC IDs above 254 can't be used (KVM_CAP_X2APIC_API is missing)");
	if (value(cap, "KVM_CAP_HYPERV"))
		doctor_say(
			DOCTOR_FINE, "Hyper-V",
			"KVM has its own (--hyperv kernel); vpup's (--hyperv user) takes the MSRs "
			"over");
	else
		doctor_say(DOCTOR_FINE, "Hyper-V",
			   "KVM has none of its own; vpup's (--hyperv user) needs none");
	if (value(cap, "KVM_CAP_NESTED_STATE"))
		doctor_say(DOCTOR_FINE, "nesting", "guests can run VMs of their own");
	else
		doctor_say(DOCTOR_NOTE, "nesting",
			   "guests can't run VMs: use a host whose kvm_intel or kvm_amd "
			   "has nested=1");
}

static bool say_speed(struct kvm *k)
{
	struct err e;
	double mips;

	if (mips_measure(k, &mips, &e)) {
		doctor_say(DOCTOR_BAD, "guest", "no VM could be run: %s", e.text);
		return false;
	}
	if (mips < MIPS_EMULATED_BELOW)
		doctor_say(DOCTOR_NOTE, "guest",
			   "instructions are emulated (%.1f MIPS): for stock kernels use a host "
			   "with VT-x "
			   "or AMD-V",
			   mips);
	else
		doctor_say(DOCTOR_FINE, "guest", "instructions run on the CPU (%.0f MIPS)", mips);
	return true;
}

static void say_host(struct kvm *k, const struct host_cap *cap)
{
	struct hostinfo_given given = {.cap = cap, .caps = HOST_CAPS};
	struct hostinfo h;
	struct err e;

	if (kvm_tsc_khz(k, &given.tsc_khz, &e))
		doctor_say(DOCTOR_BAD, "TSC", "%s", e.text);
	else
		doctor_say(DOCTOR_FINE, "TSC", "%" PRIu64 ".%03" PRIu64 " MHz",
			   given.tsc_khz / 1000, given.tsc_khz % 1000);
	hostinfo_collect(&h, &given);
	doctor_say(h.kvm_module[0] ? DOCTOR_FINE : DOCTOR_NOTE, "KVM module", "%s",
		   h.kvm_module[0] ? h.kvm_module : "unknown (built into the kernel)");
	doctor_say(DOCTOR_FINE, "host", "%s, Linux %s",
		   h.cpu_model[0] ? h.cpu_model : "unknown CPU", h.kernel);
	doctor_say(h.cpus_online > 1 ? DOCTOR_FINE : DOCTOR_NOTE, "CPUs",
		   "%u online, %" PRIu64 " MiB of memory%s", h.cpus_online, h.memory_mib,
		   h.cpus_online > 1 ? "" : ": VPs can't come up side by side");
	if (h.is_guest)
		doctor_say(DOCTOR_NOTE, "host is a VM",
			   "under %s: a neighbour can steal its time; compare "
			   "ratios, not times",
			   h.hypervisor[0] ? h.hypervisor : "an unnamed hypervisor");
	if (h.have_load && h.load[0] > h.cpus_online)
		doctor_say(DOCTOR_NOTE, "load",
			   "%.1f on %u CPUs: wait for a quiet machine before measuring", h.load[0],
			   h.cpus_online);
}

static int examine(struct kvm *k)
{
	struct host_cap cap[HOST_CAPS];
	bool good;

	doctor_say(DOCTOR_FINE, "/dev/kvm", "opened for reading and writing");
	host_caps_read(k, cap);
	good = say_needs(cap);
	say_abilities(cap);
	good = say_speed(k) && good;
	if (k->vm_fd >= 0)
		say_host(k, cap);
	return good ? VPUP_EXIT_OK : VPUP_EXIT_HOST;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
	int c, status;
	struct kvm k;
	struct err e;

	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (c != 'h')
			return cli_bad_option(CMD, c, argv, options);
		puts("usage: vpup doctor\n\n"
		     "Says what this host can and can't do, a line each, and what single options "
		     "and commands\n"
		     "need and where that is. Exit status 3 when the bundled guest can't run "
		     "here.");
		return VPUP_EXIT_OK;
	}
	if (optind < argc)
		return cli_fail(CMD, "unexpected argument '%s'", argv[optind]);
	if (kvm_open(&k, &e)) {
		doctor_say(DOCTOR_BAD, KVM_DEVICE, "%s", e.text);
		status = VPUP_EXIT_HOST;
	} else {
		status = examine(&k);
	}
	kvm_close(&k);
	doctor_parts();
	return status;
}
