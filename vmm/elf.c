/* SPDX-License-Identifier: MIT */
/* ELF64 images with a PVH note: every check first, then the copy into guest RAM. */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "vmm/elf.h"
#include "vmm/layout.h"

#define SEGMENTS_MAX 64 /* kernels have fewer than ten; bounds the work on a hostile file */
#define NEEDED       "an ELF64 kernel with a PVH note is needed"

#define XEN_NOTE_NAME            "Xen"
#define XEN_ELFNOTE_PHYS32_ENTRY 18

struct elf_file {
	const uint8_t *data;
	uint64_t size_bytes;
	Elf64_Ehdr header;
};

/* A checked PT_LOAD, ready to be copied. */
struct load_segment {
	gpa_t base;
	uint64_t size_bytes; /* in memory: never 0 */
	const uint8_t *data;
	uint64_t data_bytes; /* at most size_bytes; the rest is BSS */
	void *host;
};

struct load_plan {
	unsigned count;
	struct load_segment segment[SEGMENTS_MAX];
};

static bool in_file(const struct elf_file *f, uint64_t off, uint64_t len)
{
	return off <= f->size_bytes && len <= f->size_bytes - off;
}

/*
 * What people pass instead of a vmlinux. The order matters: a Linux Image that EFI can start begins
 * with "MZ" as well.
 */
static const char *foreign_format(const struct elf_file *f)
{
	static const struct {
		uint16_t off;
		uint8_t len;
		char magic[8];
		const char *name;
	} formats[] = {
		{0x202, 4, "HdrS", "a Linux bzImage"},
		{0x38, 4, "ARM\x64", "a Linux Image for arm64"},
		{0x38, 4, "RSC\x05", "a Linux Image for RISC-V"},
		{0, 2, "MZ", "a PE executable"},
		{0, 2, "\x1f\x8b", "gzip data"},
		{0, 6, "\xfd\x37zXZ", "xz data"},
		{0, 4, "\x28\xb5\x2f\xfd", "zstd data"},
		{0, 3, "BZh", "bzip2 data"},
		{0, 4, "\x02\x21\x4c\x18", "lz4 data"},
		{0, 6, "070701", "a cpio archive"},
		{0, 4, "\x27\x05\x19\x56", "a U-Boot image"},
		{0, 4, "\xd0\x0d\xfe\xed", "a device tree"},
		{0, 2, "#!", "a script"},
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (in_file(f, formats[i].off, formats[i].len) &&
		    !memcmp(f->data + formats[i].off, formats[i].magic, formats[i].len))
			return formats[i].name;
	}
	return NULL;
}

static int check_magic(const struct elf_file *f, struct err *e)
{
	const char *format;

	if (f->size_bytes >= SELFMAG && !memcmp(f->data, ELFMAG, SELFMAG))
		return 0;
	format = foreign_format(f);
	if (format)
		return err_set(e, ENOEXEC, "not an ELF file (it is %s); " NEEDED, format);
	if (f->size_bytes < sizeof(Elf64_Ehdr))
		return err_set(e, ENOEXEC, "too short for an ELF file (%" PRIu64 " bytes); " NEEDED,
			       f->size_bytes);
	return err_set(e, ENOEXEC, "not an ELF file; " NEEDED);
}

static int check_ident(const struct elf_file *f, struct err *e)
{
	const uint8_t *ident = f->data;

	if (f->size_bytes < EI_NIDENT)
		return err_set(e, ENOEXEC, "an ELF file cut short (%" PRIu64 " bytes); " NEEDED,
			       f->size_bytes);
	if (ident[EI_CLASS] == ELFCLASS32)
		return err_set(e, ENOEXEC, "a 32-bit ELF file; " NEEDED);
	if (ident[EI_CLASS] != ELFCLASS64)
		return err_set(e, ENOEXEC, "an ELF file of unknown class %u; " NEEDED,
			       ident[EI_CLASS]);
	if (ident[EI_DATA] != ELFDATA2LSB)
		return err_set(e, ENOEXEC, "not a little-endian ELF file; " NEEDED " (x86-64)");
	if (ident[EI_VERSION] != EV_CURRENT)
		return err_set(e, ENOEXEC,
			       "an ELF file of unknown version %u; version %u is needed",
			       ident[EI_VERSION], EV_CURRENT);
	return 0;
}

