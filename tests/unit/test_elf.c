/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/elf.c: what is and isn't such a file, cut short or spoilt at random. */
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/loops.h"
#include "tests/unit/suites.h"
#include "tests/unit/elf_fixture.h"

START_TEST(valid_image_is_loaded)
{
	static const uint8_t zero[BSS_SIZE];

	elf_expect_loaded();
	ck_assert_uint_eq(elf_fx.loaded.entry.v, ENTRY);
	ck_assert_uint_eq(elf_fx.loaded.end.v, DATA_GPA + DATA_SIZE + BSS_SIZE);
	ck_assert_mem_eq(mem_ptr(&elf_fx.mem, gpa(TEXT_GPA), TEXT_SIZE), elf_fx.image.text,
			 TEXT_SIZE);
	ck_assert_mem_eq(mem_ptr(&elf_fx.mem, gpa(DATA_GPA), DATA_SIZE), elf_fx.image.data,
			 DATA_SIZE);
	ck_assert_mem_eq(mem_ptr(&elf_fx.mem, gpa(DATA_GPA + DATA_SIZE), BSS_SIZE), zero, BSS_SIZE);
	ck_assert_uint_eq(*(uint8_t *)mem_ptr(&elf_fx.mem, gpa(TEXT_GPA + TEXT_SIZE), 1), 0);
}
END_TEST

START_TEST(order_of_segments_does_not_matter)
{
	Elf64_Phdr text = elf_fx.image.ph[TEXT];

	elf_fx.image.ph[TEXT] = elf_fx.image.ph[DATA];
	elf_fx.image.ph[DATA] = text;
	elf_expect_loaded();
	ck_assert_uint_eq(elf_fx.loaded.end.v, DATA_GPA + DATA_SIZE + BSS_SIZE);
}
END_TEST

START_TEST(position_independent_image_is_loaded)
{
	elf_fx.image.header.e_type = ET_DYN;
	elf_expect_loaded();
}
END_TEST

START_TEST(other_types_are_refused)
{
	elf_fx.image.header.e_type = ET_REL;
	elf_expect_refused(ENOEXEC, "type 1");
	elf_fx.image.header.e_type = ET_CORE;
	elf_expect_refused(ENOEXEC, "type 4");
}
END_TEST

START_TEST(other_elf_files_are_named)
{
	elf_fx.image.header.e_machine = EM_AARCH64;
	elf_expect_refused(ENOEXEC, "AArch64; one for x86-64 is needed");
	elf_fx.image.header.e_machine = 0x1234;
	elf_expect_refused(ENOEXEC, "machine 4660");
	elf_fx.image.header.e_ident[EI_VERSION] = 2;
	elf_expect_refused(ENOEXEC, "version 2");
	elf_fx.image.header.e_ident[EI_DATA] = ELFDATA2MSB;
	elf_expect_refused(ENOEXEC, "little-endian");
	elf_fx.image.header.e_ident[EI_CLASS] = ELFCLASS32;
	elf_expect_refused(ENOEXEC, "32-bit ELF file");
	elf_fx.image.header.e_ident[EI_CLASS] = 3;
	elf_expect_refused(ENOEXEC, "class 3");
	elf_fx.image.header.e_ident[EI_MAG3] = 'f';
	elf_expect_refused(ENOEXEC, "not an ELF file");
}
END_TEST

START_TEST(short_files_are_called_short)
{
	ck_assert_int_eq(elf_load_bytes("", 0), -ENOEXEC);
	ck_assert_ptr_nonnull(strstr(elf_fx.err.text, "too short for an ELF file (0 bytes)"));
	ck_assert_int_eq(elf_load_bytes("text", 4), -ENOEXEC);
	ck_assert_ptr_nonnull(strstr(elf_fx.err.text, "too short for an ELF file (4 bytes)"));
	ck_assert_int_eq(elf_load_bytes(&elf_fx.image, 4), -ENOEXEC);
	ck_assert_ptr_nonnull(strstr(elf_fx.err.text, "cut short (4 bytes)"));
	ck_assert_int_eq(elf_load_bytes(&elf_fx.image, sizeof(Elf64_Ehdr) - 1), -ENOEXEC);
	ck_assert_ptr_nonnull(strstr(elf_fx.err.text, "cut short (63 bytes)"));
}
END_TEST

START_TEST(every_shorter_file_is_refused)
{
	for (size_t size = 0; size < sizeof(elf_fx.image); size++) {
		ck_assert_int_ne(elf_load_bytes(&elf_fx.image, size), 0);
		ck_assert_int_ne(elf_fx.err.text[0], '\0');
		elf_expect_ram_untouched();
	}
	elf_expect_loaded();
}
END_TEST

