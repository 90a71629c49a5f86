/* SPDX-License-Identifier: MIT */
/* Connections: messages and events that guests send to the host's ports. */
#include "tests/unit/suites.h"
#include "hyperv/hv.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "tests/unit/hv_fixture.h"

#define IN 2

static struct hv_fixture f;
static struct hv_posted_message got;
static _Atomic unsigned events;
static _Atomic uint32_t event_flag;

static void setup(void)
{
	hv_fixture_init(&f, 2);
	got = (struct hv_posted_message){0};
	atomic_store(&events, 0);
}

static void teardown(void)
{
	hv_fixture_fini(&f);
}

/* As the echo port of a test device: the message goes to SINT 2 of VP 0. */
static uint16_t echo(void *ctx, const struct hv_posted_message *m)
{
	struct hv_message out = {.type = m->type, .payload_bytes = m->payload_bytes};

	(void)ctx;
	got = *m;
	memcpy(out.payload, m->payload, m->payload_bytes);
	return hv_synic_post_message(f.p, 0, 2, &out);
}

static uint16_t event(void *ctx, uint32_t vp, uint16_t flag)
{
	(void)ctx;
	(void)vp;
	atomic_fetch_add(&events, 1);
	atomic_store(&event_flag, flag);
	return HV_STATUS_SUCCESS;
}

static const struct hv_port echo_port = {.connection_id = 0x10, .message = echo};
static const struct hv_port event_port = {.connection_id = 0x11, .event = event, .flags = 3};

static uint64_t call(uint64_t control, uint64_t rdx)
{
	struct hv_hypercall_regs r = {.rcx = control, .rdx = rdx};

	ck_assert_int_eq(hv_hypercall(f.p, 1, &r), HV_HYPERCALL_DONE);
	return r.rax;
}

static uint64_t post(uint32_t id, uint32_t type, uint32_t bytes)
{
	struct hv_input_post_message in = {
		.connection_id = id,
		.message_type = type,
		.payload_bytes = bytes,
		.payload = "abc",
	};

	memcpy(fake_page(&f.host, IN), &in, sizeof(in));
	return call(0x5c, fake_page_gpa(IN));
}

static uint64_t signal_fast(uint64_t rdx)
{
	return call(0x5d | HV_HYPERCALL_FAST_BIT, rdx);
}

