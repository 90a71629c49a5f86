/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/pc_testdev.c. */
#include <check.h>

#include "tests/unit/suites.h"
#include "devices/pc_testdev.h"

static struct pc_testdev dev;
static unsigned changes, line;
static bool level;

static void on_irq(void *ctx, unsigned l, bool high)
{
	ck_assert_ptr_eq(ctx, &changes);
	changes++;
	line = l;
	level = high;
}

static void setup(void)
{
	changes = 0;
	pc_testdev_init(&dev, &(struct pc_testdev_env){.irq = on_irq, .ctx = &changes});
}

START_TEST(starts_with_zeroes)
{
	ck_assert_uint_eq(pc_testdev_latch_read(&dev, 0), 0);
	ck_assert_uint_eq(pc_testdev_memory_read(&dev, PC_TESTDEV_MEMORY_BYTES - 1), 0);
	ck_assert_uint_eq(changes, 0);
}
END_TEST

START_TEST(latch_bytes_are_apart)
{
	for (unsigned i = 0; i < PC_TESTDEV_LATCH_BYTES; i++)
		pc_testdev_latch_write(&dev, i, 0xa0 + i);
	for (unsigned i = 0; i < PC_TESTDEV_LATCH_BYTES; i++)
		ck_assert_uint_eq(pc_testdev_latch_read(&dev, i), 0xa0 + i);
	ck_assert_uint_eq(pc_testdev_memory_read(&dev, 0), 0);
}
END_TEST

START_TEST(memory_bytes_are_apart)
{
	pc_testdev_memory_write(&dev, 0, 1);
	pc_testdev_memory_write(&dev, PC_TESTDEV_MEMORY_BYTES - 1, 2);
	ck_assert_uint_eq(pc_testdev_memory_read(&dev, 0), 1);
	ck_assert_uint_eq(pc_testdev_memory_read(&dev, 1), 0);
	ck_assert_uint_eq(pc_testdev_memory_read(&dev, PC_TESTDEV_MEMORY_BYTES - 1), 2);
}
END_TEST

START_TEST(past_the_end_is_nothing)
{
	pc_testdev_latch_write(&dev, PC_TESTDEV_LATCH_BYTES, 7);
	ck_assert_uint_eq(pc_testdev_latch_read(&dev, PC_TESTDEV_LATCH_BYTES), 0xff);
	ck_assert_uint_eq(pc_testdev_latch_read(&dev, UINT32_MAX), 0xff);
	ck_assert_uint_eq(pc_testdev_memory_read(&dev, 0), 0);
	pc_testdev_memory_write(&dev, PC_TESTDEV_MEMORY_BYTES, 7);
	ck_assert_uint_eq(pc_testdev_memory_read(&dev, PC_TESTDEV_MEMORY_BYTES), 0xff);
	ck_assert_uint_eq(pc_testdev_memory_read(&dev, UINT32_MAX), 0xff);
}
END_TEST

START_TEST(lines_follow_the_guest)
{
	pc_testdev_set_line(&dev, 0, true);
	ck_assert(changes == 1 && line == 0 && level);
	pc_testdev_set_line(&dev, PC_TESTDEV_IRQ_LINES - 1, true);
	ck_assert(changes == 2 && line == PC_TESTDEV_IRQ_LINES - 1 && level);
	pc_testdev_set_line(&dev, 14, false);
	ck_assert(changes == 3 && line == 14 && !level);
	pc_testdev_set_line(&dev, PC_TESTDEV_IRQ_LINES, true);
	ck_assert_uint_eq(changes, 3);
}
END_TEST

Suite *testdev_suite(void)
{
	Suite *s = suite_create("testdev");
	TCase *tc = tcase_create("testdev");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, starts_with_zeroes);
	tcase_add_test(tc, latch_bytes_are_apart);
	tcase_add_test(tc, memory_bytes_are_apart);
	tcase_add_test(tc, past_the_end_is_nothing);
	tcase_add_test(tc, lines_follow_the_guest);
	suite_add_tcase(s, tc);
	return s;
}
