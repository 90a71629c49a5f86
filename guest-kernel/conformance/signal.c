/* SPDX-License-Identifier: MIT */
/*
 * Body "signal": events to a port of the host, which sets event flags in return. A host may do so
 * after the call has returned.
 */
#include "guest-kernel/conformance/echo.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/string.h"

#define ID        ECHO_EVENTS
#define WAIT_US   1000000
#define BOTH_FLAG 20 /* from each VP */
#define FLAGS_ID  0x20u

static volatile uint64_t *word_of(uint8_t *page, unsigned sint, uint32_t flag)
{
	return (volatile uint64_t *)(page + sint * HV_EVENT_FLAGS_BYTES) + flag / 64;
}

static bool is_set(uint8_t *page, unsigned sint, uint32_t flag)
{
	return __atomic_load_n(word_of(page, sint, flag), __ATOMIC_ACQUIRE) >> flag % 64 & 1;
}

/* How many flags of all SINTs are set. */
static uint32_t flags_set(const uint8_t *page)
{
	const volatile uint64_t *word = (const volatile uint64_t *)page;
	uint32_t i, count = 0;
	uint64_t w;

	for (i = 0; i < HV_HYP_PAGE_SIZE / sizeof(*word); i++) {
		for (w = word[i]; w; w &= w - 1)
			count++;
	}
	return count;
}

static bool wait_set(uint8_t *page, unsigned sint, uint32_t flag)
{
	uint64_t start = cpu_rdtsc(), patience = conf_tsc_of_us(WAIT_US);

	while (!is_set(page, sint, flag)) {
		if (cpu_rdtsc() - start > patience)
			return false;
		cpu_pause();
	}
	return true;
}

static void clear_all(struct conf *c)
{
	memset(c->page[1], 0, HV_HYP_PAGE_SIZE);
	conf_irqs_clear(c);
}

/* The boot VP's page holds this flag of the SINT and no other. */
static bool only(struct conf *c, unsigned sint, uint32_t flag)
{
	return wait_set(c->page[1], sint, flag) && flags_set(c->page[1]) == 1;
}

static void test_once(struct conf *c)
{
	struct hv_input_signal_event *in = (void *)c->page[4];

	clear_all(c);
	conf_equal(c, echo_signal(c, ID, 0), HV_STATUS_SUCCESS, "fast: success");
	conf_ok(c, only(c, ECHO_SINT, ID), "fast: its flag is set, and no other");
	conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1, "fast: one interrupt");
	conf_equal(c, synic_slot(c, ECHO_SINT)->type, HVMSG_NONE, "fast: no message");
	clear_all(c);
	*in = (struct hv_input_signal_event){.connection_id = ID};
	conf_equal(c, conf_call_memory(c, HVCALL_SIGNAL_EVENT, in, NULL), HV_STATUS_SUCCESS,
		   "from memory: success");
	conf_ok(c, only(c, ECHO_SINT, ID), "from memory: its flag is set, and no other");
	conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1, "from memory: one interrupt");
}

static void test_again(struct conf *c)
{
	clear_all(c);
	echo_signal(c, ID, 0);
	conf_irqs_wait(c, 0, 0, 1);
	conf_equal(c, echo_signal(c, ID, 0), HV_STATUS_SUCCESS, "flag set already: success");
	conf_delay_us(ECHO_QUIET_US);
	conf_equal(c, conf_irqs(c, 0, 0), 1, "flag set already: no second interrupt");
	conf_ok(c, only(c, ECHO_SINT, ID), "flag set already: it stays set");
	*word_of(c->page[1], ECHO_SINT, ID) = 0;
	echo_signal(c, ID, 0);
	conf_equal(c, conf_irqs_wait(c, 0, 0, 2), 2, "flag cleared: the next interrupt");
	conf_ok(c, only(c, ECHO_SINT, ID), "flag cleared: it is set again");
}

