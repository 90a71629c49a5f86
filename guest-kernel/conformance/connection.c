/* SPDX-License-Identifier: MIT */
/* Body "connection": PostMessage and SignalEvent, as far as a guest without a peer can see. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/string.h"

#define CONNECTION_NONE 0x00123456u

static struct hv_input_post_message *message(struct conf *c)
{
	struct hv_input_post_message *m = (void *)c->page[0];

	memset(m, 0, sizeof(*m));
	m->connection_id = CONNECTION_NONE;
	m->message_type = 1;
	m->payload_bytes = HV_MESSAGE_PAYLOAD_BYTES;
	return m;
}

/* Some look at the connection first, and there is none; QEMU has another status for both. */
static void check_refused(struct conf *c, const struct hv_input_post_message *m, const char *what)
{
	uint64_t r = conf_call_memory(c, HVCALL_POST_MESSAGE, m, NULL);

	if (r == HV_STATUS_INVALID_HYPERCALL_INPUT)
		conf_ok(c, true, "PostMessage %s", what);
	else
		conf_one_of(c, r, HV_STATUS_INVALID_PARAMETER, HV_STATUS_INVALID_CONNECTION_ID,
			    "PostMessage %s", what);
}

static void test_post(struct conf *c)
{
	struct hv_input_post_message *m = message(c);

	conf_equal(c, conf_call_memory(c, HVCALL_POST_MESSAGE, m, NULL),
		   HV_STATUS_INVALID_CONNECTION_ID, "PostMessage to no connection");
	m->message_type = HVMSG_NONE;
	check_refused(c, m, "of type 0");
	m = message(c);
	m->message_type = HVMSG_TIMER_EXPIRED;
	check_refused(c, m, "of a type that is the hypervisor's");
	m = message(c);
	m->payload_bytes = HV_MESSAGE_PAYLOAD_BYTES + 1;
	check_refused(c, m, "of 241 bytes");
	m = message(c);
	m->payload_bytes = UINT32_MAX;
	check_refused(c, m, "of 2^32 - 1 bytes");
	m = message(c);
	m->connection_id = UINT32_MAX;
	check_refused(c, m, "to a connection id of more than 24 bits");
}

static uint64_t signal(struct conf *c, uint64_t input)
{
	return conf_call(c, CONF_FAST(HVCALL_SIGNAL_EVENT), input, 0);
}

static void test_signal(struct conf *c)
{
	uint64_t r;

	conf_equal(c, signal(c, CONNECTION_NONE), HV_STATUS_INVALID_CONNECTION_ID,
		   "SignalEvent to no connection");
	r = signal(c, CONNECTION_NONE | 7ull << 32);
	conf_one_of(c, r, HV_STATUS_INVALID_CONNECTION_ID, HV_STATUS_INVALID_PORT_ID,
		    "SignalEvent to no connection, flag 7");
	r = signal(c, 0xff000000u | CONNECTION_NONE);
	conf_one_of(c, r, HV_STATUS_INVALID_HYPERCALL_INPUT, HV_STATUS_INVALID_CONNECTION_ID,
		    "SignalEvent to a connection id of more than 24 bits: refused");
	r = signal(c, 1ull << 48 | CONNECTION_NONE);
	conf_one_of(c, r, HV_STATUS_INVALID_HYPERCALL_INPUT, HV_STATUS_INVALID_CONNECTION_ID,
		    "SignalEvent with a reserved bit: refused");
}

void conf_connection(struct conf *c)
{
	test_post(c);
	test_signal(c);
}
