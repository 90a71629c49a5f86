/* SPDX-License-Identifier: MIT */
/* measure=exits: messages, and by how much timers are late. */
#include "guest-kernel/conformance/echo.h"
#include "guest-kernel/conformance/synic_vp.h"
#include "guest-kernel/kernel.h"
#include "guest-kernel/measure.h"

#define SINT        ECHO_SINT
#define TIMER       0
#define ECHO_TYPE   1
#define ECHO_BYTES  8
#define DELAY_100NS 5000u /* from setting a timer until it is due */
#define PHASE_100NS 97u   /* so that shots don't fall in with a tick of the host */
#define PHASES      32
#define PAGE_CLOCK  2 /* conf.page of the reference TSC page; the first two are the SynIC's */

bool measure_has_messages(const struct conf *c)
{
	return kernel.hypervisor.kind == TRACE_HV_HYPERV &&
	       conf_has_eax(c, HV_MSR_SYNIC_AVAILABLE | HV_MSR_SYNTIMER_AVAILABLE);
}

static bool has_direct_timers(const struct conf *c)
{
	return kernel.hypervisor.kind == TRACE_HV_HYPERV &&
	       conf_has_eax(c, HV_MSR_SYNTIMER_AVAILABLE) &&
	       conf_has_edx(c, HV_STIMER_DIRECT_MODE_AVAILABLE);
}

bool measure_has_echo(const struct conf *c)
{
	(void)c;
	return kernel.measure.has_echo;
}

void measure_open_synic(struct measure *m, struct conf *c)
{
	m->has_echo = c->call_page && conf_has_ebx(c, HV_POST_MESSAGES) && echo_exists(c);
	if (m->has_echo)
		echo_command(HV_TESTDEV_MESSAGE_CREATE, 0, SINT, ECHO_MESSAGES);
	synic_sint(c, SINT, MEASURE_VECTOR_MESSAGE, 0);
}

void measure_close_synic(const struct measure *m)
{
	if (m->has_echo)
		echo_command(HV_TESTDEV_MESSAGE_DESTROY, 0, SINT, ECHO_MESSAGES);
}

/* Takes the message that comes: the seen-th of all since the SynIC was opened. */
static void take_message(struct conf *c, uint32_t seen)
{
	measure_wait(c, MEASURE_VECTOR_MESSAGE, seen);
	synic_slot(c, SINT)->type = HVMSG_NONE;
	cpu_wrmsr(HV_X64_MSR_EOM, 0);
}

/* The timer's time is past: its message is on its way when its CONFIG is written. */
void measure_message(struct conf *c, uint32_t count)
{
	uint32_t seen = conf_irqs(c, 0, MEASURE_VECTOR_MESSAGE);

	while (count-- > 0) {
		synic_post(c, TIMER, SINT);
		take_message(c, ++seen);
	}
}

void measure_echo(struct conf *c, uint32_t count)
{
	uint32_t seen = conf_irqs(c, 0, MEASURE_VECTOR_MESSAGE);

	while (count-- > 0) {
		echo_post(c, 0, ECHO_MESSAGES, ECHO_TYPE, ECHO_BYTES, 0);
		take_message(c, ++seen);
	}
}

/* Reference time in 100 ns at a moment of the TSC. */
static uint64_t reference_time(const volatile struct hv_reference_tsc_page *p, uint64_t tsc)
{
	return (uint64_t)((unsigned __int128)tsc * p->scale >> 64) + (uint64_t)p->offset;
}

static void shoot(struct measure *m, struct conf *c, uint32_t what, uint64_t config, unsigned n)
{
	const volatile struct hv_reference_tsc_page *page = (const void *)c->page[PAGE_CLOCK];
	uint64_t due, at;
	uint32_t seen, i;

	for (i = 0; i < MEASURE_SHOTS; i++) {
		seen = conf_irqs(c, 0, n);
		due = reference_time(page, cpu_rdtsc()) + DELAY_100NS + i % PHASES * PHASE_100NS;
		stimer_set(c, TIMER, config, due);
		measure_wait(c, n, seen + 1);
		at = reference_time(page, c->irqs[0].tsc[CONF_VECTOR_N(n)]);
		measure_add(m, what, 1, at > due ? (at - due) * kernel.clock.tsc_khz / 10000 : 0);
		if (what == TRACE_COST_TIMER_MESSAGE_LATE)
			synic_free(c, SINT);
	}
	stimer_off(c, TIMER);
}

void measure_timers(struct measure *m, struct conf *c)
{
	const volatile struct hv_reference_tsc_page *page = (const void *)c->page[PAGE_CLOCK];
	const uint64_t direct = HV_STIMER_ENABLE | HV_STIMER_DIRECT |
				(uint64_t)CONF_VECTOR_N(MEASURE_VECTOR_DIRECT)
					<< HV_STIMER_APIC_VECTOR_SHIFT;
	uint64_t before;

	if (kernel.hypervisor.kind != TRACE_HV_HYPERV ||
	    !conf_has_eax(c, HV_MSR_REFERENCE_TSC_AVAILABLE) ||
	    cpu_rdmsr_safe(HV_X64_MSR_REFERENCE_TSC, &before))
		return;
	conf_write(c, HV_X64_MSR_REFERENCE_TSC, (uint64_t)page | HV_PAGE_MSR_ENABLE);
	if (page->sequence != HV_REFERENCE_TSC_SEQUENCE_INVALID && measure_has_messages(c))
		shoot(m, c, TRACE_COST_TIMER_MESSAGE_LATE, stimer_to_sint(SINT),
		      MEASURE_VECTOR_MESSAGE);
	if (page->sequence != HV_REFERENCE_TSC_SEQUENCE_INVALID && has_direct_timers(c))
		shoot(m, c, TRACE_COST_TIMER_DIRECT_LATE, direct, MEASURE_VECTOR_DIRECT);
	conf_write(c, HV_X64_MSR_REFERENCE_TSC, before);
}
