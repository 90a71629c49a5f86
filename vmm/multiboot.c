/* SPDX-License-Identifier: MIT */
/* Multiboot 1 kernels: the header, and the two ways to load what stands behind it. */
#include "vmm/multiboot.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "vmm/elf_file.h"
#include "vmm/layout.h"

#define MULTIBOOT_SEARCH       8192 /* the header lies wholly in this many bytes */
#define MULTIBOOT_HEADER_ALIGN 4
#define MULTIBOOT_HEADER_MAGIC 0x1badb002

#define MULTIBOOT_PAGE_ALIGN    (1u << 0) /* of modules: they always are */
#define MULTIBOOT_MEMORY_INFO   (1u << 1) /* always given */
#define MULTIBOOT_VIDEO_MODE    (1u << 2)
#define MULTIBOOT_REQUIRED_MASK 0xffffu /* a loader that does not know one must refuse */
#define MULTIBOOT_AOUT_KLUDGE   (1u << 16)

struct multiboot_header {
	uint32_t magic;
	uint32_t flags;
	uint32_t checksum;
};

/* They follow the header where MULTIBOOT_AOUT_KLUDGE says so. */
struct multiboot_addresses {
	uint32_t header_addr;
	uint32_t load_addr;
	uint32_t load_end_addr; /* 0: all of the file */
	uint32_t bss_end_addr;  /* 0: no BSS */
	uint32_t entry_addr;
};

static const struct elf_wanted multiboot_kernel = {
	.class = ELFCLASS32,
	.machine = EM_386,
	.machine_name = "i386",
	.needed = "a Multiboot kernel without address fields must be an ELF32 file",
};

/* Returns the header's offset in the file, or -1. */
static int64_t find_header(const uint8_t *file, size_t size_bytes, struct multiboot_header *h)
{
	size_t end = size_bytes < MULTIBOOT_SEARCH ? size_bytes : MULTIBOOT_SEARCH;

	for (size_t off = 0; off + sizeof(*h) <= end; off += MULTIBOOT_HEADER_ALIGN) {
		memcpy(h, file + off, sizeof(*h));
		if (h->magic == MULTIBOOT_HEADER_MAGIC && h->magic + h->flags + h->checksum == 0)
			return (int64_t)off;
	}
	return -1;
}

bool multiboot_recognise(const uint8_t *file, size_t size_bytes)
{
	struct multiboot_header h;
	bool is_elf = size_bytes >= EI_NIDENT && !memcmp(file, ELFMAG, SELFMAG);

	if (is_elf && file[EI_CLASS] == ELFCLASS64)
		return false;
	return find_header(file, size_bytes, &h) >= 0;
}

static int check_flags(uint32_t flags, struct err *e)
{
	uint32_t unknown = flags & MULTIBOOT_REQUIRED_MASK &
			   ~(MULTIBOOT_PAGE_ALIGN | MULTIBOOT_MEMORY_INFO | MULTIBOOT_VIDEO_MODE);

	if (unknown)
		return err_set(e, ENOEXEC,
			       "the Multiboot header requires features %#x, which do not exist",
			       unknown);
	if (flags & MULTIBOOT_VIDEO_MODE)
		return err_set(e, ENOEXEC,
			       "the Multiboot header requires a video mode, and there is no "
			       "graphics; a kernel for a serial console is needed");
	return 0;
}

/* One segment, whose place in the file follows from the place of the header in both. */
static int request_by_addresses(struct load_request *r, const struct multiboot_addresses *a,
				uint64_t header_off, uint64_t file_bytes, struct err *e)
{
	uint32_t before = a->header_addr - a->load_addr; /* what is loaded before the header */
	uint64_t load_end, bss_end;

	if (a->load_addr > a->header_addr || before > header_off)
		return err_set(e, EINVAL,
			       "Multiboot load_addr %#x and header_addr %#x do not fit a header at "
			       "%#" PRIx64 " in the file",
			       a->load_addr, a->header_addr, header_off);
	r->file_off = header_off - before;
	load_end = a->load_end_addr ? a->load_end_addr : a->load_addr + (file_bytes - r->file_off);
	bss_end = a->bss_end_addr ? a->bss_end_addr : load_end;
	if (load_end < a->load_addr || bss_end < load_end)
		return err_set(e, EINVAL,
			       "Multiboot addresses do not ascend: load_addr %#x, load_end_addr "
			       "%#" PRIx64 ", bss_end_addr %#" PRIx64,
			       a->load_addr, load_end, bss_end);
	r->base = a->load_addr;
	r->file_bytes = load_end - a->load_addr;
	r->size_bytes = bss_end - a->load_addr;
	return 0;
}

static int plan_by_addresses(struct load_plan *plan, uint64_t *entry, uint64_t header_off,
			     struct err *e)
{
	uint64_t off = header_off + sizeof(struct multiboot_header);
	struct multiboot_addresses a;
	struct load_request r = {0};
	int ret;

	if (off > MULTIBOOT_SEARCH - sizeof(a) || off + sizeof(a) > plan->file_bytes)
		return err_set(e, EINVAL, "the Multiboot header's address fields are cut short");
	memcpy(&a, plan->file + off, sizeof(a));
	*entry = a.entry_addr;
	ret = request_by_addresses(&r, &a, header_off, plan->file_bytes, e);
	return ret ? ret : load_plan_add(plan, &r, e);
}

/* Kernels that are linked high name a virtual entry point; loaders take it to where it is loaded. */
static uint64_t physical_entry(const struct elf_file *f)
{
	for (unsigned i = 0; i < f->count; i++) {
		const Elf64_Phdr *ph = &f->ph[i];

		if (ph->p_type == PT_LOAD && f->entry >= ph->p_vaddr &&
		    f->entry - ph->p_vaddr < ph->p_memsz)
			return f->entry - ph->p_vaddr + ph->p_paddr;
	}
	return f->entry;
}

static int plan_by_elf(struct load_plan *plan, uint64_t *entry, struct err *e)
{
	struct elf_file f;
	int ret = elf_file_read(&f, plan->file, plan->file_bytes, &multiboot_kernel, e);

	if (ret)
		return ret;
	*entry = physical_entry(&f);
	return elf_file_plan(&f, plan, e);
}

int multiboot_load(struct kernel_image *out, const struct mem *m, const uint8_t *file,
		   size_t size_bytes, struct err *e)
{
	struct load_plan plan = {
		.mem = m,
		.file = file,
		.file_bytes = size_bytes,
		.low_end = gpa(LAYOUT_MBI),
	};
	struct multiboot_header h;
	int64_t off = find_header(file, size_bytes, &h);
	uint64_t entry = 0;
	int ret;

	if (off < 0)
		return err_set(e, ENOEXEC, "no Multiboot header");
	ret = check_flags(h.flags, e);
	if (ret)
		return ret;
	if (h.flags & MULTIBOOT_AOUT_KLUDGE)
		ret = plan_by_addresses(&plan, &entry, (uint64_t)off, e);
	else
		ret = plan_by_elf(&plan, &entry, e);
	if (ret)
		return ret;
	if (!load_plan_contains(&plan, entry))
		return err_set(e, EINVAL, "entry point %#" PRIx64 " is in nothing that is loaded",
			       entry);
	out->end = load_plan_execute(&plan);
	out->entry = gpa(entry);
	return 0;
}