static int check_machine(uint16_t machine, struct err *e)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} names[] = {
		{EM_386, "i386"},      {EM_ARM, "Arm"},       {EM_AARCH64, "AArch64"},
		{EM_PPC64, "PowerPC"}, {EM_RISCV, "RISC-V"},  {EM_MIPS, "MIPS"},
		{EM_S390, "S/390"},    {EM_SPARCV9, "SPARC"},
	};

	if (machine == EM_X86_64)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].machine == machine)
			return err_set(e, ENOEXEC, "an ELF file for %s; one for x86-64 is needed",
				       names[i].name);
	}
	return err_set(e, ENOEXEC, "an ELF file for machine %u; one for x86-64 is needed", machine);
}

static int check_program_headers(const struct elf_file *f, struct err *e)
{
	const Elf64_Ehdr *h = &f->header;

	if (h->e_phnum == 0)
		return err_set(e, ENOEXEC, "no program headers, so nothing to load; " NEEDED);
	if (h->e_phentsize != sizeof(Elf64_Phdr))
		return err_set(e, ENOEXEC, "program headers of %u bytes; ELF64 has %zu",
			       h->e_phentsize, sizeof(Elf64_Phdr));
	if (h->e_phnum > SEGMENTS_MAX)
		return err_set(e, ENOEXEC, "%u program headers; at most %u are supported",
			       h->e_phnum, SEGMENTS_MAX);
	if (!in_file(f, h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr)))
		return err_set(e, EINVAL,
			       "program headers lie outside the file (%" PRIu64
			       " bytes): it is cut short",
			       f->size_bytes);
	return 0;
}

static int check_header(struct elf_file *f, struct err *e)
{
	int ret = check_magic(f, e);

	if (!ret)
		ret = check_ident(f, e);
	if (ret)
		return ret;

	if (f->size_bytes < sizeof(f->header))
		return err_set(e, ENOEXEC, "an ELF file cut short (%" PRIu64 " bytes); " NEEDED,
			       f->size_bytes);
	memcpy(&f->header, f->data, sizeof(f->header));

	ret = check_machine(f->header.e_machine, e);
	if (ret)
		return ret;
	if (f->header.e_type != ET_EXEC && f->header.e_type != ET_DYN)
		return err_set(e, ENOEXEC, "an ELF file of type %u, not an executable; " NEEDED,
			       f->header.e_type);
	return check_program_headers(f, e);
}

static Elf64_Phdr program_header(const struct elf_file *f, unsigned i)
{
	Elf64_Phdr ph;

	memcpy(&ph, f->data + f->header.e_phoff + i * sizeof(ph), sizeof(ph));
	return ph;
}

static bool overlaps(const struct load_segment *a, const struct load_segment *b)
{
	return a->base.v < b->base.v + b->size_bytes && b->base.v < a->base.v + a->size_bytes;
}

static int plan_segment(struct load_plan *plan, const struct mem *m, const struct elf_file *f,
			unsigned i, struct err *e)
{
	Elf64_Phdr ph = program_header(f, i);
	struct load_segment s = {gpa(ph.p_paddr), ph.p_memsz, NULL, ph.p_filesz, NULL};

	if (ph.p_filesz > ph.p_memsz)
		return err_set(e, EINVAL,
			       "segment %u has more bytes in the file (%#" PRIx64
			       ") than in memory (%#" PRIx64 ")",
			       i, ph.p_filesz, ph.p_memsz);
	if (ph.p_memsz == 0)
		return 0;
	if (!in_file(f, ph.p_offset, ph.p_filesz))
		return err_set(e, EINVAL,
			       "segment %u (%#" PRIx64 " bytes at %#" PRIx64
			       ") lies outside the file (%#" PRIx64 " bytes): it is cut short",
			       i, ph.p_filesz, ph.p_offset, f->size_bytes);
	if (ph.p_paddr < LAYOUT_KERNEL_MIN)
		return err_set(e, EINVAL,
			       "segment %u loads at %#" PRIx64 "; the lowest address is %#llx", i,
			       ph.p_paddr, LAYOUT_KERNEL_MIN);
	s.host = mem_ptr(m, s.base, s.size_bytes);
	if (!s.host)
		return err_set(e, EINVAL,
			       "segment %u (%#" PRIx64 " bytes at %#" PRIx64
			       ") does not fit into guest RAM, which ends at %#" PRIx64
			       "; more memory (-m) is needed",
			       i, ph.p_memsz, ph.p_paddr, mem_low_end(m).v);
	for (unsigned k = 0; k < plan->count; k++) {
		if (overlaps(&s, &plan->segment[k]))
			return err_set(e, EINVAL,
				       "segment %u at %#" PRIx64 " overlaps one at %#" PRIx64
				       "; they must be apart",
				       i, ph.p_paddr, plan->segment[k].base.v);
	}
	s.data = f->data + ph.p_offset;
	plan->segment[plan->count++] = s;
	return 0;
}

