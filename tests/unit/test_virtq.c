/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/virtio/queue.c: what a chain may be, and what breaks a queue. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "tests/unit/virtio_driver.h"

#define SIZE 8u

static struct driver d;
static struct virtq q;
static struct virtq_chain c;

static void setup(void)
{
	driver_init(&d);
	memset(&q, 0, sizeof(q));
	driver_program(&d, &q, 0, SIZE);
	ck_assert_int_eq(virtq_start(&q, &d.mem, VIRTQ_SIZE_MAX, false), 0);
}

static int pop(void)
{
	return virtq_pop(&q, &d.mem, &c);
}

static void refused(void)
{
	q.ready = false;
	ck_assert_int_eq(virtq_start(&q, &d.mem, VIRTQ_SIZE_MAX, false), -EINVAL);
	ck_assert(!q.ready);
}

START_TEST(start_refuses_sizes)
{
	static const uint32_t sizes[] = {0, 3, 6, 257, 512, 65536, UINT32_MAX};

	q.size = sizes[_i];
	refused();
}
END_TEST

START_TEST(start_takes_powers_of_two)
{
	for (q.size = 1; q.size <= VIRTQ_SIZE_MAX; q.size *= 2)
		ck_assert_int_eq(virtq_start(&q, &d.mem, VIRTQ_SIZE_MAX, false), 0);
}
END_TEST

START_TEST(start_refuses_misaligned_rings)
{
	uint64_t *const ring[] = {&q.desc_gpa, &q.avail_gpa, &q.used_gpa};

	*ring[_i] += 1;
	refused();
}
END_TEST

START_TEST(start_refuses_rings_outside_ram)
{
	uint64_t *const ring[] = {&q.desc_gpa, &q.avail_gpa, &q.used_gpa};
	static const uint64_t wild[] = {0, DRIVER_RAM_BASE + DRIVER_RAM_BYTES - 16, UINT64_MAX - 15,
					0x8000000000000000ull};

	*ring[_i / 4] = wild[_i % 4];
	refused();
}
END_TEST

/* The last ring ends with the last byte of RAM: the entry behind `ring` is part of it. */
START_TEST(start_counts_the_event_index)
{
	q.used_gpa = DRIVER_RAM_BASE + DRIVER_RAM_BYTES - (4 + 8 * SIZE + 2) - 2;
	ck_assert_int_eq(virtq_start(&q, &d.mem, VIRTQ_SIZE_MAX, false), 0);
	q.used_gpa += 4;
	refused();
}
END_TEST

START_TEST(empty_queue_has_nothing)
{
	ck_assert_int_eq(pop(), 0);
	q.ready = false;
	driver_offer(&d, 0, 0);
	ck_assert_int_eq(pop(), 0);
}
END_TEST

START_TEST(chain_of_both_directions)
{
	const struct driver_buf bufs[] = {{DRIVER_DATA, 16, false},
					  {DRIVER_DATA + 64, 100, false},
					  {DRIVER_DATA + 512, 7, true},
					  {0, 0, false}};
	uint8_t back[8] = {0};

	memcpy(driver_ptr(&d, DRIVER_DATA + 12), "abcd", 4);
	memcpy(driver_ptr(&d, DRIVER_DATA + 64), "efgh", 4);
	driver_request(&d, 0, 2, bufs);
	ck_assert_int_eq(pop(), 1);
	ck_assert_uint_eq(c.head, 2);
	ck_assert_uint_eq(c.readable, 2);
	ck_assert_uint_eq(c.writable, 1);
	ck_assert_uint_eq(c.readable_bytes, 116);
	ck_assert_uint_eq(c.writable_bytes, 7);
	ck_assert_uint_eq(virtq_read(&c, 12, back, 8), 8);
	ck_assert_mem_eq(back, "abcdefgh", 8);
	ck_assert_uint_eq(virtq_read(&c, 115, back, 8), 1);
	ck_assert_uint_eq(virtq_read(&c, 116, back, 8), 0);
	ck_assert_uint_eq(virtq_write(&c, 5, "xyz", 3), 2);
	ck_assert_mem_eq(driver_ptr(&d, DRIVER_DATA + 512), "\0\0\0\0\0xy\0", 8);
	ck_assert_int_eq(pop(), 0);
}
END_TEST

START_TEST(push_fills_the_used_ring)
{
	const struct driver_buf buf[] = {{DRIVER_DATA, 4, true}, {0, 0, false}};

	for (unsigned i = 0; i < 3 * SIZE; i++) {
		driver_request(&d, 0, i % SIZE, buf);
		ck_assert_int_eq(pop(), 1);
		virtq_push(&q, c.head, i);
		ck_assert_uint_eq(driver_used(&d, 0)->idx, i + 1);
		ck_assert_uint_eq(driver_used(&d, 0)->ring[i % SIZE].id, i % SIZE);
		ck_assert_uint_eq(driver_used(&d, 0)->ring[i % SIZE].len, i);
	}
}
END_TEST