/* A connection's flag has its id's number. */
static void test_flags(struct conf *c)
{
	static const uint8_t flags[] = {0, 1, 31, 32, 63, 64, 127, 255};
	size_t i;

	for (i = 0; i < sizeof(flags); i++) {
		echo_command(HV_TESTDEV_EVENT_CREATE, 0, ECHO_SINT, flags[i]);
		clear_all(c);
		echo_signal(c, flags[i], 0);
		conf_ok(c, only(c, ECHO_SINT, flags[i]) && conf_irqs_wait(c, 0, 0, 1) == 1,
			"flag %u: its bit, one interrupt", flags[i]);
		echo_command(HV_TESTDEV_EVENT_DESTROY, 0, ECHO_SINT, flags[i]);
	}
}

/* A port that has all flags, and gives back the one that was signalled. */
static void test_flag_numbers(struct conf *c)
{
	static const uint16_t flags[] = {0, 1, 63, 64, 2046, 2047};
	size_t i;

	echo_command(HV_TESTDEV_FLAGS_CREATE, 0, ECHO_SINT, FLAGS_ID);
	if (echo_signal(c, FLAGS_ID, 1) == HV_STATUS_INVALID_CONNECTION_ID) {
		conf_skip(c, "the host's test device has no such port", "flags of one port");
		return;
	}
	wait_set(c->page[1], ECHO_SINT, 1);
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		conf_irqs_wait(c, 0, 0, 1);
		clear_all(c);
		conf_equal(c, echo_signal(c, FLAGS_ID, flags[i]), HV_STATUS_SUCCESS,
			   "flag %u of 2048: success", flags[i]);
		conf_ok(c, only(c, ECHO_SINT, flags[i]), "flag %u of 2048: its bit", flags[i]);
	}
	conf_irqs_wait(c, 0, 0, 1);
	clear_all(c);
	conf_equal(c, echo_signal(c, FLAGS_ID, HV_EVENT_FLAGS_COUNT), HV_STATUS_INVALID_PARAMETER,
		   "flag 2048 of 2048: refused");
	conf_equal(c, echo_signal(c, FLAGS_ID, UINT16_MAX), HV_STATUS_INVALID_PARAMETER,
		   "flag 65535 of 2048: refused");
	conf_delay_us(ECHO_QUIET_US);
	conf_equal(c, flags_set(c->page[1]), 0, "flags out of range set nothing");
	echo_command(HV_TESTDEV_FLAGS_DESTROY, 0, ECHO_SINT, FLAGS_ID);
}

static void test_refused(struct conf *c)
{
	uint64_t r;

	clear_all(c);
	r = echo_signal(c, ID, 1);
	conf_one_of(c, r, HV_STATUS_INVALID_PARAMETER, HV_STATUS_INVALID_PORT_ID,
		    "flag 1 of 1: refused");
	r = echo_signal(c, 1u << 24 | ID, 0);
	conf_one_of(c, r, HV_STATUS_INVALID_HYPERCALL_INPUT, HV_STATUS_INVALID_CONNECTION_ID,
		    "a connection id of more than 24 bits: refused");
	r = conf_call(c, CONF_FAST(HVCALL_SIGNAL_EVENT), ID | 1ull << 48, 0);
	conf_equal(c, r, HV_STATUS_INVALID_HYPERCALL_INPUT, "a reserved bit: refused");
	echo_command(HV_TESTDEV_MESSAGE_CREATE, 0, ECHO_SINT, ECHO_MESSAGES);
	r = echo_signal(c, ECHO_MESSAGES, 0);
	conf_one_of(c, r, HV_STATUS_INVALID_PORT_ID, HV_STATUS_INVALID_CONNECTION_ID,
		    "to a connection for messages: refused");
	echo_command(HV_TESTDEV_MESSAGE_DESTROY, 0, ECHO_SINT, ECHO_MESSAGES);
	conf_delay_us(ECHO_QUIET_US);
	conf_ok(c, flags_set(c->page[1]) == 0 && conf_irqs(c, 0, 0) == 0,
		"what was refused sets and raises nothing");
}

