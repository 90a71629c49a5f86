/* SPDX-License-Identifier: MIT */
/* SynIC: when a message reaches its slot, when an interrupt follows, and what waits. */
#include "tests/unit/suites.h"
#include "hyperv/hv_internal.h"

#include <sched.h>
#include <string.h>

#include "tests/unit/hv_fixture.h"

#define VP     1
#define SINT   2
#define VECTOR 0xf3
#define SIMP   3 /* pages of RAM */
#define SIEFP  4

static struct hv_fixture f;

static void setup(void)
{
	hv_fixture_init(&f, 3);
	hv_write(&f, VP, HV_X64_MSR_SIMP, fake_page_gpa(SIMP) | 1);
	hv_write(&f, VP, HV_X64_MSR_SIEFP, fake_page_gpa(SIEFP) | 1);
	hv_write(&f, VP, HV_X64_MSR_SINT0 + SINT, VECTOR);
	hv_write(&f, VP, HV_X64_MSR_SCONTROL, 1);
}

static void teardown(void)
{
	hv_fixture_fini(&f);
}

static uint16_t post(unsigned n)
{
	struct hv_message m = {.type = 1, .payload_bytes = 3, .origin = 0x77, .flags = 0xff};

	memset(m.payload, n, sizeof(m.payload));
	return hv_synic_post_message(f.p, VP, SINT, &m);
}

static uint64_t irqs(void)
{
	return atomic_load(&f.host.irqs[VP]);
}

