/* SPDX-License-Identifier: MIT */
/* Body "post": messages to a port of the host, which sends them back. */
#include "guest-kernel/conformance/echo.h"

#include "guest-kernel/kernel.h"

#define TYPE       1u
#define TYPE_LAST  0x7fffffffu
#define MANY       100 /* more than any host keeps */
#define EACH_SENDS 12

static uint64_t post(struct conf *c, uint32_t bytes, uint8_t seed)
{
	return echo_post(c, 0, ECHO_MESSAGES, TYPE, bytes, seed);
}

static volatile struct hv_message *slot(struct conf *c)
{
	return synic_slot(c, ECHO_SINT);
}

static void test_sizes(struct conf *c)
{
	static const uint32_t sizes[] = {0, 1, 7, 8, 239, HV_MESSAGE_PAYLOAD_BYTES};
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		conf_irqs_clear(c);
		conf_equal(c, post(c, sizes[i], (uint8_t)i), HV_STATUS_SUCCESS, "%u bytes: success",
			   sizes[i]);
		conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1, "%u bytes: one interrupt", sizes[i]);
		conf_ok(c, echo_is(slot(c), TYPE, sizes[i], (uint8_t)i),
			"%u bytes: type, size and payload come back", sizes[i]);
		conf_equal(c, slot(c)->flags, 0, "%u bytes: nothing pending behind it", sizes[i]);
		synic_free(c, ECHO_SINT);
	}
	echo_post(c, 0, ECHO_MESSAGES, TYPE_LAST, 3, 0);
	conf_ok(c, synic_wait(c, ECHO_SINT) && echo_is(slot(c), TYPE_LAST, 3, 0),
		"the last type that is a guest's");
	synic_free(c, ECHO_SINT);
}

static void refused(struct conf *c, uint64_t r, uint64_t status, const char *what)
{
	conf_one_of(c, r, status, HV_STATUS_INVALID_HYPERCALL_INPUT, "%s: refused", what);
}

static void test_refused(struct conf *c)
{
	const uint32_t id = ECHO_MESSAGES;
	uint8_t *in = c->page[4];
	uint64_t r;

	conf_irqs_clear(c);
	refused(c, echo_post(c, 0, id, HVMSG_NONE, 8, 0), HV_STATUS_INVALID_PARAMETER, "type 0");
	refused(c, echo_post(c, 0, id, HVMSG_TIMER_EXPIRED, 8, 0), HV_STATUS_INVALID_PARAMETER,
		"a type that is the hypervisor's");
	refused(c, echo_post(c, 0, id, UINT32_MAX, 8, 0), HV_STATUS_INVALID_PARAMETER,
		"type 2^32 - 1");
	refused(c, post(c, HV_MESSAGE_PAYLOAD_BYTES + 1, 0), HV_STATUS_INVALID_PARAMETER,
		"241 bytes");
	refused(c, post(c, UINT32_MAX, 0), HV_STATUS_INVALID_PARAMETER, "2^32 - 1 bytes");
	refused(c, echo_post(c, 0, 1u << 24 | id, TYPE, 8, 0), HV_STATUS_INVALID_CONNECTION_ID,
		"a connection id of more than 24 bits");
	refused(c, echo_post(c, 0, ECHO_NONE, TYPE, 8, 0), HV_STATUS_INVALID_CONNECTION_ID,
		"no such connection");
	post(c, UINT32_MAX, 0);
	((struct hv_input_post_message *)in)->payload_bytes = 8;
	r = conf_call(c, CONF_FAST(HVCALL_POST_MESSAGE), (uint64_t)in, 0);
	conf_equal(c, r, HV_STATUS_INVALID_HYPERCALL_INPUT, "fast: refused");
	r = conf_call_memory(c, HVCALL_POST_MESSAGE, in + 4, NULL);
	refused(c, r, HV_STATUS_INVALID_ALIGNMENT, "input at an address that 8 does not divide");
	r = conf_call_memory(c, HVCALL_POST_MESSAGE, in + HV_HYP_PAGE_SIZE - 8, NULL);
	refused(c, r, HV_STATUS_INVALID_ALIGNMENT, "input across two pages");
	r = conf_call_memory(c, CONF_REP(HVCALL_POST_MESSAGE, 1, 0), in, NULL);
	conf_equal(c, r, HV_STATUS_INVALID_HYPERCALL_INPUT, "a rep count: refused");
	conf_delay_us(ECHO_QUIET_US);
	conf_ok(c, conf_irqs(c, 0, 0) == 0 && slot(c)->type == HVMSG_NONE,
		"nothing that was refused arrives");
}

