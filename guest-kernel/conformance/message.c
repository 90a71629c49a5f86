/* SPDX-License-Identifier: MIT */
/* Body "message": message slots and their interrupts, with timers as senders. */
#include "guest-kernel/conformance/synic_vp.h"

#include "guest-kernel/kernel.h"

#define SINT      2
#define LINGER_US 500

static void check_message(struct conf *c, unsigned sint, uint32_t timer, const char *what)
{
	volatile struct hv_message *m = synic_slot(c, sint);

	conf_equal(c, m->type, HVMSG_TIMER_EXPIRED, "%s: its type", what);
	conf_equal(c, m->payload_bytes, sizeof(struct hv_timer_message), "%s: its size", what);
	conf_equal(c, m->origin, 0, "%s: its origin is the hypervisor", what);
	conf_equal(c, synic_timer_message(c, sint).timer, timer, "%s: its timer", what);
}

static void test_one(struct conf *c)
{
	struct hv_timer_message t;

	synic_sint(c, SINT, 0, 0);
	synic_post(c, 0, SINT);
	conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1, "a message raises one interrupt");
	check_message(c, SINT, 0, "a message");
	conf_equal(c, synic_slot(c, SINT)->flags, 0, "a message: nothing pending behind it");
	t = synic_timer_message(c, SINT);
	conf_equal(c, t.reserved, 0, "a message: reserved bytes are 0");
	conf_equal(c, t.expiration_time, 1, "a message: when the timer was due");
	conf_ok(c, t.delivery_time > 1 && t.delivery_time <= conf_ref_time(),
		"a message: when it was delivered");
	synic_free(c, SINT);
}

/* A second message while the slot is in use: it waits for EOM, and says so in the first. */
static void test_busy(struct conf *c)
{
	conf_irqs_clear(c);
	synic_post(c, 0, SINT);
	conf_irqs_wait(c, 0, 0, 1);
	synic_post(c, 1, SINT);
	conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1, "slot in use: no second interrupt");
	conf_equal(c, synic_slot(c, SINT)->flags, HV_MESSAGE_PENDING,
		   "slot in use: marked as pending");
	conf_equal(c, synic_timer_message(c, SINT).timer, 0, "slot in use: the message stays");
	conf_equal(c, stimer_config(c, 1) & HV_STIMER_ENABLE, HV_STIMER_ENABLE,
		   "slot in use: the timer stays enabled");
	conf_write(c, HV_X64_MSR_EOM, 0);
	conf_delay_us(LINGER_US);
	conf_equal(c, synic_timer_message(c, SINT).timer, 0,
		   "slot in use: EOM alone frees nothing");
	synic_free(c, SINT);
	conf_equal(c, conf_irqs_wait(c, 0, 0, 2), 2, "slot freed: EOM brings one interrupt");
	check_message(c, SINT, 1, "the message that waited");
	conf_equal(c, synic_slot(c, SINT)->flags, 0, "the message that waited: nothing behind it");
	conf_equal(c, stimer_config(c, 1) & HV_STIMER_ENABLE, 0,
		   "the message that waited: its timer is off");
	synic_free(c, SINT);
}

/* All four timers on one SINT: none is lost, and each slot but the last is marked. */
static void test_queue(struct conf *c)
{
	uint32_t seen = 0, pending = 0, i;

	conf_irqs_clear(c);
	for (i = 0; i < HV_STIMER_COUNT; i++)
		synic_post(c, i, SINT);
	for (i = 0; i < HV_STIMER_COUNT && synic_wait(c, SINT); i++) {
		seen |= 1u << synic_timer_message(c, SINT).timer;
		pending += synic_slot(c, SINT)->flags & HV_MESSAGE_PENDING;
		synic_free(c, SINT);
	}
	conf_equal(c, seen, 0xf, "four messages on one SINT all arrive");
	conf_equal(c, pending, HV_STIMER_COUNT - 1, "four messages: three times more was pending");
	conf_equal(c, conf_irqs_wait(c, 0, 0, 4), 4, "four messages: four interrupts");
}

static void test_every_sint(struct conf *c)
{
	unsigned n;

	for (n = 1; n < HV_SYNIC_SINT_COUNT; n++) {
		unsigned v = n % CONF_VECTORS;

		conf_irqs_clear(c);
		synic_sint(c, n, v, 0);
		synic_post(c, 0, n);
		conf_ok(c,
			conf_irqs_wait(c, 0, v, 1) == 1 &&
				synic_slot(c, n)->type == HVMSG_TIMER_EXPIRED,
			"SINT%u: its slot, its vector", n);
		synic_free(c, n);
		synic_mask(c, n);
	}
}

