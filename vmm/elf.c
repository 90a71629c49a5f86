/* SPDX-License-Identifier: MIT */
/* ELF64 images with a PVH note: every check first, then the copy into guest RAM. */
#include "vmm/elf.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "vmm/elf_file.h"

#define XEN_NOTE_NAME            "Xen"
#define XEN_ELFNOTE_PHYS32_ENTRY 18

static const struct elf_wanted pvh_kernel = {
	.class = ELFCLASS64,
	.machine = EM_X86_64,
	.machine_name = "x86-64",
	.needed = "a bzImage, or an ELF64 kernel with a PVH note or a Multiboot header is needed",
};

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
	for (unsigned i = 0; i < f->count; i++) {
		const Elf64_Phdr *ph = &f->ph[i];
		int ret;

		if (ph->p_type != PT_NOTE)
			continue;
		if (!elf_file_has(f, ph->p_offset, ph->p_filesz))
			return err_set(e, EINVAL,
				       "note segment %u (%#" PRIx64 " bytes at %#" PRIx64
				       ") lies outside the file: it is cut short",
				       i, ph->p_filesz, ph->p_offset);
		ret = find_pvh_note(f->data + ph->p_offset, ph->p_filesz, ph->p_align == 8 ? 8 : 4,
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
	if (!load_plan_contains(plan, entry))
		return err_set(e, EINVAL,
			       "PVH entry point %#" PRIx64 " is in none of the loaded segments",
			       entry);
	return 0;
}

int elf_load_pvh(struct kernel_image *out, const struct mem *m, const uint8_t *file,
		 size_t size_bytes, struct err *e)
{
	struct load_plan plan = {.mem = m, .file = file, .file_bytes = size_bytes};
	struct elf_file f;
	uint64_t entry;
	int ret = elf_file_read(&f, file, size_bytes, &pvh_kernel, e);

	/* The note first: to be told about the segments of an ordinary program would help nobody. */
	if (!ret)
		ret = find_entry(&f, &entry, e);
	if (!ret)
		ret = elf_file_plan(&f, &plan, e);
	if (!ret)
		ret = check_entry(&plan, entry, e);
	if (ret)
		return ret;

	out->end = load_plan_execute(&plan);
	out->entry = gpa(entry);
	return 0;
}
