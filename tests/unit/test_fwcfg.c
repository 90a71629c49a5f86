/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/fw_cfg.c. */
#include <check.h>

#include "tests/unit/suites.h"
#include "devices/fw_cfg.h"

static struct fw_cfg cfg;

static void setup(void)
{
	fw_cfg_init(&cfg);
}

static void expect_bytes(const char *bytes, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		ck_assert_uint_eq(fw_cfg_read(&cfg), (uint8_t)bytes[i]);
}

START_TEST(signature_is_selected_at_the_start)
{
	expect_bytes("QEMU", 4);
	expect_bytes("\0\0", 2);
	fw_cfg_select(&cfg, FW_CFG_SIGNATURE);
	expect_bytes("QEMU", 4);
}
END_TEST

START_TEST(id_promises_the_ports_and_no_dma)
{
	fw_cfg_select(&cfg, FW_CFG_ID);
	expect_bytes("\1\0\0\0", 4);
}
END_TEST

START_TEST(numbers_are_little_endian)
{
	fw_cfg_add_number(&cfg, FW_CFG_RAM_SIZE, 0x8877665544332211, 8);
	fw_cfg_add_number(&cfg, FW_CFG_NB_CPUS, 0x12345, 2);
	fw_cfg_select(&cfg, FW_CFG_RAM_SIZE);
	expect_bytes("\x11\x22\x33\x44\x55\x66\x77\x88", 8);
	fw_cfg_select(&cfg, FW_CFG_NB_CPUS);
	expect_bytes("\x45\x23\0\0", 4);
}
END_TEST

START_TEST(selecting_starts_over)
{
	fw_cfg_add_number(&cfg, FW_CFG_NB_CPUS, 0x0201, 2);
	fw_cfg_select(&cfg, FW_CFG_NB_CPUS);
	expect_bytes("\1", 1);
	fw_cfg_select(&cfg, FW_CFG_NB_CPUS);
	expect_bytes("\1\2", 2);
}
END_TEST

START_TEST(past_the_end_are_zeroes_for_ever)
{
	fw_cfg_add_number(&cfg, FW_CFG_NB_CPUS, 0xffff, 2);
	fw_cfg_select(&cfg, FW_CFG_NB_CPUS);
	expect_bytes("\xff\xff", 2);
	for (unsigned i = 0; i < 100000; i++)
		ck_assert_uint_eq(fw_cfg_read(&cfg), 0);
}
END_TEST

START_TEST(unknown_keys_read_0)
{
	static const uint16_t keys[] = {0x11, FW_CFG_MAX_CPUS, 0x19, 0x8000, 0x3fff, 0xffff};

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		fw_cfg_select(&cfg, keys[i]);
		expect_bytes("\0\0\0\0\0\0\0\0", 8);
	}
}
END_TEST

START_TEST(write_channel_is_no_part_of_the_key)
{
	fw_cfg_select(&cfg, 0x4000 | FW_CFG_SIGNATURE);
	expect_bytes("QEMU", 4);
	fw_cfg_select(&cfg, 0x8000 | FW_CFG_SIGNATURE);
	expect_bytes("\0\0\0\0", 4);
}
END_TEST

START_TEST(there_is_room_for_all_items)
{
	for (uint16_t i = 2; i < FW_CFG_ITEMS_MAX; i++)
		fw_cfg_add_number(&cfg, 0x100 + i, i, 1);
	for (uint16_t i = 2; i < FW_CFG_ITEMS_MAX; i++) {
		fw_cfg_select(&cfg, 0x100 + i);
		ck_assert_uint_eq(fw_cfg_read(&cfg), i);
	}
}
END_TEST

Suite *fwcfg_suite(void)
{
	Suite *s = suite_create("fwcfg");
	TCase *tc = tcase_create("fwcfg");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, signature_is_selected_at_the_start);
	tcase_add_test(tc, id_promises_the_ports_and_no_dma);
	tcase_add_test(tc, numbers_are_little_endian);
	tcase_add_test(tc, selecting_starts_over);
	tcase_add_test(tc, past_the_end_are_zeroes_for_ever);
	tcase_add_test(tc, unknown_keys_read_0);
	tcase_add_test(tc, write_channel_is_no_part_of_the_key);
	tcase_add_test(tc, there_is_room_for_all_items);
	suite_add_tcase(s, tc);
	return s;
}