/* Sources disagree on whether a masked SINT takes messages; none has it interrupt. */
static void test_masked(struct conf *c)
{
	conf_irqs_clear(c);
	conf_write(c, HV_X64_MSR_SINT0 + SINT, CONF_VECTOR | HV_SYNIC_SINT_MASKED);
	synic_post(c, 0, SINT);
	conf_delay_us(LINGER_US);
	conf_note(c, "masked SINT: the message %s",
		  synic_slot(c, SINT)->type ? "is delivered" : "is held back");
	conf_equal(c, conf_irqs(c, 0, 0), 0, "masked SINT: no interrupt");
	stimer_off(c, 0);
	synic_free(c, SINT);
	synic_sint(c, SINT, 0, 0);
	synic_free(c, SINT);
	conf_delay_us(LINGER_US);
	synic_free(c, SINT);
}

static void test_polling(struct conf *c)
{
	conf_irqs_clear(c);
	if (!conf_has_edx(c, HV_FEATURE_SINT_POLLING_AVAILABLE)) {
		/* The bit is a reserved one then, which does nothing. */
		synic_sint(c, SINT, 0, HV_SYNIC_SINT_POLLING);
		synic_post(c, 0, SINT);
		conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1,
			   "polled SINT is not offered: it interrupts all the same");
		synic_free(c, SINT);
		return;
	}
	synic_sint(c, SINT, 0, HV_SYNIC_SINT_POLLING);
	synic_post(c, 0, SINT);
	conf_ok(c, synic_wait(c, SINT), "polled SINT: the message is delivered");
	conf_delay_us(LINGER_US);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "polled SINT: no interrupt");
	synic_free(c, SINT);
}

/* There are KVMs that emulate instructions and hold no interrupt in service: then nothing shows. */
static bool apic_wants_eoi(struct conf *c)
{
	bool wants;

	apic_send_ipi(&kernel.apic, kernel.smp.boot_apic_id, CONF_VECTOR_N(1));
	conf_irqs_wait(c, 0, 1, 1);
	wants = apic_in_service(&kernel.apic, CONF_VECTOR_N(1));
	apic_eoi(&kernel.apic);
	conf_irqs_clear(c);
	return wants;
}

/* Without an EOI by the handler a second interrupt, of the same vector, must come. */
static void test_auto_eoi(struct conf *c)
{
	bool wants_eoi;

	c->auto_eoi_vector = CONF_VECTOR_N(1);
	wants_eoi = apic_wants_eoi(c);
	synic_sint(c, SINT, 1, HV_SYNIC_SINT_AUTO_EOI);
	synic_post(c, 0, SINT);
	conf_equal(c, conf_irqs_wait(c, 0, 1, 1), 1, "auto-EOI: an interrupt");
	if (wants_eoi)
		conf_ok(c, !apic_in_service(&kernel.apic, CONF_VECTOR_N(1)),
			"auto-EOI: it is not in service");
	else
		conf_skip(c, "this local APIC keeps no interrupt in service",
			  "auto-EOI: it is not in service");
	synic_free(c, SINT);
	synic_post(c, 0, SINT);
	conf_equal(c, conf_irqs_wait(c, 0, 1, 2), 2, "auto-EOI: one more, without an EOI");
	synic_free(c, SINT);
	c->auto_eoi_vector = 0;
	/* Whatever came of it, the tests that follow start with nothing in service. */
	apic_eoi(&kernel.apic);
}

static void test_off(struct conf *c, uint32_t msr, const char *name)
{
	uint64_t on = conf_read(c, msr);

	conf_irqs_clear(c);
	synic_sint(c, SINT, 0, 0);
	conf_write(c, msr, 0);
	synic_post(c, 0, SINT);
	conf_delay_us(LINGER_US);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "%s off: no interrupt", name);
	conf_write(c, msr, on);
	conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1, "%s on again: the message comes", name);
	conf_equal(c, synic_slot(c, SINT)->type, HVMSG_TIMER_EXPIRED, "%s on again: in its slot",
		   name);
	synic_free(c, SINT);
}

void conf_message(struct conf *c)
{
	struct synic_vp s;

	synic_open(c, &s);
	test_one(c);
	test_busy(c);
	test_queue(c);
	test_every_sint(c);
	test_masked(c);
	test_polling(c);
	test_auto_eoi(c);
	test_off(c, HV_X64_MSR_SCONTROL, "SCONTROL");
	test_off(c, HV_X64_MSR_SIMP, "SIMP");
	synic_close(c, &s);
}