/* A host that answers before it has looked says that it succeeded, and may then take its time. */
static void stay_quiet(uint64_t status)
{
	conf_delay_us(status == HV_STATUS_SUCCESS ? 10 * ECHO_QUIET_US : ECHO_QUIET_US);
}

static void test_masked(struct conf *c)
{
	uint64_t r;

	clear_all(c);
	conf_write(c, HV_X64_MSR_SINT0 + ECHO_SINT, CONF_VECTOR | HV_SYNIC_SINT_MASKED);
	r = echo_signal(c, ID, 0);
	conf_one_of(c, r, HV_STATUS_INVALID_SYNIC_STATE, HV_STATUS_SUCCESS,
		    "masked SINT: refused, or taken");
	stay_quiet(r);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "masked SINT: no interrupt");
	conf_note(c, "masked SINT: the flag is %sset", flags_set(c->page[1]) ? "" : "not ");
	synic_sint(c, ECHO_SINT, 0, 0);
}

static void test_polled(struct conf *c)
{
	if (!conf_has_edx(c, HV_FEATURE_SINT_POLLING_AVAILABLE)) {
		conf_skip(c, "not offered", "polled SINT");
		return;
	}
	clear_all(c);
	synic_sint(c, ECHO_SINT, 0, HV_SYNIC_SINT_POLLING);
	echo_signal(c, ID, 0);
	conf_ok(c, only(c, ECHO_SINT, ID), "polled SINT: the flag is set");
	conf_delay_us(ECHO_QUIET_US);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "polled SINT: no interrupt");
	synic_sint(c, ECHO_SINT, 0, 0);
}

static void test_off(struct conf *c, uint32_t msr, const char *name)
{
	uint64_t on = conf_read(c, msr), r;

	clear_all(c);
	conf_write(c, msr, 0);
	r = echo_signal(c, ID, 0);
	conf_one_of(c, r, HV_STATUS_INVALID_SYNIC_STATE, HV_STATUS_SUCCESS,
		    "%s off: refused, or taken", name);
	stay_quiet(r);
	conf_equal(c, conf_irqs(c, 0, 0), 0, "%s off: no interrupt", name);
	conf_write(c, msr, on);
	conf_equal(c, flags_set(c->page[1]), 0, "%s off: no flag is set", name);
	echo_signal(c, ID, 0);
	conf_ok(c, only(c, ECHO_SINT, ID) && conf_irqs_wait(c, 0, 0, 1) == 1,
		"%s on again: flag and interrupt", name);
}

static void test_gone(struct conf *c)
{
	uint64_t r;

	echo_command(HV_TESTDEV_EVENT_DESTROY, 0, ECHO_SINT, ID);
	r = echo_signal(c, ID, 0);
	conf_equal(c, r, HV_STATUS_INVALID_CONNECTION_ID, "to a connection that is gone");
	echo_command(HV_TESTDEV_EVENT_CREATE, 0, ECHO_SINT, ID);
	clear_all(c);
	conf_equal(c, echo_signal(c, ID, 0), HV_STATUS_SUCCESS, "to a connection that is back");
	conf_ok(c, only(c, ECHO_SINT, ID), "to a connection that is back: its flag");
}

/* Connections first + 0, 2, 4... are the boot VP's, the others VP 1's. */
struct signaller {
	struct conf *c;
	uint32_t first, failed;
};

static void signal_all(struct signaller *s)
{
	uint32_t i;

	for (i = 0; i < BOTH_FLAG; i++)
		s->failed += echo_signal(s->c, s->first + 2 * i, 0) != HV_STATUS_SUCCESS;
}

static void signal_all_there(void *arg)
{
	signal_all(arg);
}

