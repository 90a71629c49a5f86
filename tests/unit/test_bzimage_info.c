/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/bzimage_info.c: boot_params byte by byte, setup_data, page tables. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/bzimage_fixture.h"
#include "tests/unit/suites.h"
#include "vmm/bzimage.h"
#include "vmm/layout.h"

#define DTB_GPA  0x3f1000u
#define DTB_SIZE 100u

static struct bz_image image;
static struct mem mem;
static struct kernel_image loaded;
static struct err err;
static struct boot_data data;

static void setup(void)
{
	bz_build(&image);
	ck_assert_int_eq(mem_init(&mem, LAYOUT_RAM_MIN, &err), 0);
	ck_assert_int_eq(bzimage_load(&loaded, &mem, image.bytes, BZ_SIZE, &err), 0);
	data = (struct boot_data){
		.cmdline = "console=ttyS0",
		.rsdp = gpa(LAYOUT_RSDP),
		.reserved = gpa(0x3ff000),
	};
}

static void teardown(void)
{
	mem_fini(&mem);
}

static uint64_t get(uint64_t addr, unsigned bytes)
{
	uint64_t val = 0;

	ck_assert_int_eq(mem_read(&mem, gpa(addr), &val, bytes), 0);
	return val;
}

static uint64_t param(uint64_t off, unsigned bytes)
{
	return get(LAYOUT_BOOT_PARAMS + off, bytes);
}

START_TEST(the_zero_page)
{
	ck_assert_int_eq(bzimage_write_info(&mem, &data, &err), 0);
	ck_assert_uint_eq(param(0x70, 8), LAYOUT_RSDP);
	ck_assert_uint_eq(param(0x1ef, 1), 0); /* sentinel */
	ck_assert_uint_eq(param(0x210, 1), 0xff);
	ck_assert_uint_eq(param(0x228, 4), LAYOUT_CMDLINE);
	ck_assert_uint_eq(param(0x0c8, 4), 0);
	ck_assert_uint_eq(param(0x218, 8), 0); /* no initrd */
	ck_assert_str_eq(mem_ptr(&mem, gpa(LAYOUT_CMDLINE), 14), "console=ttyS0");
	/* the e820 table: low RAM, reserved, RAM, ACPI */
	ck_assert_uint_eq(param(0x1e8, 1), 4);
	ck_assert_uint_eq(param(0x2d0, 8), 0);
	ck_assert_uint_eq(param(0x2d8, 8), LAYOUT_EBDA);
	ck_assert_uint_eq(param(0x2e0, 4), 1);
	ck_assert_uint_eq(param(0x2d0 + 3 * 20, 8), 0x3ff000);
	ck_assert_uint_eq(param(0x2d0 + 3 * 20 + 16, 4), 3);
	ck_assert_uint_eq(param(0x2d0 + 4 * 20, 8), 0);
}
END_TEST

START_TEST(an_initrd_and_a_device_tree)
{
	data.module_count = 2;
	data.module[0] = (struct boot_module){gpa(0x300000), 1234, "x", BOOT_INITRD};
	data.module[1] = (struct boot_module){gpa(DTB_GPA), DTB_SIZE, "", BOOT_DTB};
	ck_assert_int_eq(bzimage_write_info(&mem, &data, &err), 0);
	ck_assert_uint_eq(param(0x218, 4), 0x300000);
	ck_assert_uint_eq(param(0x21c, 4), 1234);
	/* the seed first, then the tree, whose head stands in front of it */
	ck_assert_uint_eq(param(0x250, 8), LAYOUT_SETUP_DATA);
	ck_assert_uint_eq(get(LAYOUT_SETUP_DATA, 8), DTB_GPA - 16);
	ck_assert_uint_eq(get(DTB_GPA - 16, 8), 0);
	ck_assert_uint_eq(get(DTB_GPA - 8, 4), 2);
	ck_assert_uint_eq(get(DTB_GPA - 4, 4), DTB_SIZE);
}
END_TEST

