/* SPDX-License-Identifier: MIT */
/* The table that `vpup run --counters` prints: what the guest touched, and how often. */
#include "vmm/counters.h"

#include <inttypes.h>

#include "vmm/hints.h"
#include "vmm/hv_host.h"
#include "vmm/hv_side.h"

#define HV_MSRS_MAX  128
#define HV_CALLS_MAX 64

static void print_row(FILE *out, const char *kind, const char *name, uint64_t reads,
		      uint64_t writes)
{
	if (reads || writes)
		fprintf(out, "%-5s %-32s %12" PRIu64 " %12" PRIu64 "\n", kind, name, reads, writes);
}

static void print_bus(FILE *out, const char *kind, const struct bus *b)
{
	for (unsigned i = 0; i <= b->count; i++) {
		struct io_count c = bus_count(b, i);

		print_row(out, kind, i < b->count ? b->range[i].name : "(nobody's)", c.reads,
			  c.writes);
	}
}

static void print_hv_msrs(FILE *out, const struct machine *m)
{
	struct hv_msr_count count[HV_MSRS_MAX];
	size_t n = hv_msr_counts(hv_host_partition(m->hv), count, HV_MSRS_MAX);

	for (size_t i = 0; i < n; i++) {
		char name[64];

		if (count[i].msr)
			snprintf(name, sizeof(name), "%s", count[i].name);
		else
			snprintf(name, sizeof(name), "%s", "Hyper-V, unimplemented");
		print_row(out, "hv", name, count[i].reads, count[i].writes);
		if (count[i].faults)
			fprintf(out, "%-5s %-32s %12" PRIu64 " #GP\n", "", "", count[i].faults);
	}
}

static void print_calls(FILE *out, const struct machine *m)
{
	struct hv_call_count count[HV_CALLS_MAX];
	size_t n = hv_call_counts(hv_host_partition(m->hv), count, HV_CALLS_MAX);

	for (size_t i = 0; i < n; i++)
		fprintf(out, "%-5s %-32s %12" PRIu64 " %12" PRIu64 " failed\n", "call",
			count[i].name, count[i].calls, count[i].failed);
}

/* Connections that the guest used. Kernel mode serves some of the calls without a word to us. */
static void print_ports(FILE *out, const struct machine *m)
{
	struct hv_port_count count[HV_PORTS_MAX];
	size_t n = m->hv_side ? hv_port_counts(m->hv_side->ports(m), count, HV_PORTS_MAX) : 0;

	for (size_t i = 0; i < n; i++)
		fprintf(out, "%-5s %#-8x %-23s %12" PRIu64 " %12" PRIu64 " failed\n", "conn",
			count[i].connection_id, count[i].is_event ? "events" : "messages",
			count[i].calls, count[i].failed);
}

uint64_t counters_exits(const struct machine *m, uint32_t reason)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < m->topology.vps; i++)
		sum += m->vp[i].reasons[reason];
	return sum;
}

static void print_exits(FILE *out, const struct machine *m)
{
	for (uint32_t reason = 0; reason < EXIT_REASONS; reason++) {
		uint64_t n = counters_exits(m, reason);

		if (n)
			fprintf(out, "%-5s %-32s %12" PRIu64 "\n", "exit",
				exit_name(reason) ? exit_name(reason) : "(unknown)", n);
	}
}

/* Where each VP stood at the end: of a guest that did not come to one, where it hangs. */
static void print_vps(struct machine *m, FILE *out)
{
	for (uint32_t i = 0; i < m->topology.vps; i++) {
		const struct kvm_vp *vp = &m->vp[i].kvm;
		struct kvm_regs regs;
		uint32_t state;
		struct err e;

		if (kvm_vp_get_regs(&m->kvm, vp, &regs, &e) == 0 &&
		    kvm_vp_get_mp_state(&m->kvm, vp, &state, &e) == 0)
			fprintf(out, "vp    %-6" PRIu32 " RIP %#18llx  RFLAGS %#8llx  %s\n", i,
				(unsigned long long)regs.rip, (unsigned long long)regs.rflags,
				state == KVM_MP_STATE_RUNNABLE ? "runs"
				: state == KVM_MP_STATE_HALTED ? "halted"
							       : "waits for INIT or SIPI");
	}
}

void counters_print(struct machine *m, FILE *out)
{
	fprintf(out, "%-5s %-32s %12s %12s\n", "kind", "name", "reads", "writes");
	print_bus(out, "port", &m->pio);
	print_bus(out, "mmio", &m->mmio);
	print_bus(out, "msr", &m->msr);
	if (m->hv) {
		print_hv_msrs(out, m);
		print_calls(out, m);
	}
	print_ports(out, m);
	print_exits(out, m);
	print_vps(m, out);
	hints_print(m, out);
}
