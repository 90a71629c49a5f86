/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/virtio/mmio.c: registers and negotiation. */
#include <check.h>
#include <string.h>

#include "tests/unit/loops.h"
#include "tests/unit/suites.h"
#include "tests/unit/virtio_driver.h"

#define FEATURE (1ull << 3)

static struct driver d;
static struct virtio_mmio v;
static unsigned starts, resets, serves, config_writes;

static void config_read(void *dev, unsigned off, void *dst, unsigned size_bytes)
{
	ck_assert_ptr_eq(dev, &d);
	virtio_config_copy(dst, size_bytes, off, "0123456789", 10);
}

static void config_write(void *dev, unsigned off, const void *src, unsigned size_bytes)
{
	ck_assert_ptr_eq(dev, &d);
	ck_assert_uint_eq(off, 4);
	ck_assert_uint_eq(size_bytes, 2);
	ck_assert_mem_eq(src, "\x34\x12", 2);
	config_writes++;
}

static void on_serve(void *dev, unsigned queue)
{
	ck_assert_ptr_eq(dev, &d);
	ck_assert_uint_lt(queue, 2);
	serves++;
}

static void on_start(void *dev)
{
	ck_assert_ptr_eq(dev, &d);
	starts++;
}

static void on_reset(void *dev)
{
	ck_assert_ptr_eq(dev, &d);
	resets++;
}

static const struct virtio_kind kind = {
	.name = "test",
	.id = VIRTIO_ID_FS,
	.queues = 2,
	.config_read = config_read,
	.config_write = config_write,
	.serve = on_serve,
	.start = on_start,
	.reset = on_reset,
};

static void setup(void)
{
	starts = resets = serves = config_writes = 0;
	driver_init(&d);
	virtio_mmio_init(&v, &kind, FEATURE, &d, &d.mem, driver_interrupt, &d);
}

START_TEST(identifies_itself)
{
	ck_assert_uint_eq(driver_read32(&v, 0x00), 0x74726976);
	ck_assert_uint_eq(driver_read32(&v, 0x04), 2);
	ck_assert_uint_eq(driver_read32(&v, 0x08), 26);
	ck_assert_uint_eq(driver_read32(&v, 0x70), 0);
	ck_assert_uint_eq(driver_read32(&v, 0xb0), UINT32_MAX);
	ck_assert_uint_eq(driver_read32(&v, 0xbc), UINT32_MAX);
}
END_TEST

START_TEST(offers_features_by_halves)
{
	ck_assert_uint_eq(driver_read32(&v, 0x10), FEATURE | 1u << 28 | 1u << 29);
	driver_write32(&v, 0x14, 1);
	ck_assert_uint_eq(driver_read32(&v, 0x10), 1);
	driver_write32(&v, 0x14, 2);
	ck_assert_uint_eq(driver_read32(&v, 0x10), 0);
	driver_write32(&v, 0x14, UINT32_MAX);
	ck_assert_uint_eq(driver_read32(&v, 0x10), 0);
}
END_TEST

START_TEST(comes_up)
{
	ck_assert_uint_eq(driver_bring_up(&d, &v, FEATURE, 16), 0xf);
	ck_assert(virtio_mmio_is_live(&v));
	ck_assert(virtio_mmio_has(&v, FEATURE));
	ck_assert(!virtio_mmio_has(&v, VIRTIO_F_EVENT_IDX));
	ck_assert_uint_eq(starts, 1);
	ck_assert_uint_eq(v.queue[1].size, 16);
	virtio_mmio_serve(&v, 1);
	ck_assert_uint_eq(serves, 1);
}
END_TEST

START_TEST(reset_forgets)
{
	driver_bring_up(&d, &v, FEATURE, 16);
	resets = 0;
	driver_write32(&v, 0x70, 0);
	ck_assert_uint_eq(resets, 1);
	ck_assert_uint_eq(driver_read32(&v, 0x70), 0);
	ck_assert(!virtio_mmio_is_live(&v));
	ck_assert(!v.queue[0].ready);
	ck_assert_uint_eq(v.driver_features, 0);
	virtio_mmio_serve(&v, 0);
	ck_assert_uint_eq(serves, 0);
}
END_TEST

