/* SPDX-License-Identifier: MIT */
/* Unit tests of the AML encodings. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/acpi_aml.h"

#define MIB 0x100000ull

START_TEST(package_lengths_grow_at_their_borders)
{
	static const struct {
		size_t contents;
		uint8_t length[4];
		size_t length_bytes;
	} cases[] = {
		{0, {0x01}, 1},
		{62, {0x3f}, 1},
		{63, {0x41, 0x04}, 2},            /* 65 */
		{4093, {0x4f, 0xff}, 2},          /* 4095 */
		{4094, {0x81, 0x00, 0x01}, 3},    /* 4097 */
		{1048572, {0x8f, 0xff, 0xff}, 3}, /* 2^20 - 1 */
		{1048573, {0xc1, 0x00, 0x00, 0x01}, 4},
	};
	uint8_t *contents = malloc(MIB);

	ck_assert_ptr_nonnull(contents);
	memset(contents, 0x55, MIB);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t total = 1 + cases[i].length_bytes + cases[i].contents, start;
		struct acpi_buf b = {.data = calloc(1, total), .capacity_bytes = total};

		ck_assert_ptr_nonnull(b.data);
		start = aml_open(&b, (const uint8_t[]){0xaa}, 1);
		acpi_buf_put(&b, contents, cases[i].contents);
		aml_close(&b, start);
		ck_assert_uint_eq(b.size_bytes, total);
		ck_assert_uint_eq(b.data[0], 0xaa);
		ck_assert_mem_eq(b.data + 1, cases[i].length, cases[i].length_bytes);
		ck_assert_mem_eq(b.data + total - cases[i].contents, contents, cases[i].contents);
		free(b.data);
	}
	free(contents);
}
END_TEST

START_TEST(integers_take_the_shortest_form)
{
	static const struct {
		uint64_t value;
		uint8_t bytes[9];
		size_t count;
	} cases[] = {
		{0, {0x00}, 1},
		{1, {0x01}, 1},
		{2, {0x0a, 2}, 2},
		{255, {0x0a, 0xff}, 2},
		{256, {0x0b, 0x00, 0x01}, 3},
		{65535, {0x0b, 0xff, 0xff}, 3},
		{65536, {0x0c, 0, 0, 1, 0}, 5},
		{0xffffffff, {0x0c, 0xff, 0xff, 0xff, 0xff}, 5},
		{0x100000000, {0x0e, 0, 0, 0, 0, 1, 0, 0, 0}, 9},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t data[16] = {0};
		struct acpi_buf b = {.data = data, .capacity_bytes = sizeof(data)};

		aml_name_integer(&b, "ABCD", cases[i].value);
		ck_assert_uint_eq(b.size_bytes, 5 + cases[i].count);
		ck_assert_mem_eq(data,
				 "\x08"
				 "ABCD",
				 5);
		ck_assert_mem_eq(data + 5, cases[i].bytes, cases[i].count);
	}
}
END_TEST

/* Digits above 9, letters up to Z, and IDs that a shorter integer could hold. */
START_TEST(packs_eisa_ids)
{
	static const struct {
		const char *id;
		uint8_t bytes[4];
	} cases[] = {
		{"PNP0501", {0x41, 0xd0, 0x05, 0x01}}, {"PNP0B00", {0x41, 0xd0, 0x0b, 0x00}},
		{"PNPFFFF", {0x41, 0xd0, 0xff, 0xff}}, {"AAA0000", {0x04, 0x21, 0x00, 0x00}},
		{"ZZZ0C0A", {0x6b, 0x5a, 0x0c, 0x0a}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t data[16] = {0};
		struct acpi_buf b = {.data = data, .capacity_bytes = sizeof(data)};

		aml_hid_eisa(&b, cases[i].id);
		ck_assert_uint_eq(b.size_bytes, 10);
		ck_assert_mem_eq(data, "\x08_HID\x0c", 6);
		ck_assert_mem_eq(data + 6, cases[i].bytes, 4);
	}
}
END_TEST

Suite *acpi_aml_suite(void)
{
	Suite *s = suite_create("acpi_aml");
	TCase *t = tcase_create("acpi_aml");

	tcase_add_test(t, package_lengths_grow_at_their_borders);
	tcase_add_test(t, integers_take_the_shortest_form);
	tcase_add_test(t, packs_eisa_ids);
	suite_add_tcase(s, t);
	return s;
}
