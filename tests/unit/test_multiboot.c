/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/multiboot.c: finding the header, and both ways to load. */
#include <check.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/layout.h"
#include "vmm/multiboot.h"

#define RAM_SIZE   LAYOUT_RAM_MIN
#define TEXT_GPA   0x100000u
#define TEXT_SIZE  64
#define DATA_GPA   0x8000u /* below 1 MiB: allowed here */
#define DATA_SIZE  32
#define BSS_SIZE   0x1000
#define ENTRY      (TEXT_GPA + 0x20)
#define MAGIC      0x1badb002u
#define VIDEO      (1u << 2)
#define ADDRESSES  (1u << 16)
#define SEARCH     8192
#define FLAT_BYTES 96

struct header {
	uint32_t magic, flags, checksum;
	uint32_t header_addr, load_addr, load_end_addr, bss_end_addr, entry_addr;
};

/* The file, byte for byte; its last byte belongs to a segment, so that none can be spared. */
struct image {
	Elf32_Ehdr elf;
	Elf32_Phdr ph[2];
	struct header header;
	uint8_t text[TEXT_SIZE];
	uint8_t data[DATA_SIZE];
};

static struct image image;
static struct mem mem;
static struct kernel_image loaded;
static struct err err;

static void set_flags(struct header *h, uint32_t flags)
{
	h->magic = MAGIC;
	h->flags = flags;
	h->checksum = 0u - MAGIC - flags;
}

static void build_image(void)
{
	static const uint8_t ident[EI_NIDENT] = {0x7f,       'E',         'L',       'F',
						 ELFCLASS32, ELFDATA2LSB, EV_CURRENT};

	memset(&image, 0, sizeof(image));
	memcpy(image.elf.e_ident, ident, sizeof(ident));
	image.elf.e_type = ET_EXEC;
	image.elf.e_machine = EM_386;
	image.elf.e_entry = ENTRY;
	image.elf.e_phoff = offsetof(struct image, ph);
	image.elf.e_phentsize = sizeof(Elf32_Phdr);
	image.elf.e_phnum = 2;
	image.ph[0] = (Elf32_Phdr){
		.p_type = PT_LOAD,
		.p_offset = offsetof(struct image, text),
		.p_vaddr = TEXT_GPA,
		.p_paddr = TEXT_GPA,
		.p_filesz = TEXT_SIZE,
		.p_memsz = TEXT_SIZE,
	};
	image.ph[1] = (Elf32_Phdr){
		.p_type = PT_LOAD,
		.p_offset = offsetof(struct image, data),
		.p_vaddr = DATA_GPA,
		.p_paddr = DATA_GPA,
		.p_filesz = DATA_SIZE,
		.p_memsz = DATA_SIZE + BSS_SIZE,
	};
	set_flags(&image.header, 0);
	memset(image.text, 0x90, sizeof(image.text));
	memset(image.data, 0xda, sizeof(image.data));
}

static void setup(void)
{
	build_image();
	ck_assert_int_eq(mem_init(&mem, RAM_SIZE, &err), 0);
}

static void teardown(void)
{
	mem_fini(&mem);
}

/* Loads a copy that ends where its heap block ends, at an odd address. */
static int load_bytes(const void *bytes, size_t size)
{
	uint8_t *block = malloc(size + 1);
	int ret;

	ck_assert_ptr_nonnull(block);
	memcpy(block + 1, bytes, size);
	memset(&err, 0, sizeof(err));
	ret = multiboot_load(&loaded, &mem, block + 1, size, &err);
	free(block);
	return ret;
}

static void expect_byte(uint64_t addr, uint8_t val)
{
	ck_assert_uint_eq(*(uint8_t *)mem_ptr(&mem, gpa(addr), 1), val);
}

static void expect_untouched(void)
{
	expect_byte(TEXT_GPA, 0);
	expect_byte(DATA_GPA, 0);
}

static void expect_refused_bytes(const void *bytes, size_t size, int code, const char *text)
{
	ck_assert_int_eq(load_bytes(bytes, size), -code);
	ck_assert_msg(strstr(err.text, text) != NULL, "no '%s' in '%s'", text, err.text);
	expect_untouched();
}

static void expect_refused(int code, const char *text)
{
	expect_refused_bytes(&image, sizeof(image), code, text);
}

