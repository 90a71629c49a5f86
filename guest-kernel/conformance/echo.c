/* SPDX-License-Identifier: MIT */
/* The host's echo ports, as the guest sees them. */
#include "guest-kernel/conformance/echo.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/string.h"

#define INPUT_PAGE(vp) (4 + (vp)) /* in conf.page */
#define MESSAGE_TYPE   1

void echo_command(enum hv_testdev_command command, uint32_t vp, unsigned sint, uint32_t id)
{
	uint32_t index = kernel.vp_table.vps[vp].hv_vp_index;

	cpu_outl(HV_TESTDEV_PORT, id << 24 | (uint32_t)command << 16 | index << 8 | sint);
}

uint64_t echo_post(struct conf *c, unsigned on_vp, uint32_t id, uint32_t type, uint32_t bytes,
		   uint8_t seed)
{
	struct hv_input_post_message *m = (void *)c->page[INPUT_PAGE(on_vp)];
	uint32_t i;

	memset(m, 0, sizeof(*m));
	m->connection_id = id;
	m->message_type = type;
	m->payload_bytes = bytes;
	for (i = 0; i < bytes && i < sizeof(m->payload); i++)
		m->payload[i] = (uint8_t)(seed + i);
	return conf_call_memory(c, HVCALL_POST_MESSAGE, m, NULL);
}

bool echo_is(const volatile struct hv_message *slot, uint32_t type, uint32_t bytes, uint8_t seed)
{
	uint32_t i;

	if (slot->type != type || slot->payload_bytes != bytes)
		return false;
	for (i = 0; i < bytes; i++) {
		if (slot->payload[i] != (uint8_t)(seed + i))
			return false;
	}
	return true;
}

uint64_t echo_signal(struct conf *c, uint32_t id, uint32_t flag)
{
	return conf_call(c, CONF_FAST(HVCALL_SIGNAL_EVENT), id | (uint64_t)flag << 32, 0);
}

bool echo_exists(struct conf *c)
{
	uint64_t r;

	echo_command(HV_TESTDEV_MESSAGE_CREATE, 0, ECHO_SINT, ECHO_MESSAGES);
	r = echo_post(c, 0, ECHO_MESSAGES, MESSAGE_TYPE, 8, 0);
	if (r == HV_STATUS_SUCCESS && synic_wait(c, ECHO_SINT))
		synic_free(c, ECHO_SINT);
	echo_command(HV_TESTDEV_MESSAGE_DESTROY, 0, ECHO_SINT, ECHO_MESSAGES);
	return r != HV_STATUS_INVALID_CONNECTION_ID;
}

void echo_run(struct conf *c, const struct echo_way *w)
{
	struct synic_vp s;

	synic_open(c, &s);
	if (!echo_exists(c)) {
		conf_skip(c, "the host has no test device", "all of it");
		synic_close(c, &s);
		return;
	}
	echo_command(w->create, 0, ECHO_SINT, w->id);
	synic_sint(c, ECHO_SINT, 0, 0);
	w->tests(c);
	echo_command(w->destroy, 0, ECHO_SINT, w->id);
	synic_close(c, &s);
}

void echo_test_every_sint(struct conf *c, const struct echo_way *w)
{
	unsigned n;

	for (n = 0; n < HV_SYNIC_SINT_COUNT; n++) {
		unsigned v = n % CONF_VECTORS;
		uint32_t id = w->id + 1 + n;

		synic_sint(c, n, v, 0);
		echo_command(w->create, 0, n, id);
		conf_irqs_clear(c);
		w->send(c, id);
		conf_ok(c, conf_irqs_wait(c, 0, v, 1) == 1 && w->is_there(c, n, id),
			"SINT%u: its %s, its vector", n, w->place);
		w->take(c, n, id);
		echo_command(w->destroy, 0, n, id);
		synic_mask(c, n);
	}
	synic_sint(c, ECHO_SINT, 0, 0);
}

/* Two of them, and no EOI by the handler. */
void echo_test_auto_eoi(struct conf *c, const struct echo_way *w)
{
	uint32_t i;

	conf_irqs_clear(c);
	c->auto_eoi_vector = CONF_VECTOR_N(1);
	synic_sint(c, ECHO_SINT, 1, HV_SYNIC_SINT_AUTO_EOI);
	for (i = 0; i < 2; i++) {
		w->send(c, w->id);
		conf_irqs_wait(c, 0, 1, i + 1);
		w->take(c, ECHO_SINT, w->id);
	}
	conf_equal(c, conf_irqs(c, 0, 1), 2, "auto-EOI: two interrupts without an EOI");
	c->auto_eoi_vector = 0;
	apic_eoi(&kernel.apic);
	synic_sint(c, ECHO_SINT, 0, 0);
}

static void open_there(void *arg)
{
	struct echo_far *f = arg;
	const uint64_t message = (uint64_t)f->c->page[2], event = (uint64_t)f->c->page[3];

	f->faulted = cpu_rdmsr_safe(HV_X64_MSR_SCONTROL, &f->scontrol) ||
		     cpu_rdmsr_safe(HV_X64_MSR_SIMP, &f->simp) ||
		     cpu_rdmsr_safe(HV_X64_MSR_SIEFP, &f->siefp) ||
		     cpu_wrmsr_safe(HV_X64_MSR_SIMP, message | HV_PAGE_MSR_ENABLE) ||
		     cpu_wrmsr_safe(HV_X64_MSR_SIEFP, event | HV_PAGE_MSR_ENABLE) ||
		     cpu_wrmsr_safe(HV_X64_MSR_SCONTROL, HV_SYNIC_CONTROL_ENABLE) ||
		     cpu_wrmsr_safe(HV_X64_MSR_SINT0 + ECHO_SINT, CONF_VECTOR);
}

bool echo_far_open(struct conf *c, struct echo_far *f)
{
	f->c = c;
	if (!conf_on_vp(c, 1, open_there, f))
		return false;
	memset(c->page[2], 0, HV_HYP_PAGE_SIZE);
	memset(c->page[3], 0, HV_HYP_PAGE_SIZE);
	conf_irqs_clear(c);
	return conf_ok(c, !f->faulted, "VP 1's SynIC can be set up");
}

static void close_there(void *arg)
{
	struct echo_far *f = arg;

	cpu_wrmsr_safe(HV_X64_MSR_SINT0 + ECHO_SINT, HV_SYNIC_SINT_MASKED);
	cpu_wrmsr_safe(HV_X64_MSR_SIMP, f->simp);
	cpu_wrmsr_safe(HV_X64_MSR_SIEFP, f->siefp);
	cpu_wrmsr_safe(HV_X64_MSR_SCONTROL, f->scontrol);
}

void echo_far_close(struct conf *c, struct echo_far *f)
{
	memset(c->page[2], 0, HV_HYP_PAGE_SIZE);
	memset(c->page[3], 0, HV_HYP_PAGE_SIZE);
	conf_on_vp(c, 1, close_there, f);
}
