/* SPDX-License-Identifier: MIT */
/* measure=exits: the kinds of exits, and the way round them. */
#include "guest-kernel/measure.h"

#include "guest-kernel/abi/debugcon.h"
#include "guest-kernel/abi/measure.h"
#include "guest-kernel/conformance/synic_vp.h"
#include "guest-kernel/kernel.h"

#define PORT_NOBODY 0x1f0 /* a disk controller that no VM here has */

struct kind {
	uint32_t what; /* enum trace_cost_id */
	uint32_t operations;
	bool beside_bare; /* between two batches of bare exits */
	bool (*possible)(const struct conf *c);
	void (*run)(struct conf *c, uint32_t count);
};

static bool on_hyperv(const struct conf *c)
{
	(void)c;
	return kernel.hypervisor.kind == TRACE_HV_HYPERV;
}

static bool anywhere(const struct conf *c)
{
	(void)c;
	return true;
}

static bool has_calls(const struct conf *c)
{
	return c->call_page;
}

static void msr_read(struct conf *c, uint32_t count)
{
	(void)c;
	cpu_rdmsr_loop(HV_X64_MSR_VP_INDEX, count);
}

static void msr_write(struct conf *c, uint32_t count)
{
	(void)c;
	while (count-- > 0)
		cpu_wrmsr(HV_X64_MSR_GUEST_OS_ID, HYPERVISOR_GUEST_OS_ID);
}

static void port_out(struct conf *c, uint32_t count)
{
	(void)c;
	while (count-- > 0)
		cpu_outb(PORT_NOBODY, 0);
}

/* Zeroes are no part of a trace frame's beginning: readers pass them over. */
static void debugcon_out(struct conf *c, uint32_t count)
{
	(void)c;
	while (count-- > 0)
		cpu_outb(DEBUGCON_PORT, 0);
}

static void hypercall_unknown(struct conf *c, uint32_t count)
{
	while (count-- > 0)
		cpu_call_hypercall_page(c->call_page, HYPERCALL_UNKNOWN, 0, 0);
}

static void hypercall(struct conf *c, uint32_t count)
{
	while (count-- > 0)
		cpu_call_hypercall_page(c->call_page, CONF_FAST(HVCALL_NOTIFY_LONG_SPIN_WAIT), 1,
					0);
}

static const struct kind kinds[MEASURE_KINDS] = {
	{TRACE_COST_MSR_READ, MEASURE_OPERATIONS, true, on_hyperv, msr_read},
	{TRACE_COST_MSR_WRITE, MEASURE_OPERATIONS, false, on_hyperv, msr_write},
	{TRACE_COST_PORT_OUT, MEASURE_OPERATIONS, false, anywhere, port_out},
	{TRACE_COST_DEBUGCON_OUT, MEASURE_OPERATIONS, false, anywhere, debugcon_out},
	{TRACE_COST_HYPERCALL_UNKNOWN, MEASURE_OPERATIONS, false, has_calls, hypercall_unknown},
	{TRACE_COST_HYPERCALL, MEASURE_OPERATIONS, false, has_calls, hypercall},
	{TRACE_COST_IPI_LAPIC, MEASURE_TRIPS, false, measure_has_vp1, measure_ipi_lapic},
	{TRACE_COST_IPI_HYPERCALL, MEASURE_TRIPS, false, measure_has_hypercall_ipi,
	 measure_ipi_hypercall},
	{TRACE_COST_MESSAGE, MEASURE_TRIPS, false, measure_has_messages, measure_message},
	{TRACE_COST_ECHO, MEASURE_TRIPS, false, measure_has_echo, measure_echo},
};

void measure_add(struct measure *m, uint32_t what, uint32_t operations, uint64_t tsc_cycles)
{
	m->batch[m->batches++] = (struct trace_cost){
		.what = what,
		.operations = operations,
		.tsc_cycles = tsc_cycles,
	};
}

void measure_wait(const struct conf *c, unsigned n, uint32_t count)
{
	cpu_cli();
	while (conf_irqs(c, 0, n) < count) {
		/* The interrupt may come from here on, and no earlier: it is not lost. */
		cpu_sti_hlt();
		cpu_cli();
	}
}

static void time_batch(struct measure *m, const struct kind *kind, struct conf *c)
{
	uint64_t start, end;

	if (kind->beside_bare)
		cpu_outb(MEASURE_PORT, (uint8_t)kind->operations);
	start = cpu_rdtsc();
	kind->run(c, kind->operations);
	end = cpu_rdtsc();
	if (kind->beside_bare)
		cpu_outb(MEASURE_PORT, (uint8_t)kind->operations);
	measure_add(m, kind->what, kind->operations, end - start);
}

void measure_exits(struct measure *m)
{
	struct conf *c = &kernel.conf;
	struct synic_vp before;
	bool synic;
	uint32_t round, i;

	conf_begin(c, "measure");
	synic = measure_has_messages(c);
	if (synic) {
		synic_open(c, &before);
		measure_open_synic(m, c);
	}
	for (round = 0; round < MEASURE_ROUNDS; round++) {
		for (i = 0; i < MEASURE_KINDS; i++) {
			if (kinds[i].possible(c))
				time_batch(m, &kinds[i], c);
		}
	}
	measure_timers(m, c);
	if (synic) {
		measure_close_synic(m);
		synic_close(c, &before);
	}
}
