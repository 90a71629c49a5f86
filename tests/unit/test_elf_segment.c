/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/elf.c: segments, notes and the entry point. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "tests/unit/elf_fixture.h"

START_TEST(segment_must_lie_in_the_file)
{
	elf_fx.image.ph[DATA].p_offset++;
	elf_expect_refused(EINVAL, "segment 1 (0x20 bytes at");
	elf_fx.image.ph[DATA].p_offset = UINT64_MAX;
	elf_expect_refused(EINVAL, "outside the file");
	elf_fx.image.ph[DATA].p_offset = -DATA_SIZE / 2;
	elf_expect_refused(EINVAL, "outside the file");
	elf_fx.image.ph[DATA].p_offset = offsetof(struct image, data);
	elf_fx.image.ph[DATA].p_filesz = elf_fx.image.ph[DATA].p_memsz = DATA_SIZE + 1;
	elf_expect_refused(EINVAL, "outside the file");
	elf_fx.image.ph[DATA].p_filesz = elf_fx.image.ph[DATA].p_memsz = UINT64_MAX;
	elf_expect_refused(EINVAL, "outside the file");
}
END_TEST

START_TEST(segment_must_not_shrink)
{
	elf_fx.image.ph[DATA].p_memsz = DATA_SIZE - 1;
	elf_expect_refused(EINVAL, "more bytes in the file (0x20) than in memory (0x1f)");
	elf_fx.image.ph[DATA].p_memsz = DATA_SIZE;
	elf_expect_loaded();
}
END_TEST

START_TEST(segment_may_be_all_bss)
{
	elf_fx.image.ph[DATA].p_filesz = 0;
	elf_expect_loaded();
	ck_assert_uint_eq(*(uint8_t *)mem_ptr(&elf_fx.mem, gpa(DATA_GPA), 1), 0);
	ck_assert_uint_eq(elf_fx.loaded.end.v, DATA_GPA + DATA_SIZE + BSS_SIZE);
}
END_TEST

START_TEST(segment_must_lie_above_the_first_mib)
{
	elf_fx.image.ph[DATA].p_paddr = LAYOUT_KERNEL_MIN - 1;
	elf_expect_refused(EINVAL, "segment 1 loads at 0xfffff; the lowest address is 0x100000");
	elf_fx.image.ph[DATA].p_paddr = 0;
	elf_expect_refused(EINVAL, "the lowest address");
}
END_TEST

START_TEST(segment_must_lie_in_ram)
{
	elf_fx.image.ph[DATA].p_paddr = RAM_SIZE - elf_fx.image.ph[DATA].p_memsz;
	elf_expect_loaded();
	ck_assert_uint_eq(elf_fx.loaded.end.v, RAM_SIZE);
	memset(mem_ptr(&elf_fx.mem, gpa(TEXT_GPA), TEXT_SIZE), 0, TEXT_SIZE);

	elf_fx.image.ph[DATA].p_paddr++;
	elf_expect_refused(EINVAL, "does not fit into guest RAM, which ends at 0x400000");
	elf_fx.image.ph[DATA].p_paddr = RAM_SIZE;
	elf_expect_refused(EINVAL, "does not fit");
	elf_fx.image.ph[DATA].p_paddr = UINT64_MAX;
	elf_expect_refused(EINVAL, "does not fit");
	elf_fx.image.ph[DATA].p_paddr = DATA_GPA;
	elf_fx.image.ph[DATA].p_memsz = UINT64_MAX;
	elf_expect_refused(EINVAL, "does not fit");
	elf_fx.image.ph[DATA].p_memsz = -DATA_GPA + LAYOUT_KERNEL_MIN;
	elf_expect_refused(EINVAL, "does not fit");
}
END_TEST