static int plan_segments(struct load_plan *plan, const struct mem *m, const struct elf_file *f,
			 struct err *e)
{
	for (unsigned i = 0; i < f->header.e_phnum; i++) {
		int ret;

		if (program_header(f, i).p_type != PT_LOAD)
			continue;
		ret = plan_segment(plan, m, f, i, e);
		if (ret)
			return ret;
	}
	if (plan->count == 0)
		return err_set(e, ENOEXEC, "no segment to load; " NEEDED);
	return 0;
}

static uint64_t align_up(uint64_t val, uint64_t align)
{
	return (val + align - 1) & ~(align - 1);
}

/* Returns 1 with *entry set, 0 when there is no such note in these bytes, or -ENOEXEC. */
static int find_pvh_note(const uint8_t *notes, uint64_t size, uint64_t align, uint64_t *entry,
			 struct err *e)
{
	Elf64_Nhdr note;
	uint64_t desc_off, next;

	/* Sizes are 32 bits wide, so the sums can't wrap. A note that runs past the end ends it. */
	for (; size >= sizeof(note); notes += next, size -= next) {
		memcpy(&note, notes, sizeof(note));
		desc_off = align_up(sizeof(note) + note.n_namesz, align);
		if (desc_off + note.n_descsz > size)
			return 0;

		if (note.n_type == XEN_ELFNOTE_PHYS32_ENTRY &&
		    note.n_namesz == sizeof(XEN_NOTE_NAME) &&
		    !memcmp(notes + sizeof(note), XEN_NOTE_NAME, sizeof(XEN_NOTE_NAME))) {
			if (note.n_descsz != 4 && note.n_descsz != 8)
				return err_set(e, ENOEXEC,
					       "a PVH note of %u bytes; 4 or 8 are right",
					       note.n_descsz);
			*entry = 0;
			memcpy(entry, notes + desc_off, note.n_descsz);
			return 1;
		}

		next = align_up(desc_off + note.n_descsz, align);
		if (next > size)
			return 0;
	}
	return 0;
}

static int find_entry(const struct elf_file *f, uint64_t *entry, struct err *e)
{
	for (unsigned i = 0; i < f->header.e_phnum; i++) {
		Elf64_Phdr ph = program_header(f, i);
		int ret;

		if (ph.p_type != PT_NOTE)
			continue;
		if (!in_file(f, ph.p_offset, ph.p_filesz))
			return err_set(e, EINVAL,
				       "note segment %u (%#" PRIx64 " bytes at %#" PRIx64
				       ") lies outside the file: it is cut short",
				       i, ph.p_filesz, ph.p_offset);
		ret = find_pvh_note(f->data + ph.p_offset, ph.p_filesz, ph.p_align == 8 ? 8 : 4,
				    entry, e);
		if (ret)
			return ret < 0 ? ret : 0;
	}
	return err_set(e, ENOEXEC,
		       "no PVH note, so no entry point; a kernel with one is needed "
		       "(Linux: CONFIG_PVH=y)");
}

static int check_entry(const struct load_plan *plan, uint64_t entry, struct err *e)
{
	if (entry > UINT32_MAX)
		return err_set(e, EINVAL, "PVH entry point %#" PRIx64 " is not below 4 GiB", entry);
	for (unsigned i = 0; i < plan->count; i++) {
		const struct load_segment *s = &plan->segment[i];

		if (entry >= s->base.v && entry - s->base.v < s->size_bytes)
			return 0;
	}
	return err_set(e, EINVAL, "PVH entry point %#" PRIx64 " is in none of the loaded segments",
		       entry);
}

static void load(struct elf_image *out, const struct load_plan *plan)
{
	out->end = gpa(0);
	for (unsigned i = 0; i < plan->count; i++) {
		const struct load_segment *s = &plan->segment[i];
		gpa_t end = gpa_add(s->base, s->size_bytes);

		memcpy(s->host, s->data, s->data_bytes);
		if (s->base.v < LAYOUT_HIGH_RAM_BASE && end.v > out->end.v)
			out->end = end;
	}
}

int elf_load_pvh(struct elf_image *out, const struct mem *m, const uint8_t *file, size_t size_bytes,
		 struct err *e)
{
	struct elf_file f = {.data = file, .size_bytes = size_bytes};
	struct load_plan plan = {0};
	uint64_t entry;
	int ret = check_header(&f, e);

	/* The note first: to be told about the segments of an ordinary program would help nobody. */
	if (!ret)
		ret = find_entry(&f, &entry, e);
	if (!ret)
		ret = plan_segments(&plan, m, &f, e);
	if (!ret)
		ret = check_entry(&plan, entry, e);
	if (ret)
		return ret;

	load(out, &plan);
	out->entry = gpa(entry);
	return 0;
}