START_TEST(indices_wrap)
{
	const struct driver_buf buf[] = {{DRIVER_DATA, 4, true}, {0, 0, false}};

	q.avail_next = q.used_next = q.used_signalled = UINT16_MAX;
	driver_avail(&d, 0)->idx = driver_used(&d, 0)->idx = UINT16_MAX;
	driver_request(&d, 0, 1, buf);
	ck_assert_int_eq(pop(), 1);
	virtq_push(&q, c.head, 4);
	ck_assert_uint_eq(driver_used(&d, 0)->idx, 0);
	ck_assert(virtq_wants_interrupt(&q));
}
END_TEST

static void breaks(void)
{
	ck_assert_int_eq(pop(), -EPROTO);
	ck_assert(q.broken);
	driver_avail(&d, 0)->idx = q.avail_next; /* and stays broken */
	ck_assert_int_eq(pop(), -EPROTO);
	ck_assert(!virtq_rearm(&q));
}

START_TEST(index_too_far_ahead_breaks)
{
	driver_avail(&d, 0)->idx = SIZE + 1;
	breaks();
}
END_TEST

START_TEST(head_past_the_table_breaks)
{
	driver_offer(&d, 0, SIZE);
	breaks();
}
END_TEST

START_TEST(next_past_the_table_breaks)
{
	driver_set_desc(&d, 0, 0, driver_gpa(DRIVER_DATA), 4, VIRTQ_DESC_F_NEXT, SIZE);
	driver_offer(&d, 0, 0);
	breaks();
}
END_TEST

START_TEST(loop_breaks)
{
	driver_set_desc(&d, 0, 0, driver_gpa(DRIVER_DATA), 4, VIRTQ_DESC_F_NEXT, 1);
	driver_set_desc(&d, 0, 1, driver_gpa(DRIVER_DATA), 4, VIRTQ_DESC_F_NEXT, 0);
	driver_offer(&d, 0, 0);
	breaks();
}
END_TEST

START_TEST(wild_buffers_break)
{
	static const struct {
		uint64_t addr;
		uint32_t len;
	} wild[] = {
		{0, 1},
		{UINT64_MAX, 1},
		{DRIVER_RAM_BASE, 0},
		{DRIVER_RAM_BASE, DRIVER_RAM_BYTES + 1},
		{DRIVER_RAM_BASE + 1, DRIVER_RAM_BYTES},
		{DRIVER_RAM_BASE + DRIVER_RAM_BYTES, 1},
		{DRIVER_RAM_BASE, UINT32_MAX},
		{UINT64_MAX - 10, 100},
	};

	driver_set_desc(&d, 0, 0, wild[_i].addr, wild[_i].len, 0, 0);
	driver_offer(&d, 0, 0);
	breaks();
}
END_TEST

START_TEST(readable_behind_writable_breaks)
{
	const struct driver_buf bufs[] = {{DRIVER_DATA, 4, true},
					  {DRIVER_DATA, 4, false},
					  {0, 0, false}};

	driver_request(&d, 0, 0, bufs);
	breaks();
}
END_TEST

static void indirect(uint32_t offset, uint32_t len, uint16_t flags)
{
	driver_set_desc(&d, 0, 0, driver_gpa(offset), len, VIRTQ_DESC_F_INDIRECT | flags, 1);
	driver_offer(&d, 0, 0);
}

/* At an odd address too: nothing says where an indirect table must stand. */
START_TEST(indirect_table)
{
	struct virtq_desc table[20];

	for (unsigned i = 0; i < 20; i++)
		table[i] = (struct virtq_desc){driver_gpa(DRIVER_DATA + 4 * i), 4,
					       i < 19 ? VIRTQ_DESC_F_NEXT : 0, (uint16_t)(i + 1)};
	memcpy(driver_ptr(&d, DRIVER_DATA + 4096 + _i), table, sizeof(table));
	indirect(DRIVER_DATA + 4096 + _i, sizeof(table), 0);
	ck_assert_int_eq(pop(), 1);
	ck_assert_uint_eq(c.readable, 20);
	ck_assert_uint_eq(c.readable_bytes, 80);
}
END_TEST

START_TEST(indirect_in_indirect_breaks)
{
	struct virtq_desc *table = driver_ptr(&d, DRIVER_DATA);

	table[0] = (struct virtq_desc){driver_gpa(DRIVER_DATA), 32, VIRTQ_DESC_F_INDIRECT, 0};
	indirect(DRIVER_DATA, 32, 0);
	breaks();
}
END_TEST

START_TEST(indirect_with_next_breaks)
{
	indirect(DRIVER_DATA, 32, VIRTQ_DESC_F_NEXT);
	breaks();
}
END_TEST