static void test_busy(struct conf *c)
{
	conf_irqs_clear(c);
	post(c, 8, 1);
	conf_irqs_wait(c, 0, 0, 1);
	conf_equal(c, post(c, 8, 2), HV_STATUS_SUCCESS, "slot in use: success");
	conf_delay_us(ECHO_QUIET_US);
	conf_equal(c, conf_irqs(c, 0, 0), 1, "slot in use: no second interrupt");
	conf_equal(c, slot(c)->flags & HV_MESSAGE_PENDING, HV_MESSAGE_PENDING,
		   "slot in use: marked as pending");
	conf_ok(c, echo_is(slot(c), TYPE, 8, 1), "slot in use: the message in it stays");
	synic_free(c, ECHO_SINT);
	conf_equal(c, conf_irqs_wait(c, 0, 0, 2), 2, "slot freed: EOM brings one interrupt");
	conf_ok(c, echo_is(slot(c), TYPE, 8, 2), "slot freed: the second message is there");
	conf_equal(c, slot(c)->flags, 0, "slot freed: nothing pending behind it");
	synic_free(c, ECHO_SINT);
}

/* Until the host has no room: what it took arrives in order, and afterwards there is room again. */
static void test_full(struct conf *c)
{
	uint64_t r = HV_STATUS_SUCCESS;
	uint32_t sent = 0, got = 0, in_order = 0;

	conf_irqs_clear(c);
	while (sent < MANY && (r = post(c, 8, (uint8_t)sent)) == HV_STATUS_SUCCESS)
		sent++;
	conf_equal(c, r, HV_STATUS_INSUFFICIENT_BUFFERS, "many: in the end there is no room");
	conf_ok(c, sent >= 2, "many: the slot's and at least one more are kept");
	conf_note(c, "%u messages are kept, one of them in the slot", sent);
	for (; got < sent && synic_wait(c, ECHO_SINT); got++) {
		in_order += echo_is(slot(c), TYPE, 8, (uint8_t)got);
		synic_free(c, ECHO_SINT);
	}
	conf_equal(c, got, sent, "many: all that were taken arrive");
	conf_equal(c, in_order, sent, "many: in order");
	conf_equal(c, conf_irqs_wait(c, 0, 0, sent), sent, "many: each with its interrupt");
	conf_equal(c, post(c, 8, 0), HV_STATUS_SUCCESS, "many: there is room again");
	synic_wait(c, ECHO_SINT);
	synic_free(c, ECHO_SINT);
}

/* Sources disagree on whether a masked SINT takes messages; none has it interrupt. */
static void test_masked(struct conf *c)
{
	uint64_t r;

	conf_irqs_clear(c);
	conf_write(c, HV_X64_MSR_SINT0 + ECHO_SINT, CONF_VECTOR | HV_SYNIC_SINT_MASKED);
	r = post(c, 8, 0);
	conf_one_of(c, r, HV_STATUS_SUCCESS, HV_STATUS_INVALID_SYNIC_STATE,
		    "masked SINT: taken, or refused");
	conf_delay_us(ECHO_QUIET_US);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "masked SINT: no interrupt");
	synic_sint(c, ECHO_SINT, 0, 0);
	synic_free(c, ECHO_SINT);
	conf_delay_us(ECHO_QUIET_US);
	synic_free(c, ECHO_SINT);
}