static void expect_loaded(void)
{
	int ret = load_bytes(&image, sizeof(image));

	ck_assert_msg(ret == 0, "%s", err.text);
}

START_TEST(header_is_found_in_the_first_8192_bytes)
{
	static uint8_t file[SEARCH + 64];
	struct header h;

	set_flags(&h, 0x3);
	for (size_t off = 0; off <= SEARCH; off += 4) {
		memset(file, 0, sizeof(file));
		memcpy(file + off, &h, 12);
		ck_assert_int_eq(multiboot_recognise(file, sizeof(file)), off + 12 <= SEARCH);
		ck_assert_int_eq(multiboot_recognise(file, off + 12), off + 12 <= SEARCH);
		ck_assert(!multiboot_recognise(file, off + 11));
	}
}
END_TEST

START_TEST(header_is_aligned_and_sums_up_to_0)
{
	uint8_t file[64] = {0};
	struct header h;

	set_flags(&h, 0x3);
	memcpy(file + 2, &h, 12);
	ck_assert(!multiboot_recognise(file, sizeof(file)));
	memcpy(file + 4, &h, 12);
	ck_assert(multiboot_recognise(file, sizeof(file)));
	h.checksum++;
	memcpy(file + 4, &h, 12);
	ck_assert(!multiboot_recognise(file, sizeof(file)));
	ck_assert(!multiboot_recognise(file, 0));
	ck_assert_int_eq(load_bytes(file, sizeof(file)), -ENOEXEC);
}
END_TEST

START_TEST(a_false_start_does_not_hide_the_header)
{
	uint32_t file[8] = {MAGIC, 1, 2, MAGIC, 0, -MAGIC};

	ck_assert(multiboot_recognise((const uint8_t *)file, sizeof(file)));
}
END_TEST

START_TEST(elf64_is_left_to_others)
{
	ck_assert(multiboot_recognise((const uint8_t *)&image, sizeof(image)));
	image.elf.e_ident[EI_CLASS] = ELFCLASS64;
	ck_assert(!multiboot_recognise((const uint8_t *)&image, sizeof(image)));
}
END_TEST

START_TEST(elf32_is_loaded_by_its_segments)
{
	expect_loaded();
	ck_assert_uint_eq(loaded.entry.v, ENTRY);
	ck_assert_uint_eq(loaded.end.v, TEXT_GPA + TEXT_SIZE);
	expect_byte(TEXT_GPA, 0x90);
	expect_byte(TEXT_GPA + TEXT_SIZE - 1, 0x90);
	expect_byte(TEXT_GPA + TEXT_SIZE, 0);
	expect_byte(DATA_GPA + DATA_SIZE - 1, 0xda);
	expect_byte(DATA_GPA + DATA_SIZE, 0);
}
END_TEST

START_TEST(elf32_may_be_linked_high)
{
	image.ph[0].p_vaddr = 0xc0000000 + TEXT_GPA;
	image.elf.e_entry = image.ph[0].p_vaddr + TEXT_SIZE - 1;
	expect_loaded();
	ck_assert_uint_eq(loaded.entry.v, TEXT_GPA + TEXT_SIZE - 1);
}
END_TEST

START_TEST(elf32_entry_must_be_loaded)
{
	image.elf.e_entry = TEXT_GPA + TEXT_SIZE;
	expect_refused(EINVAL, "entry point 0x100040 is in nothing that is loaded");
	image.ph[0].p_vaddr = 0xfffffff0;
	image.elf.e_entry = 0;
	expect_refused(EINVAL, "entry point 0 is in nothing");
	image.elf.e_entry = 0xffffffff;
	expect_loaded();
	ck_assert_uint_eq(loaded.entry.v, TEXT_GPA + 15);
}
END_TEST

START_TEST(low_segments_leave_the_boot_data_alone)
{
	image.ph[1].p_paddr = LAYOUT_MBI - DATA_SIZE - BSS_SIZE;
	expect_loaded();
	memset(mem_ptr(&mem, gpa(TEXT_GPA), TEXT_SIZE), 0, TEXT_SIZE);
	image.ph[1].p_paddr++;
	expect_refused(EINVAL, "segment 1 (0x1020 bytes at 0x9afe1) does not fit below 0x9c000");
	image.ph[1].p_paddr = LAYOUT_MBI + 1;
	expect_refused(EINVAL, "does not fit below 0x9c000");
	image.ph[1].p_paddr = LAYOUT_KERNEL_MIN - 1;
	expect_refused(EINVAL, "nor does it start at 0x100000");
	image.ph[1].p_paddr = DATA_GPA;
	image.ph[1].p_memsz = UINT32_MAX;
	expect_refused(EINVAL, "does not fit below");
}
END_TEST