START_TEST(unoffered_feature_is_refused)
{
	ck_assert_uint_eq(driver_bring_up(&d, &v, 1ull << 40, 16), 3);
	ck_assert_uint_eq(starts, 0);
	ck_assert(!v.queue[0].ready);
}
END_TEST

START_TEST(version_1_is_a_must)
{
	driver_write32(&v, 0x70, 3);
	driver_write32(&v, 0x20, FEATURE);
	driver_write32(&v, 0x70, 0xb);
	ck_assert_uint_eq(driver_read32(&v, 0x70), 3);
}
END_TEST

START_TEST(features_are_fixed_once_agreed)
{
	driver_bring_up(&d, &v, FEATURE, 16);
	driver_write32(&v, 0x24, 0);
	driver_write32(&v, 0x20, 0);
	ck_assert(virtio_mmio_has(&v, FEATURE));
}
END_TEST

START_TEST(queue_is_fixed_while_ready)
{
	driver_bring_up(&d, &v, 0, 16);
	driver_write32(&v, 0x30, 0);
	driver_write32(&v, 0x38, 4);
	driver_write32(&v, 0x80, 0);
	driver_write32(&v, 0xa4, 7);
	ck_assert_uint_eq(v.queue[0].size, 16);
	ck_assert_uint_eq(v.queue[0].desc_gpa, driver_gpa(DRIVER_DESC(0)));
	ck_assert_uint_eq(v.queue[0].used_gpa, driver_gpa(DRIVER_USED(0)));
	driver_write32(&v, 0x44, 0);
	ck_assert_uint_eq(driver_read32(&v, 0x44), 0);
	driver_write32(&v, 0x38, 4);
	ck_assert_uint_eq(v.queue[0].size, 4);
}
END_TEST

START_TEST(bad_queue_needs_a_reset)
{
	ck_assert_uint_eq(driver_bring_up(&d, &v, 0, 3), 0x4f);
	ck_assert_uint_eq(driver_read32(&v, 0x44), 0);
	ck_assert(!virtio_mmio_is_live(&v));
	virtio_mmio_serve(&v, 0);
	ck_assert_uint_eq(serves, 0);
	/* Only a reset takes the bit away. */
	driver_write32(&v, 0x70, 0xf);
	ck_assert_uint_eq(driver_read32(&v, 0x70), 0x4f);
	ck_assert_uint_eq(driver_bring_up(&d, &v, 0, 4), 0xf);
}
END_TEST

START_TEST(queues_that_do_not_exist)
{
	static const uint32_t numbers[] = {2, VIRTIO_QUEUES_MAX, UINT32_MAX};

	driver_write32(&v, 0x30, 1);
	ck_assert_uint_eq(driver_read32(&v, 0x34), VIRTQ_SIZE_MAX);
	driver_write32(&v, 0x30, numbers[_i]);
	ck_assert_uint_eq(driver_read32(&v, 0x34), 0);
	driver_write32(&v, 0x38, 4);
	driver_write32(&v, 0x44, 1);
	ck_assert_uint_eq(driver_read32(&v, 0x44), 0);
	ck_assert_int_eq(virtio_mmio_write(&v, VIRTIO_MMIO_NOTIFY, 4, numbers[_i]), -1);
}
END_TEST

START_TEST(notification_is_handed_back)
{
	ck_assert_int_eq(virtio_mmio_write(&v, VIRTIO_MMIO_NOTIFY, 4, 1), 1);
	ck_assert_int_eq(virtio_mmio_write(&v, VIRTIO_MMIO_NOTIFY, 2, 1), -1);
	ck_assert_int_eq(virtio_mmio_write(&v, 0x30, 4, 1), -1);
}
END_TEST

START_TEST(interrupts_are_acknowledged)
{
	driver_bring_up(&d, &v, 0, 16);
	virtio_mmio_config_changed(&v);
	ck_assert_uint_eq(d.interrupts, 1);
	ck_assert_uint_eq(driver_read32(&v, 0x60), 2);
	ck_assert_uint_eq(driver_read32(&v, 0xfc), 1);
	driver_write32(&v, 0x64, 1);
	ck_assert_uint_eq(driver_read32(&v, 0x60), 2);
	driver_write32(&v, 0x64, UINT32_MAX);
	ck_assert_uint_eq(driver_read32(&v, 0x60), 0);
}
END_TEST