START_TEST(free_slot)
{
	struct hv_message *slot = hv_slot(&f, SIMP, SINT);

	ck_assert_uint_eq(post(0xab), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(slot->type, 1);
	ck_assert_uint_eq(slot->payload_bytes, 3);
	ck_assert_uint_eq(slot->flags, 0);
	ck_assert_uint_eq(slot->origin, 0x77);
	ck_assert_mem_eq(slot->payload, "\xab\xab\xab\0", 4);
	ck_assert_uint_eq(irqs(), 1);
	ck_assert_uint_eq(atomic_load(&f.host.last_vector[VP]), VECTOR);
	ck_assert(!atomic_load(&f.host.last_auto_eoi[VP]));
	ck_assert_uint_eq(atomic_load(&f.host.irqs[0]), 0);
	/* The other slots are as they were: zeroed once, by enabling the page. */
	for (unsigned i = 0; i < HV_SYNIC_SINT_COUNT; i++)
		ck_assert_uint_eq(hv_slot(&f, SIMP, i)->type, i == SINT);
}
END_TEST

/* kvm-unit-tests' hyperv_connections has the same sequence. */
START_TEST(busy_slot)
{
	struct hv_message *slot = hv_slot(&f, SIMP, SINT);

	ck_assert_uint_eq(post(1), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(post(2), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(slot->payload[0], 1);
	ck_assert_uint_eq(slot->flags, HV_MESSAGE_PENDING);
	ck_assert_uint_eq(irqs(), 1);
	hv_write(&f, VP, HV_X64_MSR_EOM, 0); /* too early: nothing is free yet */
	ck_assert_uint_eq(slot->payload[0], 1);
	ck_assert_uint_eq(irqs(), 1);

	slot->type = HVMSG_NONE;
	ck_assert_uint_eq(irqs(), 1);
	hv_write(&f, VP, HV_X64_MSR_EOM, UINT64_MAX);
	ck_assert_uint_eq(slot->type, 1);
	ck_assert_uint_eq(slot->payload[0], 2);
	ck_assert_uint_eq(slot->flags, 0);
	ck_assert_uint_eq(irqs(), 2);
	ck_assert_uint_eq(hv_read(&f, VP, HV_X64_MSR_EOM), 0);
}
END_TEST

START_TEST(queue_is_in_order_and_bounded)
{
	struct hv_message *slot = hv_slot(&f, SIMP, SINT);
	unsigned last = HV_SYNIC_QUEUE_MESSAGES;

	for (unsigned round = 0; round < 3; round++) { /* so that the ring wraps */
		for (unsigned i = 0; i <= last; i++)
			ck_assert_uint_eq(post(i), HV_STATUS_SUCCESS);
		ck_assert_uint_eq(post(99), HV_STATUS_INSUFFICIENT_BUFFERS);
		for (unsigned i = 0; i <= last; i++) {
			ck_assert_uint_eq(slot->type, 1);
			ck_assert_uint_eq(slot->payload[0], i);
			/* Set by the failed post for the first, by the queue for the others. */
			ck_assert_uint_eq(slot->flags, i < last ? HV_MESSAGE_PENDING : 0);
			hv_take(&f, VP, slot);
		}
		ck_assert_uint_eq(slot->type, 0);
		ck_assert_uint_eq(irqs(), (round + 1) * (last + 1));
	}
	/* A full queue of one source is no concern of another's. */
	for (unsigned i = 0; i <= last; i++)
		ck_assert_uint_eq(post(i), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(hv_synic_post_message(f.p, VP, 3, &(struct hv_message){.type = 1}),
			  HV_STATUS_SUCCESS);
}
END_TEST

START_TEST(off_takes_nothing)
{
	hv_write(&f, VP, HV_X64_MSR_SCONTROL, 0);
	ck_assert_uint_eq(post(1), HV_STATUS_INVALID_SYNIC_STATE);
	ck_assert_uint_eq(hv_synic_signal_event(f.p, VP, SINT, 1), HV_STATUS_INVALID_SYNIC_STATE);
	hv_write(&f, VP, HV_X64_MSR_SCONTROL, 1);
	hv_write(&f, VP, HV_X64_MSR_SIMP, fake_page_gpa(SIMP));
	ck_assert_uint_eq(post(1), HV_STATUS_INVALID_SYNIC_STATE);
	ck_assert_uint_eq(hv_synic_signal_event(f.p, VP, SINT, 1), HV_STATUS_SUCCESS);
	hv_write(&f, VP, HV_X64_MSR_SIEFP, fake_page_gpa(SIEFP));
	ck_assert_uint_eq(hv_synic_signal_event(f.p, VP, SINT, 2), HV_STATUS_INVALID_SYNIC_STATE);
	ck_assert(fake_ram_pristine(&f.host));
	ck_assert_uint_eq(irqs(), 1);
}
END_TEST

/* What was queued before SynIC went off comes when it is back, also at another page. */
START_TEST(queue_outlives_off)
{
	for (unsigned i = 1; i <= 3; i++)
		ck_assert_uint_eq(post(i), HV_STATUS_SUCCESS);
	hv_write(&f, VP, HV_X64_MSR_SCONTROL, 0);
	hv_slot(&f, SIMP, SINT)->type = HVMSG_NONE;
	hv_write(&f, VP, HV_X64_MSR_EOM, 0);
	ck_assert_uint_eq(irqs(), 1);
	hv_write(&f, VP, HV_X64_MSR_SCONTROL, 1);
	ck_assert_uint_eq(hv_slot(&f, SIMP, SINT)->payload[0], 2);
	ck_assert_uint_eq(irqs(), 2);

	hv_slot(&f, SIMP, SINT)->type = HVMSG_NONE;
	hv_write(&f, VP, HV_X64_MSR_SIMP, 0);
	ck_assert(fake_page_pristine(&f.host, SIMP));
	hv_write(&f, VP, HV_X64_MSR_SIMP, fake_page_gpa(0) | 1);
	ck_assert_uint_eq(hv_slot(&f, 0, SINT)->payload[0], 3);
	ck_assert_uint_eq(irqs(), 3);
}
END_TEST

/* Masked: the message is there, the interrupt is lost. Polled: the same, and that is all right. */
START_TEST(sources_without_interrupt)
{
	uint64_t bit = 1ull << (16 + 2 * _i); /* masked, polling */
	struct hv_message *slot = hv_slot(&f, SIMP, SINT);

	hv_write(&f, VP, HV_X64_MSR_SINT0 + SINT, VECTOR | bit);
	ck_assert_uint_eq(post(1), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(post(2), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(slot->payload[0], 1);
	hv_take(&f, VP, slot);
	ck_assert_uint_eq(slot->payload[0], 2);
	ck_assert_uint_eq(hv_synic_signal_event(f.p, VP, SINT, 5),
			  _i ? HV_STATUS_SUCCESS : HV_STATUS_INVALID_SYNIC_STATE);
	ck_assert_uint_eq(fake_page(&f.host, SIEFP)[SINT * HV_EVENT_FLAGS_BYTES], _i ? 32 : 0);
	ck_assert_uint_eq(irqs(), 0);

	hv_take(&f, VP, slot);
	hv_write(&f, VP, HV_X64_MSR_SINT0 + SINT, VECTOR);
	ck_assert_uint_eq(post(3), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(irqs(), 1);
}
END_TEST

START_TEST(auto_eoi_is_told)
{
	hv_write(&f, VP, HV_X64_MSR_SINT0 + SINT, 0xb3 | HV_SYNIC_SINT_AUTO_EOI);
	ck_assert_uint_eq(post(1), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(atomic_load(&f.host.last_vector[VP]), 0xb3);
	ck_assert(atomic_load(&f.host.last_auto_eoi[VP]));
}
END_TEST

START_TEST(event_flags)
{
	static const uint16_t flag[] = {0, 1, 63, 64, 1000, HV_EVENT_FLAGS_COUNT - 1};
	uint8_t *page = fake_page(&f.host, SIEFP);
	size_t n = sizeof(flag) / sizeof(flag[0]);

	for (size_t i = 0; i < n; i++) {
		uint8_t *byte = page + 15 * HV_EVENT_FLAGS_BYTES + flag[i] / 8;

		hv_write(&f, VP, HV_X64_MSR_SINT0 + 15, 0x40 + i);
		ck_assert_uint_eq(hv_synic_signal_event(f.p, VP, 15, flag[i]), HV_STATUS_SUCCESS);
		ck_assert_uint_eq(*byte >> flag[i] % 8 & 1, 1);
		ck_assert_uint_eq(irqs(), i + 1);
		ck_assert_uint_eq(atomic_load(&f.host.last_vector[VP]), 0x40 + i);
		/* Set already: no second interrupt. */
		ck_assert_uint_eq(hv_synic_signal_event(f.p, VP, 15, flag[i]), HV_STATUS_SUCCESS);
		ck_assert_uint_eq(irqs(), i + 1);
	}
	page[15 * HV_EVENT_FLAGS_BYTES] = 0;
	ck_assert_uint_eq(hv_synic_signal_event(f.p, VP, 15, 0), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(irqs(), n + 1);
}
END_TEST

START_TEST(bare_interrupt)
{
	hv_write(&f, VP, HV_X64_MSR_SINT0 + 3, 0xb3 | HV_SYNIC_SINT_AUTO_EOI);
	ck_assert_uint_eq(hv_synic_raise(f.p, VP, 3), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(irqs(), 1);
	ck_assert_uint_eq(atomic_load(&f.host.last_vector[VP]), 0xb3);
	ck_assert(atomic_load(&f.host.last_auto_eoi[VP]));
	ck_assert_uint_eq(hv_slot(&f, SIMP, 3)->type, HVMSG_NONE);

	hv_write(&f, VP, HV_X64_MSR_SINT0 + 3, 0xb3 | HV_SYNIC_SINT_POLLING);
	ck_assert_uint_eq(hv_synic_raise(f.p, VP, 3), HV_STATUS_SUCCESS);
	hv_write(&f, VP, HV_X64_MSR_SINT0 + 3, 0xb3 | HV_SYNIC_SINT_MASKED);
	ck_assert_uint_eq(hv_synic_raise(f.p, VP, 3), HV_STATUS_INVALID_SYNIC_STATE);
	hv_write(&f, VP, HV_X64_MSR_SINT0 + 3, 0xb3);
	hv_write(&f, VP, HV_X64_MSR_SCONTROL, 0);
	ck_assert_uint_eq(hv_synic_raise(f.p, VP, 3), HV_STATUS_INVALID_SYNIC_STATE);
	ck_assert_uint_eq(hv_synic_raise(f.p, VP, 16), HV_STATUS_INVALID_PARAMETER);
	ck_assert_uint_eq(hv_synic_raise(f.p, UINT32_MAX, 3), HV_STATUS_INVALID_VP_INDEX);
	ck_assert_uint_eq(irqs(), 1);
}
END_TEST

/* Its bit is a reserved one then. */
START_TEST(polling_is_not_offered)
{
	struct hv_config cfg = f.cfg;

	hv_partition_free(f.p);
	cfg.features.on &= ~HV_FEATURE_BIT(HV_FEATURE_SINT_POLLING);
	f.p = hv_partition_new(&cfg, &fake_hv_host_ops, &f.host);
	ck_assert_ptr_nonnull(f.p);
	f.host.p = f.p;
	hv_write(&f, VP, HV_X64_MSR_SINT0 + 3, 0xb3 | HV_SYNIC_SINT_POLLING);
	ck_assert_uint_eq(hv_read(&f, VP, HV_X64_MSR_SINT0 + 3), 0xb3 | HV_SYNIC_SINT_POLLING);
	ck_assert_uint_eq(hv_synic_raise(f.p, VP, 3), HV_STATUS_SUCCESS);
	ck_assert_uint_eq(irqs(), 1);
}
END_TEST

START_TEST(nobody_there)
{
	struct hv_message m = {.type = 1};

	ck_assert_uint_eq(hv_synic_post_message(f.p, 3, SINT, &m), HV_STATUS_INVALID_VP_INDEX);
	ck_assert_uint_eq(hv_synic_post_message(f.p, UINT32_MAX, SINT, &m),
			  HV_STATUS_INVALID_VP_INDEX);
	ck_assert_uint_eq(hv_synic_post_message(f.p, VP, 16, &m), HV_STATUS_INVALID_PARAMETER);
	m.payload_bytes = HV_MESSAGE_PAYLOAD_BYTES + 1;
	ck_assert_uint_eq(hv_synic_post_message(f.p, VP, SINT, &m), HV_STATUS_INVALID_PARAMETER);
	m = (struct hv_message){0};
	ck_assert_uint_eq(hv_synic_post_message(f.p, VP, SINT, &m), HV_STATUS_INVALID_PARAMETER);
	ck_assert_uint_eq(hv_synic_signal_event(f.p, 3, SINT, 0), HV_STATUS_INVALID_VP_INDEX);
	ck_assert_uint_eq(hv_synic_signal_event(f.p, VP, 16, 0), HV_STATUS_INVALID_PARAMETER);
	ck_assert_uint_eq(hv_synic_signal_event(f.p, VP, SINT, HV_EVENT_FLAGS_COUNT),
			  HV_STATUS_INVALID_PARAMETER);
	ck_assert_uint_eq(irqs(), 0);
}
END_TEST

START_TEST(reset_forgets)
{
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(post(i), HV_STATUS_SUCCESS);
	hv_partition_reset(f.p);
	ck_assert(fake_ram_pristine(&f.host));
	hv_write(&f, VP, HV_X64_MSR_SIMP, fake_page_gpa(SIMP) | 1);
	for (unsigned i = 0; i < HV_SYNIC_SINT_COUNT; i++)
		ck_assert_uint_eq(hv_slot(&f, SIMP, i)->type, HVMSG_NONE);
	ck_assert_uint_eq(hv_read(&f, VP, HV_X64_MSR_SINT0 + SINT), HV_SYNIC_SINT_MASKED);
}
END_TEST

/* A VP must not queue behind the others: it hangs here if it wants the partition's lock. */
START_TEST(set_up_without_the_partitions_lock)
{
	struct hv_hypercall_regs r = {.rcx = HVCALL_SIGNAL_EVENT | HV_HYPERCALL_FAST_BIT};

	fake_set_time(&f.host, 10);
	pthread_mutex_lock(&f.p->lock);
	hv_write(&f, 0, HV_X64_MSR_SIMP, fake_page_gpa(0) | 1);
	hv_write(&f, 0, HV_X64_MSR_SIEFP, fake_page_gpa(1) | 1);
	hv_write(&f, 0, HV_X64_MSR_VP_ASSIST_PAGE, fake_page_gpa(2) | 1);
	hv_write(&f, 0, HV_X64_MSR_SINT0 + SINT, VECTOR);
	hv_write(&f, 0, HV_X64_MSR_SCONTROL, 1);
	hv_write(&f, 0, HV_X64_MSR_STIMER0_CONFIG, 2 << HV_STIMER_SINT_SHIFT | 9);
	hv_write(&f, 0, HV_X64_MSR_STIMER0_COUNT, 1);
	hv_write(&f, 0, HV_X64_MSR_EOM, 0);
	hv_read(&f, 0, HV_X64_MSR_TIME_REF_COUNT);
	hv_read(&f, 0, HV_X64_MSR_HYPERCALL);
	ck_assert_uint_eq(post(1), HV_STATUS_SUCCESS);
	ck_assert_int_eq(hv_hypercall(f.p, 0, &r), HV_HYPERCALL_DONE);
	pthread_mutex_unlock(&f.p->lock);
	ck_assert_uint_eq(r.rax, HV_STATUS_INVALID_CONNECTION_ID);
	ck_assert_uint_eq(hv_slot(&f, 0, SINT)->type, HVMSG_TIMER_EXPIRED);
}
END_TEST

#define MESSAGES 500

static void *sender(void *arg)
{
	unsigned *status = arg;

	for (unsigned i = 0; i < MESSAGES; i++) {
		uint16_t s;

		while ((s = post(1)) == HV_STATUS_INSUFFICIENT_BUFFERS)
			sched_yield();
		*status |= s;
		*status |= hv_synic_signal_event(f.p, VP, SINT, i % HV_EVENT_FLAGS_COUNT);
	}
	return NULL;
}

/* Two threads send while the VP's own takes, as a guest does: no message is lost or stuck. */
START_TEST(senders_and_taker)
{
	struct hv_message *slot = hv_slot(&f, SIMP, SINT);
	unsigned status[2] = {0}, taken = 0;
	pthread_t thread[2];

	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, sender, &status[i]), 0);
	while (taken < 2 * MESSAGES) {
		if (__atomic_load_n(&slot->type, __ATOMIC_ACQUIRE) == HVMSG_NONE) {
			sched_yield();
			continue;
		}
		ck_assert_uint_eq(slot->payload[0], 1);
		hv_take(&f, VP, slot);
		taken++;
	}
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
		ck_assert_uint_eq(status[i], HV_STATUS_SUCCESS);
	}
	ck_assert_uint_eq(slot->type, HVMSG_NONE);
	ck_assert_uint_ge(irqs(), 2 * MESSAGES);
}
END_TEST

Suite *hv_synic_suite(void)
{
	Suite *s = suite_create("hv_synic");
	TCase *t = tcase_create("synic");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, free_slot);
	tcase_add_test(t, busy_slot);
	tcase_add_test(t, queue_is_in_order_and_bounded);
	tcase_add_test(t, off_takes_nothing);
	tcase_add_test(t, queue_outlives_off);
	tcase_add_loop_test(t, sources_without_interrupt, 0, 2);
	tcase_add_test(t, auto_eoi_is_told);
	tcase_add_test(t, event_flags);
	tcase_add_test(t, bare_interrupt);
	tcase_add_test(t, polling_is_not_offered);
	tcase_add_test(t, nobody_there);
	tcase_add_test(t, reset_forgets);
	tcase_add_test(t, set_up_without_the_partitions_lock);
	tcase_add_test(t, senders_and_taker);
	suite_add_tcase(s, t);
	return s;
}