START_TEST(program_header_table_is_checked)
{
	elf_fx.image.header.e_phnum = 0;
	elf_expect_refused(ENOEXEC, "no program headers");
	elf_fx.image.header.e_phnum = 65;
	elf_expect_refused(ENOEXEC, "65 program headers; at most 64");
	elf_fx.image.header.e_phnum = PN_XNUM;
	elf_expect_refused(ENOEXEC, "65535 program headers");
	elf_fx.image.header.e_phnum = PHDRS;
	elf_fx.image.header.e_phentsize = sizeof(Elf64_Phdr) - 1;
	elf_expect_refused(ENOEXEC, "55 bytes; ELF64 has 56");
	elf_fx.image.header.e_phentsize = sizeof(Elf64_Phdr);
	elf_fx.image.header.e_phoff = sizeof(elf_fx.image) - PHDRS * sizeof(Elf64_Phdr) + 1;
	elf_expect_refused(EINVAL, "program headers lie outside the file");
	elf_fx.image.header.e_phoff = sizeof(elf_fx.image);
	elf_expect_refused(EINVAL, "program headers lie outside the file");
	elf_fx.image.header.e_phoff = UINT64_MAX;
	elf_expect_refused(EINVAL, "program headers lie outside the file");
	elf_fx.image.header.e_phoff = -sizeof(Elf64_Phdr);
	elf_expect_refused(EINVAL, "program headers lie outside the file");
}
END_TEST

START_TEST(message_may_be_dropped)
{
	ck_assert_int_eq(elf_load_pvh(&elf_fx.loaded, &elf_fx.mem, (const uint8_t *)"text", 4,
				      NULL),
			 -ENOEXEC);
}
END_TEST

static bool is_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

static uint64_t random_state;

static uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Changes one to three places: bytes anywhere, or whole fields of headers to values at the edges. */
static void mutate(uint8_t *bytes)
{
	static const uint64_t edges[] = {
		0,
		1,
		PT_LOAD,
		PT_NOTE,
		8,
		RAM_SIZE,
		RAM_SIZE - 1,
		TEXT_GPA,
		TEXT_GPA + TEXT_SIZE,
		sizeof(elf_fx.image),
		1u << 31,
		1ull << 32,
		1ull << 63,
		UINT64_MAX,
		UINT64_MAX - 7,
	};
	size_t headers = offsetof(struct image, text);

	for (unsigned i = random_u64() % 3 + 1; i > 0; i--) {
		uint64_t edge = edges[random_u64() % (sizeof(edges) / sizeof(edges[0]))];
		size_t field = random_u64() % (headers / 4) * 4;
		size_t width = random_u64() % 2 ? 4 : 8;

		if (random_u64() % 2)
			bytes[random_u64() % sizeof(elf_fx.image)] = random_u64();
		else
			memcpy(bytes + field, &edge, width);
	}
}

START_TEST(mutated_images_never_reach_outside)
{
	enum { GUARD = 4096 };
	const unsigned rounds = loops(20000);
	uint8_t *ram = calloc(1, RAM_SIZE + 2 * GUARD);
	struct mem small = {.size_bytes = RAM_SIZE,
			    .region_count = 1,
			    .region = {{gpa(0), RAM_SIZE, ram + GUARD}}};
	unsigned accepted = 0;

	ck_assert_ptr_nonnull(ram);
	random_state = 0x9e3779b97f4a7c15;
	for (unsigned round = 0; round < rounds; round++) {
		uint8_t *file = malloc(sizeof(elf_fx.image));

		memcpy(file, &elf_fx.image, sizeof(elf_fx.image));
		mutate(file);
		if (elf_load_pvh(&elf_fx.loaded, &small, file, sizeof(elf_fx.image), &elf_fx.err) ==
		    0) {
			accepted++;
			ck_assert_uint_lt(elf_fx.loaded.entry.v, elf_fx.loaded.end.v);
			ck_assert_uint_le(elf_fx.loaded.end.v, RAM_SIZE);
		}
		free(file);
	}
	ck_assert(is_zero(ram, GUARD));
	ck_assert(is_zero(ram + GUARD + RAM_SIZE, GUARD));
	ck_assert(is_zero(ram + GUARD, LAYOUT_KERNEL_MIN));
	free(ram);

	/* neither all nor nothing, or the loop has tried little */
	ck_assert_uint_gt(accepted, rounds / 100);
	ck_assert_uint_lt(accepted, rounds - rounds / 10);
}
END_TEST

Suite *elf_suite(void)
{
	Suite *s = suite_create("elf");
	TCase *tc = tcase_create("elf");

	tcase_add_checked_fixture(tc, elf_fixture_setup, elf_fixture_teardown);
	tcase_add_test(tc, valid_image_is_loaded);
	tcase_add_test(tc, order_of_segments_does_not_matter);
	tcase_add_test(tc, position_independent_image_is_loaded);
	tcase_add_test(tc, other_types_are_refused);
	tcase_add_test(tc, other_elf_files_are_named);
	tcase_add_test(tc, short_files_are_called_short);
	tcase_add_test(tc, every_shorter_file_is_refused);
	tcase_add_test(tc, program_header_table_is_checked);
	tcase_add_test(tc, message_may_be_dropped);
	tcase_add_test(tc, mutated_images_never_reach_outside);
	suite_add_tcase(s, tc);
	return s;
}
