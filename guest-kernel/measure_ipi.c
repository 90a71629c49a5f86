/* SPDX-License-Identifier: MIT */
/* measure=exits: interrupts from the boot VP to VP 1 and back, both asleep while they wait. */
#include "guest-kernel/conformance/conf.h"
#include "guest-kernel/kernel.h"
#include "guest-kernel/measure.h"

#define VPS_OF_A_MASK 64

bool measure_has_vp1(const struct conf *c)
{
	(void)c;
	return kernel.vp_table.count > 1;
}

bool measure_has_hypercall_ipi(const struct conf *c)
{
	const struct vp *vps = kernel.vp_table.vps;

	return measure_has_vp1(c) && c->call_page &&
	       conf_has_hint(c, HV_X64_CLUSTER_IPI_RECOMMENDED) &&
	       vps[0].hv_vp_index < VPS_OF_A_MASK && vps[1].hv_vp_index < VPS_OF_A_MASK;
}

static void send_lapic(const struct vp *to)
{
	apic_send_ipi(&kernel.apic, to->apic_id, CONF_VECTOR_N(MEASURE_VECTOR_LAPIC));
}

static void send_hypercall(const struct vp *to)
{
	cpu_call_hypercall_page(kernel.conf.call_page, CONF_FAST(HVCALL_SEND_IPI),
				CONF_VECTOR_N(MEASURE_VECTOR_HYPERCALL), 1ull << to->hv_vp_index);
}

static void round_trips(struct conf *c, unsigned n, void (*send)(const struct vp *to),
			uint32_t count)
{
	uint32_t answers = conf_irqs(c, 0, n);

	while (count-- > 0) {
		send(&kernel.vp_table.vps[1]);
		measure_wait(c, n, ++answers);
	}
}

void measure_ipi_lapic(struct conf *c, uint32_t count)
{
	round_trips(c, MEASURE_VECTOR_LAPIC, send_lapic, count);
}

void measure_ipi_hypercall(struct conf *c, uint32_t count)
{
	round_trips(c, MEASURE_VECTOR_HYPERCALL, send_hypercall, count);
}

_Noreturn void measure_serve(void)
{
	const struct conf *c = &kernel.conf;
	const struct vp *boot = &kernel.vp_table.vps[0];
	uint32_t lapic = 0, hypercall = 0;

	for (;;) {
		cpu_cli();
		if (conf_irqs(c, 1, MEASURE_VECTOR_LAPIC) != lapic) {
			lapic++;
			send_lapic(boot);
		} else if (conf_irqs(c, 1, MEASURE_VECTOR_HYPERCALL) != hypercall) {
			hypercall++;
			send_hypercall(boot);
		} else {
			cpu_sti_hlt();
		}
	}
}