START_TEST(segment_may_lie_above_4_gib_but_not_in_the_hole)
{
	elf_fresh_ram(LAYOUT_LOW_RAM_MAX + RAM_SIZE);

	elf_fx.image.ph[DATA].p_paddr = LAYOUT_LOW_RAM_MAX - DATA_SIZE;
	elf_expect_refused(EINVAL, "does not fit");
	elf_fx.image.ph[DATA].p_paddr = LAYOUT_HIGH_RAM_BASE - DATA_SIZE;
	elf_expect_refused(EINVAL, "does not fit");
	elf_fx.image.ph[DATA].p_paddr = LAYOUT_HIGH_RAM_BASE;
	elf_expect_loaded();
	ck_assert_mem_eq(mem_ptr(&elf_fx.mem, gpa(LAYOUT_HIGH_RAM_BASE), DATA_SIZE),
			 elf_fx.image.data, DATA_SIZE);
}
END_TEST

START_TEST(segments_must_not_overlap)
{
	elf_fx.image.ph[DATA].p_paddr = TEXT_GPA;
	elf_expect_refused(EINVAL, "segment 1 at 0x100000 overlaps one at 0x100000");
	elf_fx.image.ph[DATA].p_paddr = TEXT_GPA + TEXT_SIZE - 1;
	elf_expect_refused(EINVAL, "overlaps");
	elf_fx.image.ph[DATA].p_paddr = TEXT_GPA + TEXT_SIZE;
	elf_expect_loaded();
	memset(mem_ptr(&elf_fx.mem, gpa(TEXT_GPA), 0x1000), 0, 0x1000);

	/* the other way round: the second below the first, reaching into it with its BSS */
	elf_fx.image.ph[TEXT].p_paddr = TEXT_GPA + 0x1000;
	elf_fx.image.ph[DATA].p_paddr = TEXT_GPA;
	elf_fx.image.ph[DATA].p_memsz = 0x1001;
	elf_expect_refused(EINVAL, "overlaps");
	elf_fx.image.ph[DATA].p_memsz = 0x1000;
	elf_set_entry(TEXT_GPA + 0x1000);
	elf_expect_loaded();
}
END_TEST

START_TEST(empty_segments_are_ignored)
{
	elf_fx.image.ph[STACK] =
		(Elf64_Phdr){.p_type = PT_LOAD, .p_offset = UINT64_MAX, .p_paddr = 1};
	elf_expect_loaded();
}
END_TEST

START_TEST(something_must_be_loaded)
{
	elf_fx.image.ph[TEXT].p_type = PT_NULL;
	elf_fx.image.ph[DATA].p_filesz = elf_fx.image.ph[DATA].p_memsz = 0;
	elf_expect_refused(ENOEXEC, "no segment to load");
}
END_TEST

START_TEST(note_is_needed)
{
	elf_fx.image.ph[NOTE].p_type = PT_NULL;
	elf_expect_refused(ENOEXEC, "no PVH note");
	ck_assert_ptr_nonnull(strstr(elf_fx.err.text, "CONFIG_PVH"));
	elf_fx.image.ph[NOTE].p_type = PT_NOTE;
	elf_clear_notes();
	elf_expect_refused(ENOEXEC, "no PVH note");
}
END_TEST

START_TEST(ordinary_program_lacks_the_note_before_all_else)
{
	elf_clear_notes();
	elf_fx.image.ph[TEXT].p_paddr = 0;
	elf_expect_refused(ENOEXEC, "no PVH note");
}
END_TEST

START_TEST(other_notes_are_not_taken_for_it)
{
	uint32_t entry = ENTRY;
	size_t pos = 0;

	elf_clear_notes();
	elf_add_note(&pos, "Xen", PVH_TYPE + 1, &entry, sizeof(entry), 4);
	elf_add_note(&pos, "Xem", PVH_TYPE, &entry, sizeof(entry), 4);
	elf_expect_refused(ENOEXEC, "no PVH note");

	pos = 0;
	elf_clear_notes();
	elf_add_note(&pos, "Xenon", PVH_TYPE, &entry, sizeof(entry), 4);
	elf_add_note(&pos, "", PVH_TYPE, &entry, sizeof(entry), 4);
	elf_expect_refused(ENOEXEC, "no PVH note");
}
END_TEST

