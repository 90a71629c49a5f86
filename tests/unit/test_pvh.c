/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/pvh.c: the bytes that the guest finds, by the offsets of Xen's pvh.h. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/layout.h"
#include "vmm/pvh.h"

#define MIB(n)   ((uint64_t)(n) << 20)
#define RAM      1
#define RESERVED 2
#define ACPI     3

static struct mem mem;
static struct err err;

static void setup(void)
{
	ck_assert_int_eq(mem_init(&mem, MIB(16), &err), 0);
}

static void teardown(void)
{
	mem_fini(&mem);
}

static void write_info(const struct boot_data *c)
{
	ck_assert_int_eq(pvh_write_info(&mem, c, &err), 0);
}

static uint32_t u32_at(uint64_t addr)
{
	uint32_t val;

	ck_assert_int_eq(mem_read(&mem, gpa(addr), &val, sizeof(val)), 0);
	return val;
}

static uint64_t u64_at(uint64_t addr)
{
	return u32_at(addr) | (uint64_t)u32_at(addr + 4) << 32;
}

static unsigned memmap_entries(void)
{
	return u32_at(LAYOUT_PVH_INFO + 48);
}

static void expect_range(unsigned i, uint64_t start, uint64_t end, uint32_t type)
{
	uint64_t entry = u64_at(LAYOUT_PVH_INFO + 40) + i * 24;

	ck_assert_uint_lt(i, memmap_entries());
	ck_assert_uint_eq(u64_at(entry), start);
	ck_assert_uint_eq(u64_at(entry + 8), end - start);
	ck_assert_uint_eq(u32_at(entry + 16), type);
	ck_assert_uint_eq(u32_at(entry + 20), 0);
}

START_TEST(start_info_without_modules)
{
	struct boot_data c = {.cmdline = "", .rsdp = gpa(LAYOUT_RSDP)};

	write_info(&c);
	ck_assert_uint_eq(u32_at(LAYOUT_PVH_INFO), 0x336ec578);
	ck_assert_uint_eq(u32_at(LAYOUT_PVH_INFO + 4), 1);
	ck_assert_uint_eq(u32_at(LAYOUT_PVH_INFO + 8), 0);
	ck_assert_uint_eq(u32_at(LAYOUT_PVH_INFO + 12), 0);
	ck_assert_uint_eq(u64_at(LAYOUT_PVH_INFO + 16), 0);
	ck_assert_uint_eq(u64_at(LAYOUT_PVH_INFO + 24), LAYOUT_CMDLINE);
	ck_assert_uint_eq(u64_at(LAYOUT_PVH_INFO + 32), LAYOUT_RSDP);
	ck_assert_uint_eq(u32_at(LAYOUT_PVH_INFO + 52), 0);
}
END_TEST

START_TEST(no_rsdp_is_zero)
{
	struct boot_data c = {.cmdline = ""};

	write_info(&c);
	ck_assert_uint_eq(u64_at(LAYOUT_PVH_INFO + 32), 0);
}
END_TEST

START_TEST(modules_are_listed)
{
	struct boot_data c = {
		.cmdline = "",
		.module_count = 2,
		.module = {{.base = gpa(MIB(8)), .size_bytes = 12345},
			   {.base = gpa(MIB(12)), .size_bytes = 0x100000001}},
	};
	uint64_t list;

	write_info(&c);
	ck_assert_uint_eq(u32_at(LAYOUT_PVH_INFO + 12), 2);
	list = u64_at(LAYOUT_PVH_INFO + 16);
	ck_assert_uint_gt(list, LAYOUT_PVH_INFO);
	ck_assert_uint_le(list + 64, LAYOUT_PVH_INFO + LAYOUT_PVH_INFO_SIZE);
	ck_assert_uint_eq(list % 8, 0);
	ck_assert_uint_eq(u64_at(list), MIB(8));
	ck_assert_uint_eq(u64_at(list + 8), 12345);
	ck_assert_uint_eq(u64_at(list + 16), 0);
	ck_assert_uint_eq(u64_at(list + 24), 0);
	ck_assert_uint_eq(u64_at(list + 32), MIB(12));
	ck_assert_uint_eq(u64_at(list + 40), 0x100000001);
}
END_TEST

START_TEST(one_module_leaves_the_other_slot_empty)
{
	struct boot_data c = {
		.cmdline = "",
		.module_count = 1,
		.module = {{.base = gpa(MIB(8)), .size_bytes = 1},
			   {.base = gpa(MIB(12)), .size_bytes = 2}},
	};

	write_info(&c);
	ck_assert_uint_eq(u32_at(LAYOUT_PVH_INFO + 12), 1);
	ck_assert_uint_eq(u64_at(u64_at(LAYOUT_PVH_INFO + 16) + 32), 0);
}
END_TEST

