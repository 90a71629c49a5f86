/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/mem.c. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/layout.h"
#include "vmm/mem.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define PAGE   4096ull

static struct mem mem;

static void init(uint64_t size_bytes)
{
	struct err e;

	ck_assert_msg(mem_init(&mem, size_bytes, &e) == 0, "%s", e.text);
}

static void fini(void)
{
	mem_fini(&mem);
}

START_TEST(small_ram_is_one_region)
{
	init(MIB(8));
	ck_assert_uint_eq(mem.size_bytes, MIB(8));
	ck_assert_uint_eq(mem.region_count, 1);
	ck_assert_uint_eq(mem.region[0].base.v, 0);
	ck_assert_uint_eq(mem.region[0].size_bytes, MIB(8));
	ck_assert_uint_eq(mem_low_end(&mem).v, MIB(8));
}
END_TEST

START_TEST(ram_is_zeroed)
{
	const uint8_t *host;

	init(MIB(1));
	host = mem_ptr(&mem, gpa(0), MIB(1));
	ck_assert_ptr_nonnull(host);
	ck_assert_uint_eq(host[0], 0);
	ck_assert_msg(!memcmp(host, host + 1, MIB(1) - 1), "not all zero");
}
END_TEST

START_TEST(low_ram_may_fill_up_to_the_hole)
{
	init(LAYOUT_LOW_RAM_MAX);
	ck_assert_uint_eq(mem.region_count, 1);
	ck_assert_uint_eq(mem_low_end(&mem).v, LAYOUT_LOW_RAM_MAX);
	ck_assert_ptr_null(mem_ptr(&mem, gpa(LAYOUT_HIGH_RAM_BASE), 1));
}
END_TEST

START_TEST(what_is_above_goes_past_4_gib)
{
	init(LAYOUT_LOW_RAM_MAX + PAGE);
	ck_assert_uint_eq(mem.region_count, 2);
	ck_assert_uint_eq(mem_low_end(&mem).v, LAYOUT_LOW_RAM_MAX);
	ck_assert_uint_eq(mem.region[1].base.v, LAYOUT_HIGH_RAM_BASE);
	ck_assert_uint_eq(mem.region[1].size_bytes, PAGE);
	ck_assert_ptr_eq(mem_ptr(&mem, gpa(LAYOUT_HIGH_RAM_BASE), PAGE),
			 mem.region[0].host + LAYOUT_LOW_RAM_MAX);
}
END_TEST

START_TEST(ptr_takes_the_last_byte_and_no_more)
{
	init(MIB(4));
	ck_assert_ptr_eq(mem_ptr(&mem, gpa(MIB(4) - 1), 1), mem.region[0].host + MIB(4) - 1);
	ck_assert_ptr_null(mem_ptr(&mem, gpa(MIB(4) - 1), 2));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(MIB(4)), 1));
	ck_assert_ptr_eq(mem_ptr(&mem, gpa(0), MIB(4)), mem.region[0].host);
	ck_assert_ptr_null(mem_ptr(&mem, gpa(0), MIB(4) + 1));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(1), MIB(4)));
}
END_TEST

START_TEST(ptr_does_not_wrap)
{
	init(MIB(4));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(1), UINT64_MAX));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(UINT64_MAX), 1));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(UINT64_MAX), 2));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(UINT64_MAX - PAGE + 1), 2 * PAGE));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(0), UINT64_MAX));
}
END_TEST

START_TEST(ptr_does_not_cross_the_hole)
{
	init(LAYOUT_LOW_RAM_MAX + 2 * PAGE);
	ck_assert_ptr_nonnull(mem_ptr(&mem, gpa(LAYOUT_LOW_RAM_MAX - 1), 1));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(LAYOUT_LOW_RAM_MAX - 1), 2));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(LAYOUT_LOW_RAM_MAX), 1));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(LAYOUT_HIGH_RAM_BASE - 1), 1));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(LAYOUT_HIGH_RAM_BASE - 1), 2));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(LAYOUT_LOW_RAM_MAX - PAGE),
				   LAYOUT_HIGH_RAM_BASE - LAYOUT_LOW_RAM_MAX + 2 * PAGE));
	ck_assert_ptr_nonnull(mem_ptr(&mem, gpa(LAYOUT_HIGH_RAM_BASE + 2 * PAGE - 1), 1));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(LAYOUT_HIGH_RAM_BASE + 2 * PAGE - 1), 2));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(LAYOUT_HIGH_RAM_BASE + 2 * PAGE), 1));
}
END_TEST

