/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/fw_cfg.c. */
#include <check.h>
#include <endian.h>
#include <string.h>

#include "tests/unit/loops.h"
#include "tests/unit/suites.h"
#include "devices/fw_cfg.h"

static struct fw_cfg cfg;

static void setup(void)
{
	fw_cfg_init(&cfg, NULL);
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
	for (unsigned i = 0; i < loops(100000); i++)
		ck_assert_uint_eq(fw_cfg_read(&cfg), 0);
}
END_TEST

START_TEST(unknown_keys_read_0)
{
	static const uint16_t keys[] = {0x11, FW_CFG_MAX_CPUS, 0x20, 0x8000, 0x3fff, 0xffff};

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
	for (uint16_t i = 3; i < FW_CFG_ITEMS_MAX; i++)
		fw_cfg_add_number(&cfg, 0x100 + i, i, 1);
	for (uint16_t i = 3; i < FW_CFG_ITEMS_MAX; i++) {
		fw_cfg_select(&cfg, 0x100 + i);
		ck_assert_uint_eq(fw_cfg_read(&cfg), i);
	}
}
END_TEST

/* RAM for DMA: a descriptor at 0, data behind it. */
#define RAM_BASE  0x1000u
#define RAM_BYTES 4096u

static uint8_t ram[RAM_BYTES];

static void *ram_ptr(void *ctx, uint64_t gpa, uint64_t size_bytes)
{
	ck_assert_ptr_eq(ctx, ram);
	if (gpa < RAM_BASE || size_bytes > RAM_BYTES || gpa - RAM_BASE > RAM_BYTES - size_bytes)
		return NULL;
	return ram + (gpa - RAM_BASE);
}

static void setup_dma(void)
{
	const struct guest_memory mem = {ram_ptr, ram};

	memset(ram, 0xee, sizeof(ram));
	fw_cfg_init(&cfg, &mem);
	fw_cfg_add_data(&cfg, FW_CFG_CMDLINE_DATA, "0123456789", 10);
}

/* Runs a descriptor and returns what its control word became. */
static uint32_t dma(uint32_t control, uint64_t address, uint32_t length)
{
	const uint32_t words[] = {htobe32(control), htobe32(length), htobe32(address >> 32),
				  htobe32((uint32_t)address)};
	uint32_t after;

	memcpy(ram, words, sizeof(words));
	fw_cfg_dma_write(&cfg, false, 0);
	fw_cfg_dma_write(&cfg, true, htobe32(RAM_BASE));
	memcpy(&after, ram, sizeof(after));
	return be32toh(after);
}

#define SELECT(key) ((uint32_t)(key) << 16 | 8)
#define READ        2u
#define SKIP        4u
#define WRITE       16u

START_TEST(dma_is_promised)
{
	fw_cfg_select(&cfg, FW_CFG_ID);
	expect_bytes("\3\0\0\0", 4);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(fw_cfg_dma_signature(&cfg, i), (uint8_t) "QEMU CFG"[i]);
	fw_cfg_init(&cfg, NULL);
	ck_assert_uint_eq(fw_cfg_dma_signature(&cfg, 0), 0xff);
}
END_TEST

START_TEST(dma_reads)
{
	ck_assert_uint_eq(dma(SELECT(FW_CFG_CMDLINE_DATA) | READ, RAM_BASE + 100, 4), 0);
	ck_assert_mem_eq(ram + 100, "0123\xee", 5);
	ck_assert_uint_eq(dma(SKIP, 0, 2), 0);
	ck_assert_uint_eq(dma(READ, RAM_BASE + 100, 8), 0);
	ck_assert_mem_eq(ram + 100, "6789\0\0\0\0\xee", 9);
	ck_assert_uint_eq(dma(SELECT(0x7777) | READ, RAM_BASE + 100, 4), 0);
	ck_assert_mem_eq(ram + 100, "\0\0\0\0", 4);
}
END_TEST

START_TEST(dma_to_the_last_byte)
{
	ck_assert_uint_eq(dma(SELECT(FW_CFG_CMDLINE_DATA) | READ, RAM_BASE + RAM_BYTES - 4, 4), 0);
	ck_assert_mem_eq(ram + RAM_BYTES - 4, "0123", 4);
	ck_assert_uint_eq(dma(SELECT(FW_CFG_CMDLINE_DATA) | READ, RAM_BASE + RAM_BYTES - 3, 4), 1);
	ck_assert_mem_eq(ram + RAM_BYTES - 4, "0123", 4);
}
END_TEST

START_TEST(wild_dma_is_refused)
{
	static const uint64_t wild[] = {0, UINT64_MAX, UINT64_MAX - 3, 1ull << 63, RAM_BASE - 1};

	ck_assert_uint_eq(dma(SELECT(FW_CFG_CMDLINE_DATA) | READ, wild[_i], 16), 1);
	ck_assert_uint_eq(dma(READ, RAM_BASE, UINT32_MAX), 1);
	ck_assert_uint_eq(dma(SKIP, 0, UINT32_MAX), 0);
	ck_assert_uint_eq(dma(READ, 0, 0), 0);
}
END_TEST

START_TEST(nothing_can_be_written)
{
	ck_assert_uint_eq(dma(SELECT(FW_CFG_CMDLINE_DATA) | WRITE, RAM_BASE + 100, 4), 1);
	fw_cfg_select(&cfg, FW_CFG_CMDLINE_DATA);
	expect_bytes("0123456789", 10);
}
END_TEST

START_TEST(descriptor_outside_ram_is_ignored)
{
	fw_cfg_dma_write(&cfg, false, htobe32(1));
	fw_cfg_dma_write(&cfg, true, htobe32(RAM_BASE));
	fw_cfg_dma_write(&cfg, true, htobe32(RAM_BASE + RAM_BYTES - 15));
	for (unsigned i = 0; i < RAM_BYTES; i++)
		ck_assert_uint_eq(ram[i], 0xee);
}
END_TEST

START_TEST(files_are_in_the_directory)
{
	fw_cfg_add_file(&cfg, "bootorder", "first", 5);
	fw_cfg_add_file(&cfg, "etc/e820", "second", 6);
	fw_cfg_select(&cfg, FW_CFG_FILE_DIR);
	expect_bytes("\0\0\0\2", 4);
	expect_bytes("\0\0\0\5\0\x20\0\0bootorder\0", 18);
	for (unsigned i = 10; i < FW_CFG_NAME_BYTES; i++)
		ck_assert_uint_eq(fw_cfg_read(&cfg), 0);
	expect_bytes("\0\0\0\6\0\x21\0\0etc/e820\0", 17);
	fw_cfg_select(&cfg, FW_CFG_FILE_FIRST + 1);
	expect_bytes("second\0", 7);
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
	tc = tcase_create("dma");
	tcase_add_checked_fixture(tc, setup_dma, NULL);
	tcase_add_test(tc, dma_is_promised);
	tcase_add_test(tc, dma_reads);
	tcase_add_test(tc, dma_to_the_last_byte);
	tcase_add_loop_test(tc, wild_dma_is_refused, 0, 5);
	tcase_add_test(tc, nothing_can_be_written);
	tcase_add_test(tc, descriptor_outside_ram_is_ignored);
	tcase_add_test(tc, files_are_in_the_directory);
	suite_add_tcase(s, tc);
	return s;
}