static void test_both_at_once(struct conf *c)
{
	struct signaller here = {c, 0x80, 0}, there = {c, 0x81, 0};
	uint32_t i, set = 0;

	for (i = 0; i < 2 * BOTH_FLAG; i++)
		echo_command(HV_TESTDEV_EVENT_CREATE, 0, ECHO_SINT, 0x80 + i);
	clear_all(c);
	conf_begin_on_vp(c, 1, signal_all_there, &there);
	signal_all(&here);
	if (!conf_end_on_vp(c, 1))
		return;
	for (i = 0; i < 2 * BOTH_FLAG; i++)
		set += wait_set(c->page[1], ECHO_SINT, 0x80 + i);
	conf_equal(c, here.failed + there.failed, 0, "both VPs at once: success");
	conf_equal(c, set, 2 * BOTH_FLAG, "both VPs at once: no flag is lost");
	conf_ok(c, conf_irqs_wait(c, 0, 0, 1) >= 1, "both VPs at once: interrupts come");
	for (i = 0; i < 2 * BOTH_FLAG; i++)
		echo_command(HV_TESTDEV_EVENT_DESTROY, 0, ECHO_SINT, 0x80 + i);
}

static void test_other_vp(struct conf *c)
{
	struct echo_far f;

	if (kernel.vp_table.count < 2) {
		conf_skip(c, "one VP only", "events to and from VP 1");
		return;
	}
	test_both_at_once(c);
	if (!echo_far_open(c, &f))
		return;
	clear_all(c);
	echo_command(HV_TESTDEV_EVENT_CREATE, 1, ECHO_SINT, ID + 1);
	conf_equal(c, echo_signal(c, ID + 1, 0), HV_STATUS_SUCCESS, "to VP 1: success");
	conf_ok(c, wait_set(c->page[3], ECHO_SINT, ID + 1) && flags_set(c->page[3]) == 1,
		"to VP 1: its flag in VP 1's page, and no other");
	conf_equal(c, conf_irqs_wait(c, 1, 0, 1), 1, "to VP 1: one interrupt there");
	conf_equal(c, conf_irqs(c, 0, 0), 0, "to VP 1: none on the boot VP");
	conf_equal(c, flags_set(c->page[1]), 0, "to VP 1: no flag in the boot VP's page");
	echo_command(HV_TESTDEV_EVENT_DESTROY, 1, ECHO_SINT, ID + 1);
	echo_far_close(c, &f);
}

/* What the host raises without message and event. */
static void test_raise(struct conf *c)
{
	clear_all(c);
	echo_command(HV_TESTDEV_ROUTE_CREATE, 0, ECHO_SINT, 0);
	echo_command(HV_TESTDEV_ROUTE_RAISE, 0, ECHO_SINT, 0);
	conf_equal(c, conf_irqs_wait(c, 0, 0, 1), 1, "a SINT that the host raises: one interrupt");
	conf_ok(c, flags_set(c->page[1]) == 0 && synic_slot(c, ECHO_SINT)->type == HVMSG_NONE,
		"a SINT that the host raises: neither flag nor message");
	echo_command(HV_TESTDEV_ROUTE_DESTROY, 0, ECHO_SINT, 0);
}

static void send(struct conf *c, uint32_t id)
{
	echo_signal(c, id, 0);
}

static void take(struct conf *c, unsigned sint, uint32_t id)
{
	*word_of(c->page[1], sint, id) = 0;
}

static void test_all(struct conf *c);

static const struct echo_way events = {
	.create = HV_TESTDEV_EVENT_CREATE,
	.destroy = HV_TESTDEV_EVENT_DESTROY,
	.id = ID,
	.place = "flags",
	.send = send,
	.is_there = only,
	.take = take,
	.tests = test_all,
};

static void test_all(struct conf *c)
{
	test_once(c);
	test_again(c);
	test_flags(c);
	test_flag_numbers(c);
	test_refused(c);
	clear_all(c);
	echo_test_every_sint(c, &events);
	test_masked(c);
	test_polled(c);
	test_off(c, HV_X64_MSR_SCONTROL, "SCONTROL");
	test_off(c, HV_X64_MSR_SIEFP, "SIEFP");
	clear_all(c);
	echo_test_auto_eoi(c, &events);
	test_gone(c);
	test_raise(c);
	test_other_vp(c);
	memset(c->page[1], 0, HV_HYP_PAGE_SIZE);
}

void conf_signal(struct conf *c)
{
	echo_run(c, &events);
}