START_TEST(seeds_differ)
{
	uint8_t first[32], second[32];

	ck_assert_int_eq(bzimage_write_info(&mem, &data, &err), 0);
	ck_assert_uint_eq(get(LAYOUT_SETUP_DATA, 8), 0);
	ck_assert_uint_eq(get(LAYOUT_SETUP_DATA + 8, 4), 9);
	ck_assert_uint_eq(get(LAYOUT_SETUP_DATA + 12, 4), 32);
	mem_read(&mem, gpa(LAYOUT_SETUP_DATA + 16), first, sizeof(first));
	ck_assert_int_eq(bzimage_write_info(&mem, &data, &err), 0);
	mem_read(&mem, gpa(LAYOUT_SETUP_DATA + 16), second, sizeof(second));
	ck_assert_int_ne(memcmp(first, second, sizeof(first)), 0);
	/* written twice, the list is no longer than before */
	ck_assert_uint_eq(get(LAYOUT_SETUP_DATA, 8), 0);
}
END_TEST

START_TEST(the_kernel_sets_the_limit_of_its_command_line)
{
	char line[4096];

	memset(line, 'x', sizeof(line));
	line[2047] = '\0';
	data.cmdline = line;
	ck_assert_int_eq(bzimage_write_info(&mem, &data, &err), 0);
	line[2047] = 'x';
	line[2048] = '\0';
	ck_assert_int_eq(bzimage_write_info(&mem, &data, &err), -E2BIG);
	ck_assert_ptr_nonnull(strstr(err.text, "2048 bytes; this kernel takes 2047"));
	/* a kernel that takes more than there is room for */
	bz_header(&image)->cmdline_size = UINT32_MAX;
	ck_assert_int_eq(bzimage_load(&loaded, &mem, image.bytes, BZ_SIZE, &err), 0);
	line[2048] = 'x';
	line[4095] = '\0';
	ck_assert_int_eq(bzimage_write_info(&mem, &data, &err), 0);
	ck_assert_uint_eq(get(LAYOUT_CMDLINE + 4095, 1), 0);
}
END_TEST

/* Walks the tables as a CPU does. */
static uint64_t translate(uint64_t addr)
{
	uint64_t table = LAYOUT_LONG_MODE, entry;

	for (unsigned shift = 39; shift > 21; shift -= 9) {
		entry = get(table + (addr >> shift & 511) * 8, 8);
		ck_assert_uint_eq(entry & 0x83, 3);
		table = entry & ~0xfffull;
	}
	entry = get(table + (addr >> 21 & 511) * 8, 8);
	ck_assert_uint_eq(entry & 0x83, 0x83);
	return (entry & ~0x1fffffull) | (addr & 0x1fffff);
}

START_TEST(page_tables_map_4_gib_to_themselves)
{
	static const uint64_t addr[] = {0, 0x1fffff, 0x200000, 0x3fffffff, 0x40000000, 0xffffffff};

	ck_assert_int_eq(bzimage_write_info(&mem, &data, &err), 0);
	for (size_t i = 0; i < sizeof(addr) / sizeof(addr[0]); i++)
		ck_assert_uint_eq(translate(addr[i]), addr[i]);
	ck_assert_uint_eq(get(LAYOUT_LONG_MODE + 8, 8), 0);
	ck_assert_uint_eq(get(LAYOUT_LONG_MODE + 0x1000 + 4 * 8, 8), 0);
	ck_assert_uint_eq(get(LAYOUT_BOOT_GDT + 0x10 + 4, 4), 0x00af9b00);
}
END_TEST

Suite *bzimage_info_suite(void)
{
	Suite *s = suite_create("bzimage_info");
	TCase *t = tcase_create("bzimage_info");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_zero_page);
	tcase_add_test(t, an_initrd_and_a_device_tree);
	tcase_add_test(t, seeds_differ);
	tcase_add_test(t, the_kernel_sets_the_limit_of_its_command_line);
	tcase_add_test(t, page_tables_map_4_gib_to_themselves);
	suite_add_tcase(s, t);
	return s;
}