START_TEST(memory_map_of_low_ram)
{
	struct boot_data c = {.cmdline = ""};

	write_info(&c);
	ck_assert_uint_eq(memmap_entries(), 3);
	expect_range(0, 0, 0x9fc00, RAM);
	expect_range(1, 0x9fc00, 0x100000, RESERVED);
	expect_range(2, 0x100000, MIB(16), RAM);
}
END_TEST

START_TEST(memory_map_with_acpi_tables)
{
	struct boot_data c = {.cmdline = "", .reserved = gpa(MIB(16) - 0x3000)};

	write_info(&c);
	ck_assert_uint_eq(memmap_entries(), 4);
	expect_range(2, 0x100000, MIB(16) - 0x3000, RAM);
	expect_range(3, MIB(16) - 0x3000, MIB(16), ACPI);
}
END_TEST

START_TEST(memory_map_has_no_empty_ranges)
{
	struct boot_data c = {.cmdline = "", .reserved = gpa(MIB(16))};

	write_info(&c);
	ck_assert_uint_eq(memmap_entries(), 3);
	expect_range(2, 0x100000, MIB(16), RAM);
	c.reserved = gpa(0x100000);
	write_info(&c);
	ck_assert_uint_eq(memmap_entries(), 3);
	expect_range(2, 0x100000, MIB(16), ACPI);
}
END_TEST

START_TEST(memory_map_with_high_ram)
{
	struct boot_data c = {.cmdline = "", .reserved = gpa(0xbfff0000)};

	mem_fini(&mem);
	ck_assert_int_eq(mem_init(&mem, MIB(5 * 1024), &err), 0);
	write_info(&c);
	ck_assert_uint_eq(memmap_entries(), 5);
	expect_range(0, 0, 0x9fc00, RAM);
	expect_range(1, 0x9fc00, 0x100000, RESERVED);
	expect_range(2, 0x100000, 0xbfff0000, RAM);
	expect_range(3, 0xbfff0000, 0xc0000000, ACPI);
	expect_range(4, 0x100000000, 0x180000000, RAM);
}
END_TEST

START_TEST(command_line_is_copied)
{
	struct boot_data c = {.cmdline = "console=ttyS0 smp=full"};
	char text[64];

	write_info(&c);
	ck_assert_int_eq(mem_read(&mem, gpa(LAYOUT_CMDLINE), text, sizeof(text)), 0);
	ck_assert_str_eq(text, "console=ttyS0 smp=full");
}
END_TEST

START_TEST(command_line_may_fill_its_page)
{
	char text[LAYOUT_CMDLINE_SIZE + 1];
	struct boot_data c = {.cmdline = text};

	memset(text, 'x', sizeof(text));
	text[LAYOUT_CMDLINE_SIZE - 1] = '\0';
	write_info(&c);
	ck_assert_uint_eq(u32_at(LAYOUT_CMDLINE + LAYOUT_CMDLINE_SIZE - 4), 0x00787878);
	ck_assert_uint_eq(u32_at(LAYOUT_CMDLINE + LAYOUT_CMDLINE_SIZE), 0);
}
END_TEST

START_TEST(longer_command_line_is_refused)
{
	char text[LAYOUT_CMDLINE_SIZE + 1];
	struct boot_data c = {.cmdline = text};

	memset(text, 'x', sizeof(text));
	text[LAYOUT_CMDLINE_SIZE] = '\0';
	ck_assert_int_eq(pvh_write_info(&mem, &c, &err), -E2BIG);
	ck_assert_str_eq(err.text, "the guest's command line has 4096 bytes; at most 4095 fit");
	ck_assert_uint_eq(u32_at(LAYOUT_CMDLINE), 0);
	ck_assert_uint_eq(u32_at(LAYOUT_PVH_INFO), 0);
}
END_TEST

Suite *pvh_suite(void)
{
	Suite *s = suite_create("pvh");
	TCase *tc = tcase_create("pvh");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, start_info_without_modules);
	tcase_add_test(tc, no_rsdp_is_zero);
	tcase_add_test(tc, modules_are_listed);
	tcase_add_test(tc, one_module_leaves_the_other_slot_empty);
	tcase_add_test(tc, memory_map_of_low_ram);
	tcase_add_test(tc, memory_map_with_acpi_tables);
	tcase_add_test(tc, memory_map_has_no_empty_ranges);
	tcase_add_test(tc, memory_map_with_high_ram);
	tcase_add_test(tc, command_line_is_copied);
	tcase_add_test(tc, command_line_may_fill_its_page);
	tcase_add_test(tc, longer_command_line_is_refused);
	suite_add_tcase(s, tc);
	return s;
}