START_TEST(messages)
{
	ck_assert_int_eq(hv_port_connect(f.p, &echo_port), 0);
	ck_assert_uint_eq(post(0x10, 1, 3), HV_STATUS_INVALID_SYNIC_STATE);
	hv_write(&f, 0, HV_X64_MSR_SIMP, fake_page_gpa(3) | 1);
	ck_assert_uint_eq(post(0x10, 0x7fffffff, 3), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(got.vp, 1);
	ck_assert_uint_eq(got.payload_bytes, 3);
	ck_assert_uint_eq(hv_slot(&f, 3, 2)->type, 0x7fffffff);
	ck_assert_mem_eq(hv_slot(&f, 3, 2)->payload, "abc\0", 4);
	ck_assert_uint_eq(post(0x10, 1, 240), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(got.payload_bytes, 240);
	ck_assert_uint_eq(post(0x10, 1, 241), HV_STATUS_INVALID_PARAMETER);
	ck_assert_uint_eq(post(0x10, 1, UINT32_MAX), HV_STATUS_INVALID_PARAMETER);
	ck_assert_uint_eq(post(0x10, 0, 3), HV_STATUS_INVALID_PARAMETER);
	ck_assert_uint_eq(post(0x10, 0x80000010, 3), HV_STATUS_INVALID_PARAMETER);
	ck_assert_uint_eq(post(0x1234, 1, 3), HV_STATUS_INVALID_CONNECTION_ID);
	ck_assert_uint_eq(post(1 << 24 | 0x10, 1, 3), HV_STATUS_INVALID_CONNECTION_ID);
	ck_assert_uint_eq(post(UINT32_MAX, 1, 3), HV_STATUS_INVALID_CONNECTION_ID);
	ck_assert_uint_eq(signal_fast(0x10), HV_STATUS_INVALID_PORT_ID);
	ck_assert_int_eq(hv_port_disconnect(f.p, &echo_port), 0);
	ck_assert_uint_eq(post(0x10, 1, 3), HV_STATUS_INVALID_CONNECTION_ID);
	ck_assert_int_eq(hv_port_disconnect(f.p, &echo_port), -ENOENT);
	ck_assert_int_eq(hv_port_connect(f.p, &echo_port), 0);
	ck_assert_uint_eq(post(0x10, 1, 3), HV_STATUS_SUCCESS);
}
END_TEST

START_TEST(events_by_flag)
{
	ck_assert_uint_eq(signal_fast(0x1234), HV_STATUS_INVALID_CONNECTION_ID);
	ck_assert_int_eq(hv_port_connect(f.p, &event_port), 0);
	ck_assert_uint_eq(signal_fast(2ull << 32 | 0x11), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(atomic_load(&event_flag), 2);
	ck_assert_uint_eq(signal_fast(3ull << 32 | 0x11), HV_STATUS_INVALID_PARAMETER);
	ck_assert_uint_eq(signal_fast(1ull << 48 | 0x11), HV_STATUS_INVALID_HYPERCALL_INPUT);
	ck_assert_uint_eq(signal_fast(1ull << 24 | 0x11), HV_STATUS_INVALID_HYPERCALL_INPUT);
	memcpy(fake_page(&f.host, IN), &(uint64_t){1ull << 32 | 0x11}, 8);
	ck_assert_uint_eq(call(0x5d, fake_page_gpa(IN)), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(call(0x5d, fake_page_gpa(IN) + 4), HV_STATUS_INVALID_ALIGNMENT);
	ck_assert_uint_eq(atomic_load(&events), 2);
	ck_assert_uint_eq(post(0x11, 1, 3), HV_STATUS_INVALID_PORT_ID);
}
END_TEST

START_TEST(one_of_each_kind)
{
	struct hv_port other = event_port, bad = event_port;

	other.connection_id = echo_port.connection_id;
	ck_assert_int_eq(hv_port_connect(f.p, &echo_port), 0);
	ck_assert_int_eq(hv_port_connect(f.p, &other), 0);
	ck_assert_int_eq(hv_port_connect(f.p, &echo_port), -EEXIST);
	ck_assert_int_eq(hv_port_disconnect(f.p, &event_port), -ENOENT);
	ck_assert_uint_eq(signal_fast(other.connection_id), HV_STATUS_SUCCESS);
	bad.connection_id = 1 << 24;
	ck_assert_int_eq(hv_port_connect(f.p, &bad), -EINVAL);
	bad = event_port;
	bad.message = echo;
	ck_assert_int_eq(hv_port_connect(f.p, &bad), -EINVAL);
	bad = (struct hv_port){0};
	ck_assert_int_eq(hv_port_connect(f.p, &bad), -EINVAL);
	bad = event_port;
	bad.flags = 0;
	ck_assert_int_eq(hv_port_connect(f.p, &bad), -EINVAL);
	bad.flags = HV_EVENT_FLAGS_COUNT + 1;
	ck_assert_int_eq(hv_port_connect(f.p, &bad), -EINVAL);
}
END_TEST

START_TEST(as_many_as_there_can_be)
{
	static struct hv_port port[HV_PORTS_MAX + 1];

	for (unsigned i = 0; i <= HV_PORTS_MAX; i++) {
		port[i] = event_port;
		port[i].connection_id = i * 0x3fff;
		ck_assert_int_eq(hv_port_connect(f.p, &port[i]), i < HV_PORTS_MAX ? 0 : -ENOSPC);
	}
	for (unsigned i = 0; i <= HV_PORTS_MAX; i++)
		ck_assert_uint_eq(signal_fast(port[i].connection_id),
				  i < HV_PORTS_MAX ? HV_STATUS_SUCCESS
						   : HV_STATUS_INVALID_CONNECTION_ID);
	ck_assert_uint_eq(atomic_load(&events), HV_PORTS_MAX);
}
END_TEST

START_TEST(each_connection_is_counted)
{
	struct hv_port_count count[4];

	ck_assert_uint_eq(hv_port_counts(hv_partition_ports(f.p), count, 4), 0);
	ck_assert_int_eq(hv_port_connect(f.p, &echo_port), 0);
	ck_assert_int_eq(hv_port_connect(f.p, &event_port), 0);
	signal_fast(0x11);
	signal_fast(2ull << 32 | 0x11);
	signal_fast(3ull << 32 | 0x11); /* no such flag */
	ck_assert_uint_eq(hv_port_counts(hv_partition_ports(f.p), count, 4), 1);
	ck_assert_uint_eq(count[0].connection_id, 0x11);
	ck_assert(count[0].is_event);
	ck_assert_uint_eq(count[0].calls, 3);
	ck_assert_uint_eq(count[0].failed, 1);
	post(0x10, 1, 3); /* no message page */
	ck_assert_uint_eq(hv_port_counts(hv_partition_ports(f.p), count, 1), 1);
	ck_assert_uint_eq(hv_port_counts(hv_partition_ports(f.p), count, 4), 2);
	ck_assert_uint_eq(count[0].calls + count[1].calls, 4);
	ck_assert_uint_eq(count[0].failed + count[1].failed, 2);
}
END_TEST

static void *connect_and_disconnect(void *arg)
{
	unsigned *errors = arg;

	for (unsigned i = 0; i < 2000; i++) {
		*errors += hv_port_connect(f.p, &event_port) != 0;
		*errors += hv_port_disconnect(f.p, &event_port) != 0;
	}
	return NULL;
}

START_TEST(signals_beside_connects)
{
	unsigned errors = 0, heard = 0;
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, connect_and_disconnect, &errors), 0);
	for (unsigned i = 0; i < 5000; i++) {
		uint64_t status = signal_fast(0x11);

		heard += status == HV_STATUS_SUCCESS;
		ck_assert(status == HV_STATUS_SUCCESS || status == HV_STATUS_INVALID_CONNECTION_ID);
	}
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_eq(errors, 0);
	ck_assert_uint_eq(atomic_load(&events), heard);
}
END_TEST

Suite *hv_port_suite(void)
{
	Suite *s = suite_create("hv_port");
	TCase *t = tcase_create("port");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, messages);
	tcase_add_test(t, events_by_flag);
	tcase_add_test(t, one_of_each_kind);
	tcase_add_test(t, as_many_as_there_can_be);
	tcase_add_test(t, each_connection_is_counted);
	tcase_add_test(t, signals_beside_connects);
	suite_add_tcase(s, t);
	return s;
}
