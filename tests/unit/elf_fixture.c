/* SPDX-License-Identifier: MIT */
/* The image, its RAM, and what is expected of loading it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/elf_fixture.h"

struct elf_fixture elf_fx;

void elf_add_note(size_t *pos, const char *name, uint32_t type, const void *desc, size_t desc_size,
		  size_t align)
{
	Elf64_Nhdr n = {.n_namesz = strlen(name) + 1, .n_descsz = desc_size, .n_type = type};
	size_t desc_off = (sizeof(n) + n.n_namesz + align - 1) / align * align;
	size_t end = (desc_off + desc_size + align - 1) / align * align;

	ck_assert_uint_le(*pos + end, NOTE_SIZE);
	memcpy(elf_fx.image.note + *pos, &n, sizeof(n));
	memcpy(elf_fx.image.note + *pos + sizeof(n), name, n.n_namesz);
	memcpy(elf_fx.image.note + *pos + desc_off, desc, desc_size);
	*pos += end;
	elf_fx.image.ph[NOTE].p_filesz = *pos;
}

void elf_clear_notes(void)
{
	memset(elf_fx.image.note, 0, sizeof(elf_fx.image.note));
	elf_fx.image.ph[NOTE].p_filesz = 0;
}

void elf_set_entry(uint64_t entry)
{
	size_t pos = 0;

	elf_clear_notes();
	elf_add_note(&pos, "Xen", PVH_TYPE, &entry, sizeof(entry), 4);
}

static void build_image(void)
{
	static const uint8_t ident[EI_NIDENT] = {0x7f,       'E',         'L',       'F',
						 ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
	uint32_t entry = ENTRY;
	size_t pos = 0;

	memset(&elf_fx.image, 0, sizeof(elf_fx.image));
	memcpy(elf_fx.image.header.e_ident, ident, sizeof(ident));
	elf_fx.image.header.e_type = ET_EXEC;
	elf_fx.image.header.e_machine = EM_X86_64;
	elf_fx.image.header.e_version = EV_CURRENT;
	elf_fx.image.header.e_phoff = offsetof(struct image, ph);
	elf_fx.image.header.e_ehsize = sizeof(Elf64_Ehdr);
	elf_fx.image.header.e_phentsize = sizeof(Elf64_Phdr);
	elf_fx.image.header.e_phnum = PHDRS;
	elf_fx.image.ph[TEXT] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_offset = offsetof(struct image, text),
		.p_vaddr = 0xffffffff80000000 + TEXT_GPA, /* must not matter */
		.p_paddr = TEXT_GPA,
		.p_filesz = TEXT_SIZE,
		.p_memsz = TEXT_SIZE,
	};
	elf_fx.image.ph[DATA] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_offset = offsetof(struct image, data),
		.p_paddr = DATA_GPA,
		.p_filesz = DATA_SIZE,
		.p_memsz = DATA_SIZE + BSS_SIZE,
	};
	elf_fx.image.ph[NOTE] = (Elf64_Phdr){
		.p_type = PT_NOTE,
		.p_offset = offsetof(struct image, note),
		.p_align = 4,
	};
	elf_fx.image.ph[STACK] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_offset = UINT64_MAX};
	elf_add_note(&pos, "GNU", NT_GNU_BUILD_ID, "12345", 5, 4);
	elf_add_note(&pos, "Xen", PVH_TYPE, &entry, sizeof(entry), 4);
	memset(elf_fx.image.text, 0x90, sizeof(elf_fx.image.text));
	memset(elf_fx.image.data, 0xda, sizeof(elf_fx.image.data));
}

void elf_fixture_setup(void)
{
	build_image();
	ck_assert_int_eq(mem_init(&elf_fx.mem, RAM_SIZE, &elf_fx.err), 0);
	memset(&elf_fx.err, 0, sizeof(elf_fx.err));
}

void elf_fixture_teardown(void)
{
	mem_fini(&elf_fx.mem);
}

void elf_fresh_ram(uint64_t size_bytes)
{
	mem_fini(&elf_fx.mem);
	ck_assert_int_eq(mem_init(&elf_fx.mem, size_bytes, &elf_fx.err), 0);
}

int elf_load_bytes(const void *bytes, size_t size)
{
	uint8_t *block = malloc(size + 1);
	int ret;

	ck_assert_ptr_nonnull(block);
	memcpy(block + 1, bytes, size);
	memset(&elf_fx.err, 0, sizeof(elf_fx.err));
	ret = elf_load_pvh(&elf_fx.loaded, &elf_fx.mem, block + 1, size, &elf_fx.err);
	ck_assert_mem_eq(block + 1, bytes, size);
	free(block);
	return ret;
}

static int load_image(void)
{
	return elf_load_bytes(&elf_fx.image, sizeof(elf_fx.image));
}

void elf_expect_ram_untouched(void)
{
	static const uint8_t zero[TEXT_SIZE];

	ck_assert_mem_eq(mem_ptr(&elf_fx.mem, gpa(TEXT_GPA), TEXT_SIZE), zero, TEXT_SIZE);
	ck_assert_mem_eq(mem_ptr(&elf_fx.mem, gpa(DATA_GPA), DATA_SIZE), zero, DATA_SIZE);
}

void elf_expect_refused(int code, const char *text)
{
	ck_assert_int_eq(load_image(), -code);
	ck_assert_msg(strstr(elf_fx.err.text, text) != NULL, "no '%s' in '%s'", text,
		      elf_fx.err.text);
	elf_expect_ram_untouched();
}

void elf_expect_loaded(void)
{
	int ret = load_image();

	ck_assert_msg(ret == 0, "%s", elf_fx.err.text);
}