START_TEST(indirect_of_odd_size_breaks)
{
	static const uint32_t sizes[] = {0, 1, 15, 17, DRIVER_RAM_BYTES};

	indirect(DRIVER_DATA, sizes[_i], 0);
	breaks();
}
END_TEST

/* 2.7.5.3.1: never longer than the queue can be, whatever the table holds. */
START_TEST(indirect_chain_too_long_breaks)
{
	struct virtq_desc *table = driver_ptr(&d, DRIVER_DATA);
	unsigned count = VIRTQ_SIZE_MAX + _i;

	for (unsigned i = 0; i < count; i++)
		table[i] =
			(struct virtq_desc){driver_gpa(0), 1, i + 1 < count ? VIRTQ_DESC_F_NEXT : 0,
					    (uint16_t)(i + 1)};
	indirect(DRIVER_DATA, count * 16, 0);
	if (_i == 0)
		ck_assert_int_eq(pop(), 1);
	else
		breaks();
}
END_TEST

START_TEST(interrupt_by_flag)
{
	const struct driver_buf buf[] = {{DRIVER_DATA, 4, true}, {0, 0, false}};

	ck_assert(!virtq_wants_interrupt(&q));
	for (unsigned i = 0; i < 2; i++) {
		driver_avail(&d, 0)->flags = i ? VIRTQ_AVAIL_F_NO_INTERRUPT : 0;
		driver_request(&d, 0, 0, buf);
		ck_assert_int_eq(pop(), 1);
		virtq_push(&q, c.head, 0);
		ck_assert(virtq_wants_interrupt(&q) == (i == 0));
		ck_assert(!virtq_wants_interrupt(&q));
	}
}
END_TEST

START_TEST(interrupt_by_event_index)
{
	const struct driver_buf buf[] = {{DRIVER_DATA, 4, true}, {0, 0, false}};

	ck_assert_int_eq(virtq_start(&q, &d.mem, VIRTQ_SIZE_MAX, true), 0);
	driver_avail(&d, 0)->flags = VIRTQ_AVAIL_F_NO_INTERRUPT; /* does not count any more */
	driver_avail(&d, 0)->ring[SIZE] = 1;                     /* used_event */
	for (unsigned i = 0; i < 3; i++) {
		driver_request(&d, 0, 0, buf);
		ck_assert_int_eq(pop(), 1);
		virtq_push(&q, c.head, 0);
		ck_assert(virtq_wants_interrupt(&q) == (i == 1));
	}
}
END_TEST

START_TEST(rearm_tells_of_what_came_meanwhile)
{
	const uint16_t *avail_event = (const uint16_t *)&driver_used(&d, 0)->ring[SIZE];
	const struct driver_buf buf[] = {{DRIVER_DATA, 4, true}, {0, 0, false}};

	ck_assert_int_eq(virtq_start(&q, &d.mem, VIRTQ_SIZE_MAX, true), 0);
	driver_request(&d, 0, 0, buf);
	ck_assert_int_eq(pop(), 1);
	ck_assert(!virtq_rearm(&q));
	ck_assert_uint_eq(*avail_event, 1);
	driver_offer(&d, 0, 0);
	ck_assert(virtq_rearm(&q));
}
END_TEST

Suite *virtq_suite(void)
{
	Suite *s = suite_create("virtq");
	TCase *t = tcase_create("virtq");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_loop_test(t, start_refuses_sizes, 0, 7);
	tcase_add_test(t, start_takes_powers_of_two);
	tcase_add_loop_test(t, start_refuses_misaligned_rings, 0, 3);
	tcase_add_loop_test(t, start_refuses_rings_outside_ram, 0, 12);
	tcase_add_test(t, start_counts_the_event_index);
	tcase_add_test(t, empty_queue_has_nothing);
	tcase_add_test(t, chain_of_both_directions);
	tcase_add_test(t, push_fills_the_used_ring);
	tcase_add_test(t, indices_wrap);
	tcase_add_test(t, index_too_far_ahead_breaks);
	tcase_add_test(t, head_past_the_table_breaks);
	tcase_add_test(t, next_past_the_table_breaks);
	tcase_add_test(t, loop_breaks);
	tcase_add_loop_test(t, wild_buffers_break, 0, 8);
	tcase_add_test(t, readable_behind_writable_breaks);
	tcase_add_loop_test(t, indirect_table, 0, 2);
	tcase_add_test(t, indirect_in_indirect_breaks);
	tcase_add_test(t, indirect_with_next_breaks);
	tcase_add_loop_test(t, indirect_of_odd_size_breaks, 0, 5);
	tcase_add_loop_test(t, indirect_chain_too_long_breaks, 0, 2);
	tcase_add_test(t, interrupt_by_flag);
	tcase_add_test(t, interrupt_by_event_index);
	tcase_add_test(t, rearm_tells_of_what_came_meanwhile);
	suite_add_tcase(s, t);
	return s;
}