static void test_polled(struct conf *c)
{
	if (!conf_has_edx(c, HV_FEATURE_SINT_POLLING_AVAILABLE)) {
		conf_skip(c, "not offered", "polled SINT");
		return;
	}
	conf_irqs_clear(c);
	synic_sint(c, ECHO_SINT, 0, HV_SYNIC_SINT_POLLING);
	conf_equal(c, post(c, 8, 0), HV_STATUS_SUCCESS, "polled SINT: success");
	conf_ok(c, synic_wait(c, ECHO_SINT), "polled SINT: the message is there");
	conf_delay_us(ECHO_QUIET_US);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "polled SINT: no interrupt");
	synic_free(c, ECHO_SINT);
	synic_sint(c, ECHO_SINT, 0, 0);
}

static void test_off(struct conf *c, uint32_t msr, const char *name)
{
	uint64_t on = conf_read(c, msr);

	conf_irqs_clear(c);
	conf_write(c, msr, 0);
	conf_equal(c, post(c, 8, 0), HV_STATUS_INVALID_SYNIC_STATE, "%s off: refused", name);
	conf_delay_us(ECHO_QUIET_US);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "%s off: no interrupt", name);
	conf_write(c, msr, on);
	conf_equal(c, post(c, 8, 0), HV_STATUS_SUCCESS, "%s on again: success", name);
	conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1, "%s on again: one interrupt", name);
	synic_free(c, ECHO_SINT);
}

static void test_connections(struct conf *c)
{
	uint64_t r;

	echo_command(HV_TESTDEV_EVENT_CREATE, 0, ECHO_SINT, ECHO_EVENTS);
	r = echo_post(c, 0, ECHO_EVENTS, TYPE, 8, 0);
	conf_one_of(c, r, HV_STATUS_INVALID_PORT_ID, HV_STATUS_INVALID_CONNECTION_ID,
		    "to a connection for events: refused");
	echo_command(HV_TESTDEV_EVENT_DESTROY, 0, ECHO_SINT, ECHO_EVENTS);
	echo_command(HV_TESTDEV_MESSAGE_DESTROY, 0, ECHO_SINT, ECHO_MESSAGES);
	conf_equal(c, post(c, 8, 0), HV_STATUS_INVALID_CONNECTION_ID,
		   "to a connection that is gone");
	echo_command(HV_TESTDEV_MESSAGE_CREATE, 0, ECHO_SINT, ECHO_MESSAGES);
	conf_equal(c, post(c, 8, 0), HV_STATUS_SUCCESS, "to a connection that is back");
	synic_wait(c, ECHO_SINT);
	synic_free(c, ECHO_SINT);
}

struct sender {
	struct conf *c;
	uint64_t last;
	uint32_t sent;
};

/* Types tell the senders apart, seeds the messages. */
static void send_one(struct sender *s, unsigned vp)
{
	s->last = echo_post(s->c, vp, ECHO_MESSAGES, TYPE + vp, 8, (uint8_t)s->sent);
	s->sent += s->last == HV_STATUS_SUCCESS;
}

static void send_one_there(void *arg)
{
	send_one(arg, 1);
}

static void send_all_there(void *arg)
{
	struct sender *s = arg;
	uint64_t start = cpu_rdtsc(), patience = conf_tsc_of_us(2000000);

	while (s->sent < EACH_SENDS && cpu_rdtsc() - start < patience)
		send_one(s, 1);
}

