/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/multiboot_info.c: what the guest finds, by the offsets of the specification. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/layout.h"
#include "vmm/multiboot.h"

#define MIB(n) ((uint64_t)(n) << 20)

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

static uint32_t u32_at(uint64_t addr)
{
	uint32_t val;

	ck_assert_int_eq(mem_read(&mem, gpa(addr), &val, sizeof(val)), 0);
	return val;
}

static uint32_t info(unsigned off)
{
	return u32_at(LAYOUT_MBI + off);
}

static const char *string_at(uint32_t addr)
{
	ck_assert_uint_gt(addr, LAYOUT_MBI);
	ck_assert_uint_lt(addr, LAYOUT_MBI + LAYOUT_MBI_SIZE);
	return mem_ptr(&mem, gpa(addr), 1);
}

static void write_info(const struct boot_data *b)
{
	ck_assert_int_eq(multiboot_write_info(&mem, b, &err), 0);
}

static void expect_range(unsigned i, uint64_t start, uint64_t end, uint32_t type)
{
	uint64_t entry = info(48) + i * 24;

	ck_assert_uint_lt(i * 24, info(44));
	ck_assert_uint_eq(u32_at(entry), 20);
	ck_assert_uint_eq(u32_at(entry + 4) | (uint64_t)u32_at(entry + 8) << 32, start);
	ck_assert_uint_eq(u32_at(entry + 12) | (uint64_t)u32_at(entry + 16) << 32, end - start);
	ck_assert_uint_eq(u32_at(entry + 20), type);
}

START_TEST(memory_is_told_in_both_ways)
{
	struct boot_data b = {.kernel = "k", .cmdline = "", .reserved = gpa(MIB(15))};

	write_info(&b);
	ck_assert_uint_eq(info(0), 0x24d);
	ck_assert_uint_eq(info(4), 639);
	ck_assert_uint_eq(info(8), 14 * 1024);
	ck_assert_uint_eq(info(44), 4 * 24);
	expect_range(0, 0, 0x9fc00, 1);
	expect_range(1, 0x9fc00, 0x100000, 2);
	expect_range(2, 0x100000, MIB(15), 1);
	expect_range(3, MIB(15), MIB(16), 3);
}
END_TEST

START_TEST(ram_above_4_gib_is_in_the_map)
{
	struct boot_data b = {.kernel = "k", .cmdline = ""};

	mem_fini(&mem);
	ck_assert_int_eq(mem_init(&mem, LAYOUT_LOW_RAM_MAX + MIB(4), &err), 0);
	write_info(&b);
	ck_assert_uint_eq(info(8), (LAYOUT_LOW_RAM_MAX - MIB(1)) / 1024);
	ck_assert_uint_eq(info(44), 4 * 24);
	expect_range(3, LAYOUT_HIGH_RAM_BASE, LAYOUT_HIGH_RAM_BASE + MIB(4), 1);
}
END_TEST

START_TEST(cmdline_starts_with_the_kernel)
{
	struct boot_data b = {.kernel = "dir/k.flat", .cmdline = "direct 7"};

	write_info(&b);
	ck_assert_str_eq(string_at(info(16)), "dir/k.flat direct 7");
	ck_assert_str_eq(string_at(info(64)), "vpup");
	b.cmdline = "";
	write_info(&b);
	ck_assert_str_eq(string_at(info(16)), "dir/k.flat");
}
END_TEST

START_TEST(modules_are_listed)
{
	struct boot_data b = {
		.kernel = "k",
		.cmdline = "",
		.module_count = 2,
		.module = {{.base = gpa(MIB(8)), .size_bytes = 12345, .name = "env file"},
			   {.base = gpa(MIB(12)), .name = ""}},
	};
	uint32_t list;

	write_info(&b);
	ck_assert_uint_eq(info(20), 2);
	list = info(24);
	ck_assert_uint_eq(u32_at(list), MIB(8));
	ck_assert_uint_eq(u32_at(list + 4), MIB(8) + 12345);
	ck_assert_str_eq(string_at(u32_at(list + 8)), "env file");
	ck_assert_uint_eq(u32_at(list + 12), 0);
	ck_assert_uint_eq(u32_at(list + 16), MIB(12));
	ck_assert_uint_eq(u32_at(list + 20), MIB(12));
	ck_assert_str_eq(string_at(u32_at(list + 24)), "");
	b.module_count = 0;
	write_info(&b);
	ck_assert_uint_eq(info(20), 0);
}
END_TEST

START_TEST(strings_may_fill_their_place_and_no_more)
{
	static char cmdline[LAYOUT_MBI_SIZE];
	struct boot_data b = {.kernel = "k", .cmdline = cmdline};
	size_t room;
	uint32_t end = LAYOUT_MBI + LAYOUT_MBI_SIZE;

	write_info(&b);
	room = end - info(16) - strlen("k ") - 1;
	memset(cmdline, 'x', room);
	write_info(&b);
	ck_assert_uint_eq(info(16) + strlen(string_at(info(16))) + 1, end);
	ck_assert_uint_eq(u32_at(end), 0);

	cmdline[room] = 'x';
	memset(mem_ptr(&mem, gpa(LAYOUT_MBI), 4), 0, 4);
	ck_assert_int_eq(multiboot_write_info(&mem, &b, &err), -E2BIG);
	ck_assert_ptr_nonnull(strstr(err.text, "too long"));
	ck_assert_uint_eq(info(0), 0);
	ck_assert_uint_eq(u32_at(end), 0);
}
END_TEST

Suite *multiboot_info_suite(void)
{
	Suite *s = suite_create("multiboot_info");
	TCase *tc = tcase_create("multiboot_info");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, memory_is_told_in_both_ways);
	tcase_add_test(tc, ram_above_4_gib_is_in_the_map);
	tcase_add_test(tc, cmdline_starts_with_the_kernel);
	tcase_add_test(tc, modules_are_listed);
	tcase_add_test(tc, strings_may_fill_their_place_and_no_more);
	suite_add_tcase(s, tc);
	return s;
}