START_TEST(name_must_have_its_exact_length)
{
	static const uint32_t lengths[] = {3, 5, 8};
	uint32_t entry = ENTRY;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		Elf64_Nhdr note = {lengths[i], sizeof(entry), PVH_TYPE};
		uint8_t *bytes = elf_fx.image.note;
		size_t desc_off = lengths[i] > 4 ? 20 : 16;

		elf_clear_notes();
		memcpy(bytes, &note, sizeof(note));
		memcpy(bytes + sizeof(note), "Xen", 3);
		memcpy(bytes + desc_off, &entry, sizeof(entry));
		elf_fx.image.ph[NOTE].p_filesz = desc_off + sizeof(entry);
		elf_expect_refused(ENOEXEC, "no PVH note");
	}
}
END_TEST

START_TEST(entry_may_have_4_or_8_bytes)
{
	uint8_t entry[16] = {0x10, 0, 0x10, 0};
	size_t pos = 0;

	for (size_t size = 0; size <= sizeof(entry); size++) {
		pos = 0;
		elf_clear_notes();
		elf_add_note(&pos, "Xen", PVH_TYPE, entry, size, 4);
		if (size == 4 || size == 8) {
			elf_expect_loaded();
			ck_assert_uint_eq(elf_fx.loaded.entry.v, ENTRY);
			memset(mem_ptr(&elf_fx.mem, gpa(TEXT_GPA), TEXT_SIZE), 0, TEXT_SIZE);
			memset(mem_ptr(&elf_fx.mem, gpa(DATA_GPA), DATA_SIZE), 0, DATA_SIZE);
		} else {
			elf_expect_refused(ENOEXEC, "4 or 8");
		}
	}
}
END_TEST

START_TEST(notes_may_be_8_byte_aligned)
{
	uint32_t entry = ENTRY;
	size_t pos = 0;

	elf_clear_notes();
	elf_add_note(&pos, "GNU", NT_GNU_PROPERTY_TYPE_0, "abcd", 4, 8);
	ck_assert_uint_eq(pos, 24);
	elf_add_note(&pos, "Xen", PVH_TYPE, &entry, sizeof(entry), 8);
	elf_fx.image.ph[NOTE].p_align = 8;
	elf_expect_loaded();
	ck_assert_uint_eq(elf_fx.loaded.entry.v, ENTRY);
}
END_TEST

START_TEST(last_note_needs_no_padding)
{
	uint64_t entry = ENTRY;
	size_t pos = 0;

	elf_clear_notes();
	elf_add_note(&pos, "Xen", PVH_TYPE, &entry, 4, 8);
	elf_fx.image.ph[NOTE].p_align = 8;
	elf_fx.image.ph[NOTE].p_filesz = 20;
	elf_expect_loaded();
	memset(mem_ptr(&elf_fx.mem, gpa(TEXT_GPA), TEXT_SIZE), 0, TEXT_SIZE);
	memset(mem_ptr(&elf_fx.mem, gpa(DATA_GPA), DATA_SIZE), 0, DATA_SIZE);
	elf_fx.image.ph[NOTE].p_filesz = 19;
	elf_expect_refused(ENOEXEC, "no PVH note");
}
END_TEST

START_TEST(second_note_segment_is_searched_too)
{
	elf_fx.image.ph[STACK] = elf_fx.image.ph[NOTE];
	elf_fx.image.ph[NOTE].p_filesz = 24; /* the build ID alone */
	elf_expect_loaded();
}
END_TEST

START_TEST(note_segment_must_lie_in_the_file)
{
	elf_fx.image.ph[NOTE].p_filesz = sizeof(elf_fx.image) - offsetof(struct image, note) + 1;
	elf_expect_refused(EINVAL, "note segment 2");
	elf_fx.image.ph[NOTE].p_offset = UINT64_MAX;
	elf_expect_refused(EINVAL, "note segment 2");
}
END_TEST

