/* SPDX-License-Identifier: MIT */
/* A small valid image that tests of vmm/elf.c spoil, and RAM to load it into. */
#ifndef VPUP_TESTS_UNIT_ELF_FIXTURE_H
#define VPUP_TESTS_UNIT_ELF_FIXTURE_H

#include <elf.h>

#include "vmm/elf.h"
#include "vmm/layout.h"

#define RAM_SIZE  LAYOUT_RAM_MIN
#define TEXT_GPA  0x100000ull
#define DATA_GPA  0x200000ull
#define TEXT_SIZE 64
#define DATA_SIZE 32
#define BSS_SIZE  0x1000
#define NOTE_SIZE 48
#define PVH_TYPE  18
#define ENTRY     (TEXT_GPA + 0x10)

enum { TEXT, DATA, NOTE, STACK, PHDRS };

/* The file, byte for byte; its last byte belongs to a segment, so that none can be spared. */
struct image {
	Elf64_Ehdr header;
	Elf64_Phdr ph[PHDRS];
	uint8_t note[NOTE_SIZE];
	uint8_t text[TEXT_SIZE];
	uint8_t data[DATA_SIZE];
};

extern struct elf_fixture {
	struct image image;
	struct mem mem;
	struct kernel_image loaded; /* by the last elf_load_bytes() */
	struct err err;
} elf_fx;

/* A checked fixture: the valid image, and LAYOUT_RAM_MIN of fresh RAM. */
void elf_fixture_setup(void);
void elf_fixture_teardown(void);

/* Replaces the RAM by more, or by as much that is fresh. */
void elf_fresh_ram(uint64_t size_bytes);

/* Appends a note to the note segment at *pos; elf_set_entry() makes a PVH note its only one. */
void elf_add_note(size_t *pos, const char *name, uint32_t type, const void *desc, size_t desc_size,
		  size_t align);
void elf_clear_notes(void);
void elf_set_entry(uint64_t entry);

/* Loads a copy that ends where its heap block ends, at an odd address. */
int elf_load_bytes(const void *bytes, size_t size);

void elf_expect_loaded(void);

/* The image must be refused with code, and a line that has this text in it; RAM stays as it was. */
void elf_expect_refused(int code, const char *text);
void elf_expect_ram_untouched(void);

#endif
