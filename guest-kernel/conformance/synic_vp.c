/* SPDX-License-Identifier: MIT */
/* The boot VP's SynIC while a test uses it, and timers as the source of its messages. */
#include "guest-kernel/conformance/synic_vp.h"

#include "guest-kernel/string.h"

#define WAIT_US 1000000

void synic_mask(struct conf *c, unsigned n)
{
	conf_write(c, HV_X64_MSR_SINT0 + n, HV_SYNIC_SINT_MASKED);
}

void synic_sint(struct conf *c, unsigned n, unsigned vector_n, uint64_t bits)
{
	conf_write(c, HV_X64_MSR_SINT0 + n, CONF_VECTOR_N(vector_n) | bits);
}

static void all_off(struct conf *c)
{
	unsigned i;

	for (i = 0; i < HV_SYNIC_SINT_COUNT; i++)
		synic_mask(c, i);
	for (i = 0; i < HV_STIMER_COUNT && conf_has_eax(c, HV_MSR_SYNTIMER_AVAILABLE); i++)
		stimer_off(c, i);
}

void synic_open(struct conf *c, struct synic_vp *s)
{
	s->scontrol = conf_read(c, HV_X64_MSR_SCONTROL);
	s->simp = conf_read(c, HV_X64_MSR_SIMP);
	s->siefp = conf_read(c, HV_X64_MSR_SIEFP);
	all_off(c);
	memset(c->page, 0, sizeof(c->page));
	conf_write(c, HV_X64_MSR_SIMP, (uint64_t)c->page[0] | HV_PAGE_MSR_ENABLE);
	conf_write(c, HV_X64_MSR_SIEFP, (uint64_t)c->page[1] | HV_PAGE_MSR_ENABLE);
	conf_write(c, HV_X64_MSR_SCONTROL, HV_SYNIC_CONTROL_ENABLE);
	/* What an earlier test left in the page moved along. */
	memset(c->page[0], 0, HV_HYP_PAGE_SIZE);
	conf_irqs_clear(c);
}

void synic_close(struct conf *c, const struct synic_vp *s)
{
	all_off(c);
	memset(c->page[0], 0, HV_HYP_PAGE_SIZE);
	conf_write(c, HV_X64_MSR_SIMP, s->simp);
	conf_write(c, HV_X64_MSR_SIEFP, s->siefp);
	conf_write(c, HV_X64_MSR_SCONTROL, s->scontrol);
}

void synic_free(struct conf *c, unsigned sint)
{
	volatile struct hv_message *m = synic_slot(c, sint);

	__atomic_store_n(&m->type, HVMSG_NONE, __ATOMIC_SEQ_CST);
	cpu_mfence();
	if (m->flags & HV_MESSAGE_PENDING)
		conf_write(c, HV_X64_MSR_EOM, 0);
}

void stimer_set(struct conf *c, unsigned timer, uint64_t config, uint64_t count)
{
	conf_write(c, HV_X64_MSR_STIMER0_COUNT + 2 * timer, count);
	conf_write(c, HV_X64_MSR_STIMER0_CONFIG + 2 * timer, config);
}

void stimer_off(struct conf *c, unsigned timer)
{
	conf_write(c, HV_X64_MSR_STIMER0_CONFIG + 2 * timer, 0);
	conf_write(c, HV_X64_MSR_STIMER0_COUNT + 2 * timer, 0);
}

uint64_t stimer_config(struct conf *c, unsigned timer)
{
	return conf_read(c, HV_X64_MSR_STIMER0_CONFIG + 2 * timer);
}

void synic_post(struct conf *c, unsigned timer, unsigned sint)
{
	stimer_set(c, timer, stimer_to_sint(sint), 1);
}

bool synic_wait(struct conf *c, unsigned sint)
{
	uint64_t start = cpu_rdtsc(), cycles = conf_tsc_of_us(WAIT_US);

	while (__atomic_load_n(&synic_slot(c, sint)->type, __ATOMIC_ACQUIRE) == HVMSG_NONE) {
		if (cpu_rdtsc() - start > cycles)
			return false;
		cpu_pause();
	}
	return true;
}
