/* SPDX-License-Identifier: MIT */
/* ELF executables of either class, read as hostile input: header, program headers, segments. */
#ifndef VPUP_VMM_ELF_FILE_H
#define VPUP_VMM_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"
#include "vmm/load_plan.h"

/* The only kind of file that will do, and how it is called in messages. */
struct elf_wanted {
	uint8_t class; /* ELFCLASS32 or ELFCLASS64 */
	uint16_t machine;
	const char *machine_name;
	const char *needed; /* "... is needed" */
};

struct elf_file {
	const uint8_t *data;
	uint64_t size_bytes;
	const struct elf_wanted *wanted;
	uint64_t entry;
	unsigned count;
	Elf64_Phdr ph[LOAD_SEGMENTS_MAX]; /* those of ELF32 too, widened */
};

/*
 * Reads the headers of the file at data, which is kept by reference, as is wanted. Returns 0,
 * -ENOEXEC (another kind of file) or -EINVAL (cut short), with e set.
 */
int elf_file_read(struct elf_file *f, const uint8_t *data, size_t size_bytes,
		  const struct elf_wanted *wanted, struct err *e);

/* Does the file begin as ELF files do? */
bool elf_file_recognise(const uint8_t *data, size_t size_bytes);

/* Is [off, off + len) in the file? */
bool elf_file_has(const struct elf_file *f, uint64_t off, uint64_t len);

/* Adds all PT_LOAD segments, by p_paddr. 0, -EINVAL as load_plan_add(), -ENOEXEC if there is none. */
int elf_file_plan(const struct elf_file *f, struct load_plan *plan, struct err *e);

#endif