START_TEST(no_interrupt_before_driver_ok)
{
	virtio_mmio_config_changed(&v);
	virtio_mmio_needs_reset(&v);
	ck_assert_uint_eq(d.interrupts, 0);
}
END_TEST

START_TEST(broken_queue_needs_a_reset)
{
	struct virtq_chain c;

	driver_bring_up(&d, &v, 0, 16);
	driver_avail(&d, 1)->idx = 1000;
	ck_assert(!virtio_mmio_take(&v, 1, &c));
	ck_assert_uint_eq(driver_read32(&v, 0x70), 0x4f);
	ck_assert_uint_eq(d.interrupts, 1);
	ck_assert(!virtio_mmio_take(&v, 0, &c));
}
END_TEST

START_TEST(config_is_read_by_any_width)
{
	ck_assert_uint_eq(virtio_mmio_read(&v, 0x100, 1), '0');
	ck_assert_uint_eq(virtio_mmio_read(&v, 0x109, 1), '9');
	ck_assert_uint_eq(virtio_mmio_read(&v, 0x108, 4), '8' | '9' << 8);
	ck_assert_uint_eq(virtio_mmio_read(&v, 0x10a, 4), 0);
	ck_assert_uint_eq(virtio_mmio_read(&v, 0xfff, 8), 0);
	virtio_mmio_write(&v, 0x104, 2, 0x1234);
	ck_assert_uint_eq(config_writes, 1);
}
END_TEST

START_TEST(odd_widths_reach_no_register)
{
	ck_assert_uint_eq(virtio_mmio_read(&v, 0, 1), 0);
	ck_assert_uint_eq(virtio_mmio_read(&v, 0, 8), 0);
	virtio_mmio_write(&v, 0x70, 1, 1);
	ck_assert_uint_eq(driver_read32(&v, 0x70), 0);
	ck_assert_uint_eq(driver_read32(&v, 0x02), 0);
}
END_TEST

/* Any write to any register, by a generator that is its own seed: nothing may crash. */
START_TEST(rubbish_is_survived)
{
	uint64_t x = (uint64_t)_i + 1;
	struct virtq_chain c;

	for (unsigned i = 0; i < loops(20000); i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		virtio_mmio_write(&v, (unsigned)(x >> 20) & 0xfc, 4,
				  x >> 60 ? x >> 33 & 0x3ff : x >> 24);
		virtio_mmio_read(&v, (unsigned)(x >> 40) & 0xfff, 1u << (x >> 52 & 3));
		virtio_mmio_take(&v, x >> 50 & 1, &c);
	}
	driver_bring_up(&d, &v, 0, 16);
	ck_assert(virtio_mmio_is_live(&v));
}
END_TEST

Suite *virtio_mmio_suite(void)
{
	Suite *s = suite_create("virtio_mmio");
	TCase *t = tcase_create("virtio_mmio");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, identifies_itself);
	tcase_add_test(t, offers_features_by_halves);
	tcase_add_test(t, comes_up);
	tcase_add_test(t, reset_forgets);
	tcase_add_test(t, unoffered_feature_is_refused);
	tcase_add_test(t, version_1_is_a_must);
	tcase_add_test(t, features_are_fixed_once_agreed);
	tcase_add_test(t, queue_is_fixed_while_ready);
	tcase_add_test(t, bad_queue_needs_a_reset);
	tcase_add_loop_test(t, queues_that_do_not_exist, 0, 3);
	tcase_add_test(t, notification_is_handed_back);
	tcase_add_test(t, interrupts_are_acknowledged);
	tcase_add_test(t, no_interrupt_before_driver_ok);
	tcase_add_test(t, broken_queue_needs_a_reset);
	tcase_add_test(t, config_is_read_by_any_width);
	tcase_add_test(t, odd_widths_reach_no_register);
	tcase_add_loop_test(t, rubbish_is_survived, 0, 4);
	suite_add_tcase(s, t);
	return s;
}