START_TEST(elf32_segments_are_checked)
{
	image.ph[1].p_offset++;
	expect_refused(EINVAL, "segment 1 (0x20 bytes at 0xd5) lies outside the file");
	image.ph[1].p_offset = UINT32_MAX;
	expect_refused(EINVAL, "lies outside the file");
	build_image();
	image.ph[1].p_paddr = RAM_SIZE;
	expect_refused(EINVAL, "does not fit into guest RAM");
	image.ph[1].p_paddr = TEXT_GPA + TEXT_SIZE - 1;
	expect_refused(EINVAL, "overlaps one at 0x100000");
	image.elf.e_phnum = 65;
	expect_refused(ENOEXEC, "65 program headers; at most 64");
	image.elf.e_phnum = 2;
	image.elf.e_phoff = UINT32_MAX;
	expect_refused(EINVAL, "program headers lie outside the file");
	image.elf.e_phentsize = sizeof(Elf64_Phdr);
	expect_refused(ENOEXEC, "56 bytes; ELF32 has 32");
}
END_TEST

START_TEST(only_elf32_for_i386_will_do)
{
	image.elf.e_machine = EM_X86_64;
	expect_refused(ENOEXEC, "for x86-64; one for i386 is needed");
	image.elf.e_ident[EI_CLASS] = ELFCLASS64;
	expect_refused(ENOEXEC, "a 64-bit ELF file; a Multiboot kernel");
	image.elf.e_ident[EI_MAG0] = 0;
	expect_refused(ENOEXEC, "not an ELF file; a Multiboot kernel without address fields");
}
END_TEST

START_TEST(every_shorter_file_is_refused)
{
	for (size_t size = 0; size < sizeof(image); size++) {
		ck_assert_int_ne(load_bytes(&image, size), 0);
		ck_assert_int_ne(err.text[0], '\0');
		expect_untouched();
	}
	expect_loaded();
}
END_TEST

START_TEST(required_features_must_exist)
{
	for (unsigned bit = 0; bit < 32; bit++) {
		if (1u << bit == ADDRESSES)
			continue;
		set_flags(&image.header, 1u << bit);
		if (1u << bit == VIDEO)
			expect_refused(ENOEXEC, "requires a video mode");
		else if (bit > 2 && bit < 16)
			expect_refused(ENOEXEC, "requires features");
		else
			expect_loaded();
		memset(mem_ptr(&mem, gpa(TEXT_GPA), TEXT_SIZE), 0, TEXT_SIZE);
		memset(mem_ptr(&mem, gpa(DATA_GPA), DATA_SIZE), 0, DATA_SIZE);
	}
}
END_TEST

/* A flat file with its header 8 bytes in, to be loaded without its first 4 bytes. */
struct flat {
	uint32_t before[2];
	struct header h;
	uint8_t rest[FLAT_BYTES];
};

static struct flat flat;

static void build_flat(void)
{
	flat = (struct flat){.before = {0x11111111, 0x22222222}};
	set_flags(&flat.h, ADDRESSES);
	flat.h.header_addr = TEXT_GPA + 4;
	flat.h.load_addr = TEXT_GPA;
	flat.h.entry_addr = TEXT_GPA + 0x30;
	memset(flat.rest, 0x90, sizeof(flat.rest));
}

static void expect_flat_refused(const char *text)
{
	expect_refused_bytes(&flat, sizeof(flat), EINVAL, text);
}

START_TEST(flat_file_is_loaded_to_its_end)
{
	build_flat();
	ck_assert_int_eq(load_bytes(&flat, sizeof(flat)), 0);
	ck_assert_uint_eq(loaded.entry.v, TEXT_GPA + 0x30);
	ck_assert_uint_eq(loaded.end.v, TEXT_GPA + sizeof(flat) - 4);
	expect_byte(TEXT_GPA, 0x22);
	expect_byte(TEXT_GPA + 4, MAGIC & 0xff);
	expect_byte(TEXT_GPA + sizeof(flat) - 5, 0x90);
	expect_byte(TEXT_GPA + sizeof(flat) - 4, 0);
}
END_TEST