/* The other VP's messages and the boot VP's own on one SINT, while the boot VP takes them. */
static void test_two_senders(struct conf *c)
{
	struct sender here = {.c = c}, there = {.c = c};
	uint32_t next[2] = {0, 0}, disorder = 0;
	uint64_t start = cpu_rdtsc(), patience = conf_tsc_of_us(3000000);

	conf_begin_on_vp(c, 1, send_all_there, &there);
	while (next[0] + next[1] < 2 * EACH_SENDS && cpu_rdtsc() - start < patience) {
		if (here.sent < EACH_SENDS)
			send_one(&here, 0);
		if (__atomic_load_n(&slot(c)->type, __ATOMIC_ACQUIRE) != HVMSG_NONE) {
			uint32_t from = slot(c)->type - TYPE;

			disorder +=
				from > 1 || !echo_is(slot(c), TYPE + from, 8, (uint8_t)next[from]);
			next[from & 1]++;
			synic_free(c, ECHO_SINT);
		}
	}
	if (!conf_end_on_vp(c, 1))
		return;
	conf_ok(c, next[0] == EACH_SENDS && next[1] == EACH_SENDS,
		"two senders: no message is lost");
	conf_equal(c, disorder, 0, "two senders: each one's messages keep their order");
}

static void test_other_vp(struct conf *c)
{
	struct sender there = {.c = c};
	struct echo_far f;

	if (kernel.vp_table.count < 2) {
		conf_skip(c, "one VP only", "messages to and from VP 1");
		return;
	}
	conf_irqs_clear(c);
	if (conf_on_vp(c, 1, send_one_there, &there)) {
		conf_equal(c, there.last, HV_STATUS_SUCCESS, "posted by VP 1: success");
		conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1,
			   "posted by VP 1: an interrupt on the boot VP");
		conf_ok(c, echo_is(slot(c), TYPE + 1, 8, 0),
			"posted by VP 1: in the boot VP's slot");
		synic_free(c, ECHO_SINT);
	}
	test_two_senders(c);
	if (!echo_far_open(c, &f))
		return;
	echo_command(HV_TESTDEV_MESSAGE_CREATE, 1, ECHO_SINT, ECHO_MESSAGES + 1);
	conf_equal(c, echo_post(c, 0, ECHO_MESSAGES + 1, TYPE, 8, 5), HV_STATUS_SUCCESS,
		   "to VP 1: success");
	conf_equal(c, conf_irqs_wait(c, 1, 0, 1), 1, "to VP 1: one interrupt there");
	conf_equal(c, conf_irqs(c, 0, 0), 0, "to VP 1: none on the boot VP");
	conf_ok(c, echo_is(echo_far_slot(c), TYPE, 8, 5), "to VP 1: in VP 1's slot");
	conf_equal(c, slot(c)->type, HVMSG_NONE, "to VP 1: not in the boot VP's");
	echo_command(HV_TESTDEV_MESSAGE_DESTROY, 1, ECHO_SINT, ECHO_MESSAGES + 1);
	echo_far_close(c, &f);
}

static void send(struct conf *c, uint32_t id)
{
	echo_post(c, 0, id, TYPE, 8, (uint8_t)id);
}

static bool is_there(struct conf *c, unsigned sint, uint32_t id)
{
	return echo_is(synic_slot(c, sint), TYPE, 8, (uint8_t)id);
}

static void take(struct conf *c, unsigned sint, uint32_t id)
{
	(void)id;
	synic_free(c, sint);
}

static void test_all(struct conf *c);

static const struct echo_way messages = {
	.create = HV_TESTDEV_MESSAGE_CREATE,
	.destroy = HV_TESTDEV_MESSAGE_DESTROY,
	.id = ECHO_MESSAGES,
	.place = "slot",
	.send = send,
	.is_there = is_there,
	.take = take,
	.tests = test_all,
};

static void test_all(struct conf *c)
{
	test_sizes(c);
	test_refused(c);
	test_busy(c);
	test_full(c);
	test_masked(c);
	test_polled(c);
	test_off(c, HV_X64_MSR_SCONTROL, "SCONTROL");
	test_off(c, HV_X64_MSR_SIMP, "SIMP");
	echo_test_auto_eoi(c, &messages);
	echo_test_every_sint(c, &messages);
	test_connections(c);
	test_other_vp(c);
}

void conf_post(struct conf *c)
{
	echo_run(c, &messages);
}
