/* SPDX-License-Identifier: MIT */
/* ELF executables of either class, read as hostile input: header, program headers, segments. */
#include "vmm/elf_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

bool elf_file_has(const struct elf_file *f, uint64_t off, uint64_t len)
{
	return off <= f->size_bytes && len <= f->size_bytes - off;
}

bool elf_file_recognise(const uint8_t *data, size_t size_bytes)
{
	return size_bytes >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG);
}

static int check_magic(const struct elf_file *f, struct err *e)
{
	const char *needed = f->wanted->needed;

	if (elf_file_recognise(f->data, f->size_bytes))
		return 0;
	if (f->size_bytes < sizeof(Elf32_Ehdr))
		return err_set(e, ENOEXEC, "too short for an ELF file (%" PRIu64 " bytes); %s",
			       f->size_bytes, needed);
	return err_set(e, ENOEXEC, "not an ELF file; %s", needed);
}

static int check_class(const struct elf_file *f, struct err *e)
{
	uint8_t class = f->data[EI_CLASS];

	if (class == f->wanted->class)
		return 0;
	if (class == ELFCLASS32 || class == ELFCLASS64)
		return err_set(e, ENOEXEC, "a %d-bit ELF file; %s", class == ELFCLASS32 ? 32 : 64,
			       f->wanted->needed);
	return err_set(e, ENOEXEC, "an ELF file of unknown class %u; %s", class, f->wanted->needed);
}

static int check_ident(const struct elf_file *f, struct err *e)
{
	const uint8_t *ident = f->data;
	int ret;

	if (f->size_bytes < EI_NIDENT)
		return err_set(e, ENOEXEC, "an ELF file cut short (%" PRIu64 " bytes); %s",
			       f->size_bytes, f->wanted->needed);
	ret = check_class(f, e);
	if (ret)
		return ret;
	if (ident[EI_DATA] != ELFDATA2LSB)
		return err_set(e, ENOEXEC, "not a little-endian ELF file; %s (%s)",
			       f->wanted->needed, f->wanted->machine_name);
	if (ident[EI_VERSION] != EV_CURRENT)
		return err_set(e, ENOEXEC,
			       "an ELF file of unknown version %u; version %u is needed",
			       ident[EI_VERSION], EV_CURRENT);
	return 0;
}

static int check_machine(const struct elf_file *f, uint16_t machine, struct err *e)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} names[] = {
		{EM_386, "i386"},        {EM_X86_64, "x86-64"}, {EM_ARM, "Arm"},
		{EM_AARCH64, "AArch64"}, {EM_PPC64, "PowerPC"}, {EM_RISCV, "RISC-V"},
		{EM_MIPS, "MIPS"},       {EM_S390, "S/390"},    {EM_SPARCV9, "SPARC"},
	};

	if (machine == f->wanted->machine)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].machine == machine)
			return err_set(e, ENOEXEC, "an ELF file for %s; one for %s is needed",
				       names[i].name, f->wanted->machine_name);
	}
	return err_set(e, ENOEXEC, "an ELF file for machine %u; one for %s is needed", machine,
		       f->wanted->machine_name);
}

static Elf64_Phdr widened(const Elf32_Phdr *ph)
{
	return (Elf64_Phdr){
		.p_type = ph->p_type,
		.p_flags = ph->p_flags,
		.p_offset = ph->p_offset,
		.p_vaddr = ph->p_vaddr,
		.p_paddr = ph->p_paddr,
		.p_filesz = ph->p_filesz,
		.p_memsz = ph->p_memsz,
		.p_align = ph->p_align,
	};
}

/* The part of the file header that is alike in both classes, but for the width of its fields. */
struct file_header {
	uint16_t type, machine, phentsize, phnum;
	uint64_t entry, phoff;
};

static size_t header_bytes(const struct elf_file *f)
{
	return f->wanted->class == ELFCLASS64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

static size_t program_header_bytes(const struct elf_file *f)
{
	return f->wanted->class == ELFCLASS64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

static struct file_header file_header(const struct elf_file *f)
{
	union {
		Elf32_Ehdr e32;
		Elf64_Ehdr e64;
	} h;

	memcpy(&h, f->data, header_bytes(f));
	if (f->wanted->class == ELFCLASS64)
		return (struct file_header){h.e64.e_type,  h.e64.e_machine, h.e64.e_phentsize,
					    h.e64.e_phnum, h.e64.e_entry,   h.e64.e_phoff};
	return (struct file_header){h.e32.e_type,  h.e32.e_machine, h.e32.e_phentsize,
				    h.e32.e_phnum, h.e32.e_entry,   h.e32.e_phoff};
}

static int read_program_headers(struct elf_file *f, const struct file_header *h, struct err *e)
{
	size_t each = program_header_bytes(f);

	if (h->phnum == 0)
		return err_set(e, ENOEXEC, "no program headers, so nothing to load; %s",
			       f->wanted->needed);
	if (h->phentsize != each)
		return err_set(e, ENOEXEC, "program headers of %u bytes; ELF%d has %zu",
			       h->phentsize, f->wanted->class == ELFCLASS64 ? 64 : 32, each);
	if (h->phnum > LOAD_SEGMENTS_MAX)
		return err_set(e, ENOEXEC, "%u program headers; at most %u are supported", h->phnum,
			       LOAD_SEGMENTS_MAX);
	if (!elf_file_has(f, h->phoff, h->phnum * each))
		return err_set(e, EINVAL,
			       "program headers lie outside the file (%" PRIu64
			       " bytes): it is cut short",
			       f->size_bytes);
	for (unsigned i = 0; i < h->phnum; i++) {
		const uint8_t *src = f->data + h->phoff + i * each;
		Elf32_Phdr narrow;

		if (f->wanted->class == ELFCLASS64) {
			memcpy(&f->ph[i], src, each);
		} else {
			memcpy(&narrow, src, each);
			f->ph[i] = widened(&narrow);
		}
	}
	f->count = h->phnum;
	return 0;
}

int elf_file_read(struct elf_file *f, const uint8_t *data, size_t size_bytes,
		  const struct elf_wanted *wanted, struct err *e)
{
	struct file_header h;
	int ret;

	*f = (struct elf_file){.data = data, .size_bytes = size_bytes, .wanted = wanted};
	ret = check_magic(f, e);
	if (ret == 0)
		ret = check_ident(f, e);
	if (ret)
		return ret;
	if (f->size_bytes < header_bytes(f))
		return err_set(e, ENOEXEC, "an ELF file cut short (%" PRIu64 " bytes); %s",
			       f->size_bytes, wanted->needed);
	h = file_header(f);
	ret = check_machine(f, h.machine, e);
	if (ret)
		return ret;
	if (h.type != ET_EXEC && h.type != ET_DYN)
		return err_set(e, ENOEXEC, "an ELF file of type %u, not an executable; %s", h.type,
			       wanted->needed);
	f->entry = h.entry;
	return read_program_headers(f, &h, e);
}

int elf_file_plan(const struct elf_file *f, struct load_plan *plan, struct err *e)
{
	for (unsigned i = 0; i < f->count; i++) {
		const Elf64_Phdr *ph = &f->ph[i];
		struct load_request r = {
			.index = i,
			.base = ph->p_paddr,
			.size_bytes = ph->p_memsz,
			.file_off = ph->p_offset,
			.file_bytes = ph->p_filesz,
		};
		int ret = ph->p_type == PT_LOAD ? load_plan_add(plan, &r, e) : 0;

		if (ret)
			return ret;
	}
	if (plan->count == 0)
		return err_set(e, ENOEXEC, "no segment to load; %s", f->wanted->needed);
	return 0;
}