START_TEST(flat_file_may_end_early_and_have_bss)
{
	build_flat();
	flat.h.load_end_addr = TEXT_GPA + 0x31;
	flat.h.bss_end_addr = TEXT_GPA + 0x2000;
	ck_assert_int_eq(load_bytes(&flat, sizeof(flat)), 0);
	ck_assert_uint_eq(loaded.end.v, TEXT_GPA + 0x2000);
	expect_byte(TEXT_GPA + 0x30, 0x90);
	expect_byte(TEXT_GPA + 0x31, 0);
}
END_TEST

START_TEST(flat_addresses_are_checked)
{
	build_flat();
	flat.h.load_addr = flat.h.header_addr + 1;
	expect_flat_refused("do not fit a header at 0x8");
	flat.h.load_addr = flat.h.header_addr - 9;
	expect_flat_refused("do not fit a header at 0x8");
	flat.h.load_addr = 0;
	flat.h.header_addr = UINT32_MAX;
	expect_flat_refused("do not fit a header");
	build_flat();
	flat.h.load_end_addr = TEXT_GPA - 1;
	expect_flat_refused("do not ascend");
	flat.h.load_end_addr = TEXT_GPA + sizeof(flat) - 4 + 1;
	expect_flat_refused("lies outside the file");
	flat.h.load_end_addr = UINT32_MAX;
	expect_flat_refused("lies outside the file");
	build_flat();
	flat.h.bss_end_addr = TEXT_GPA + sizeof(flat) - 5;
	expect_flat_refused("do not ascend");
	flat.h.bss_end_addr = RAM_SIZE + 1;
	expect_flat_refused("does not fit into guest RAM");
	build_flat();
	flat.h.entry_addr = TEXT_GPA - 1;
	expect_flat_refused("entry point 0xfffff is in nothing that is loaded");
	build_flat();
	flat.h.load_addr = flat.h.header_addr = 0xfffffff0;
	flat.h.entry_addr = 0xfffffff0;
	expect_flat_refused("does not fit into guest RAM");
}
END_TEST

START_TEST(flat_header_must_be_whole)
{
	static uint8_t file[SEARCH + 64];

	build_flat();
	expect_refused_bytes(&flat, offsetof(struct flat, rest) - 1, EINVAL, "cut short");
	flat.h.load_addr = flat.h.header_addr;
	memcpy(file + SEARCH - 28, &flat.h, sizeof(flat.h));
	expect_refused_bytes(file, sizeof(file), EINVAL, "cut short");
	memset(file, 0, sizeof(file));
	memcpy(file + SEARCH - 32, &flat.h, sizeof(flat.h));
	ck_assert_int_eq(load_bytes(file, sizeof(file)), 0);
}
END_TEST

Suite *multiboot_suite(void)
{
	Suite *s = suite_create("multiboot");
	TCase *tc = tcase_create("multiboot");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, header_is_found_in_the_first_8192_bytes);
	tcase_add_test(tc, header_is_aligned_and_sums_up_to_0);
	tcase_add_test(tc, a_false_start_does_not_hide_the_header);
	tcase_add_test(tc, elf64_is_left_to_others);
	tcase_add_test(tc, elf32_is_loaded_by_its_segments);
	tcase_add_test(tc, elf32_may_be_linked_high);
	tcase_add_test(tc, elf32_entry_must_be_loaded);
	tcase_add_test(tc, low_segments_leave_the_boot_data_alone);
	tcase_add_test(tc, elf32_segments_are_checked);
	tcase_add_test(tc, only_elf32_for_i386_will_do);
	tcase_add_test(tc, every_shorter_file_is_refused);
	tcase_add_test(tc, required_features_must_exist);
	tcase_add_test(tc, flat_file_is_loaded_to_its_end);
	tcase_add_test(tc, flat_file_may_end_early_and_have_bss);
	tcase_add_test(tc, flat_addresses_are_checked);
	tcase_add_test(tc, flat_header_must_be_whole);
	suite_add_tcase(s, tc);
	return s;
}