START_TEST(note_sizes_are_not_trusted)
{
	static const uint32_t sizes[] = {5, 100, 0x7fffffff, 0xfffffff0, 0xfffffffd, 0xffffffff};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		Elf64_Nhdr note = {.n_namesz = 4, .n_descsz = 4, .n_type = PVH_TYPE};

		elf_set_entry(ENTRY);
		elf_fx.image.ph[NOTE].p_filesz = 20;
		note.n_descsz = sizes[i];
		memcpy(elf_fx.image.note, &note, sizeof(note));
		elf_expect_refused(ENOEXEC, "no PVH note");

		note.n_descsz = 4;
		note.n_namesz = sizes[i];
		memcpy(elf_fx.image.note, &note, sizeof(note));
		elf_expect_refused(ENOEXEC, "no PVH note");
	}
}
END_TEST

START_TEST(entry_must_lie_in_a_loaded_segment)
{
	elf_set_entry(TEXT_GPA - 1);
	elf_expect_refused(EINVAL, "PVH entry point 0xfffff is in none of the loaded segments");
	elf_set_entry(TEXT_GPA + TEXT_SIZE);
	elf_expect_refused(EINVAL, "none of the loaded segments");
	elf_set_entry(0);
	elf_expect_refused(EINVAL, "none of the loaded segments");
	elf_set_entry(UINT32_MAX);
	elf_expect_refused(EINVAL, "none of the loaded segments");
	elf_set_entry(TEXT_GPA + TEXT_SIZE - 1);
	elf_expect_loaded();
	elf_set_entry(DATA_GPA);
	elf_expect_loaded();
	ck_assert_uint_eq(elf_fx.loaded.entry.v, DATA_GPA);
}
END_TEST

START_TEST(entry_must_lie_below_4_gib)
{
	elf_set_entry(UINT64_MAX);
	elf_expect_refused(EINVAL, "not below 4 GiB");
	elf_set_entry((1ull << 32) + ENTRY);
	elf_expect_refused(EINVAL, "not below 4 GiB");

	elf_fresh_ram(LAYOUT_LOW_RAM_MAX + RAM_SIZE);
	elf_fx.image.ph[DATA].p_paddr = LAYOUT_HIGH_RAM_BASE;
	elf_set_entry(LAYOUT_HIGH_RAM_BASE);
	elf_expect_refused(EINVAL, "not below 4 GiB");
}
END_TEST

static void add_segment_tests(TCase *tc)
{
	tcase_add_test(tc, segment_must_lie_in_the_file);
	tcase_add_test(tc, segment_must_not_shrink);
	tcase_add_test(tc, segment_may_be_all_bss);
	tcase_add_test(tc, segment_must_lie_above_the_first_mib);
	tcase_add_test(tc, segment_must_lie_in_ram);
	tcase_add_test(tc, segment_may_lie_above_4_gib_but_not_in_the_hole);
	tcase_add_test(tc, segments_must_not_overlap);
	tcase_add_test(tc, empty_segments_are_ignored);
	tcase_add_test(tc, something_must_be_loaded);
}

static void add_note_tests(TCase *tc)
{
	tcase_add_test(tc, note_is_needed);
	tcase_add_test(tc, ordinary_program_lacks_the_note_before_all_else);
	tcase_add_test(tc, other_notes_are_not_taken_for_it);
	tcase_add_test(tc, name_must_have_its_exact_length);
	tcase_add_test(tc, entry_may_have_4_or_8_bytes);
	tcase_add_test(tc, notes_may_be_8_byte_aligned);
	tcase_add_test(tc, last_note_needs_no_padding);
	tcase_add_test(tc, second_note_segment_is_searched_too);
	tcase_add_test(tc, note_segment_must_lie_in_the_file);
	tcase_add_test(tc, note_sizes_are_not_trusted);
	tcase_add_test(tc, entry_must_lie_in_a_loaded_segment);
	tcase_add_test(tc, entry_must_lie_below_4_gib);
}

static void add_case(Suite *s, const char *name, void (*add_tests)(TCase *tc))
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, elf_fixture_setup, elf_fixture_teardown);
	add_tests(tc);
	suite_add_tcase(s, tc);
}

Suite *elf_segment_suite(void)
{
	Suite *s = suite_create("elf_segment");

	add_case(s, "segments", add_segment_tests);
	add_case(s, "notes", add_note_tests);
	return s;
}
