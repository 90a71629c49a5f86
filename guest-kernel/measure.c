/* SPDX-License-Identifier: MIT */
/* measure=exits: what it costs to leave the guest, by the reason for it. */
#include "guest-kernel/measure.h"

#include <stdbool.h>
#include <stddef.h>

#include "guest-kernel/abi/debugcon.h"
#include "guest-kernel/cpu.h"

#define PORT_NOBODY 0x1f0 /* a disk controller that no VM here has */

struct kind {
	uint32_t what; /* enum trace_cost_id */
	bool (*possible)(const struct hypervisor *h);
	void (*run)(const struct hypervisor *h, uint32_t count);
};

static bool on_hyperv(const struct hypervisor *h)
{
	return h->kind == TRACE_HV_HYPERV;
}

static bool anywhere(const struct hypervisor *h)
{
	(void)h;
	return true;
}

static void msr_read(const struct hypervisor *h, uint32_t count)
{
	(void)h;
	cpu_rdmsr_loop(HV_X64_MSR_VP_INDEX, count);
}

static void msr_write(const struct hypervisor *h, uint32_t count)
{
	(void)h;
	while (count-- > 0)
		cpu_wrmsr(HV_X64_MSR_GUEST_OS_ID, HYPERVISOR_GUEST_OS_ID);
}

static void port_out(const struct hypervisor *h, uint32_t count)
{
	(void)h;
	while (count-- > 0)
		cpu_outb(PORT_NOBODY, 0);
}

/* Zeroes are no part of a trace frame's beginning: readers pass them over. */
static void debugcon_out(const struct hypervisor *h, uint32_t count)
{
	(void)h;
	while (count-- > 0)
		cpu_outb(DEBUGCON_PORT, 0);
}

static void hypercall_unknown(const struct hypervisor *h, uint32_t count)
{
	while (count-- > 0)
		cpu_call_hypercall_page(h->hypercall_page, HYPERCALL_UNKNOWN, 0, 0);
}

static void hypercall(const struct hypervisor *h, uint32_t count)
{
	while (count-- > 0)
		cpu_call_hypercall_page(h->hypercall_page,
					HVCALL_NOTIFY_LONG_SPIN_WAIT | HV_HYPERCALL_FAST_BIT, 1, 0);
}

static const struct kind kinds[MEASURE_KINDS] = {
	{TRACE_COST_MSR_READ, on_hyperv, msr_read},
	{TRACE_COST_MSR_WRITE, on_hyperv, msr_write},
	{TRACE_COST_PORT_OUT, anywhere, port_out},
	{TRACE_COST_DEBUGCON_OUT, anywhere, debugcon_out},
	{TRACE_COST_HYPERCALL_UNKNOWN, hypervisor_page_callable, hypercall_unknown},
	{TRACE_COST_HYPERCALL, hypervisor_page_callable, hypercall},
};

static void time_batch(struct measure *m, const struct kind *kind, const struct hypervisor *h)
{
	uint64_t start = cpu_rdtsc();

	kind->run(h, MEASURE_OPERATIONS);
	m->batch[m->batches++] = (struct trace_cost){
		.what = kind->what,
		.operations = MEASURE_OPERATIONS,
		.tsc_cycles = cpu_rdtsc() - start,
	};
}

void measure_exits(struct measure *m, const struct hypervisor *h)
{
	uint32_t batch, i;

	for (batch = 0; batch < MEASURE_BATCHES; batch++) {
		for (i = 0; i < MEASURE_KINDS; i++) {
			if (kinds[i].possible(h))
				time_batch(m, &kinds[i], h);
		}
	}
}