START_TEST(empty_ranges_need_an_address_in_ram)
{
	init(MIB(4));
	ck_assert_ptr_nonnull(mem_ptr(&mem, gpa(0), 0));
	ck_assert_ptr_nonnull(mem_ptr(&mem, gpa(MIB(4) - 1), 0));
	ck_assert_ptr_null(mem_ptr(&mem, gpa(MIB(4)), 0));
	ck_assert_int_eq(mem_write(&mem, gpa(0), NULL, 0), 0);
	ck_assert_int_eq(mem_read(&mem, gpa(0), NULL, 0), 0);
	ck_assert_int_eq(mem_write(&mem, gpa(MIB(4)), NULL, 0), -EFAULT);
}
END_TEST

START_TEST(copies_go_in_and_out)
{
	char text[8];

	init(LAYOUT_LOW_RAM_MAX + PAGE);
	ck_assert_int_eq(mem_write(&mem, gpa(LAYOUT_HIGH_RAM_BASE + PAGE - 8), "highest", 8), 0);
	ck_assert_int_eq(mem_write(&mem, gpa(LAYOUT_LOW_RAM_MAX - 8), "low end", 8), 0);
	ck_assert_int_eq(mem_read(&mem, gpa(LAYOUT_HIGH_RAM_BASE + PAGE - 8), text, 8), 0);
	ck_assert_str_eq(text, "highest");
	ck_assert_int_eq(mem_read(&mem, gpa(LAYOUT_LOW_RAM_MAX - 8), text, 8), 0);
	ck_assert_str_eq(text, "low end");
}
END_TEST

START_TEST(refused_copies_touch_nothing)
{
	char text[8] = "as were";
	char zero[7] = {0};

	init(MIB(4));
	ck_assert_int_eq(mem_write(&mem, gpa(MIB(4) - 7), "8 bytes", 8), -EFAULT);
	ck_assert_mem_eq(mem_ptr(&mem, gpa(MIB(4) - 7), 7), zero, 7);
	ck_assert_int_eq(mem_read(&mem, gpa(MIB(4) - 7), text, 8), -EFAULT);
	ck_assert_str_eq(text, "as were");
}
END_TEST

START_TEST(too_much_is_refused)
{
	struct err e = {""};

	memset(&mem, 0xff, sizeof(mem));
	ck_assert_int_eq(mem_init(&mem, -PAGE, &e), -ENOMEM);
	ck_assert_ptr_nonnull(strstr(e.text, "guest RAM"));
	ck_assert_uint_eq(mem.region_count, 0);
	ck_assert_ptr_null(mem_ptr(&mem, gpa(0), 1));
	mem_fini(&mem);
}
END_TEST

START_TEST(fini_is_safe_twice)
{
	init(MIB(1));
	mem_fini(&mem);
	ck_assert_ptr_null(mem_ptr(&mem, gpa(0), 1));
	mem_fini(&mem);
	ck_assert_uint_eq(mem.size_bytes, 0);
}
END_TEST

Suite *mem_suite(void)
{
	Suite *s = suite_create("mem");
	TCase *tc = tcase_create("mem");

	tcase_add_checked_fixture(tc, NULL, fini);
	tcase_add_test(tc, small_ram_is_one_region);
	tcase_add_test(tc, ram_is_zeroed);
	tcase_add_test(tc, low_ram_may_fill_up_to_the_hole);
	tcase_add_test(tc, what_is_above_goes_past_4_gib);
	tcase_add_test(tc, ptr_takes_the_last_byte_and_no_more);
	tcase_add_test(tc, ptr_does_not_wrap);
	tcase_add_test(tc, ptr_does_not_cross_the_hole);
	tcase_add_test(tc, empty_ranges_need_an_address_in_ram);
	tcase_add_test(tc, copies_go_in_and_out);
	tcase_add_test(tc, refused_copies_touch_nothing);
	tcase_add_test(tc, too_much_is_refused);
	tcase_add_test(tc, fini_is_safe_twice);
	suite_add_tcase(s, tc);
	return s;
}
