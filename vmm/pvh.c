/* SPDX-License-Identifier: MIT */
/* PVH boot data: one page with start_info, modules and memory map; one with the command line. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "vmm/layout.h"
#include "vmm/pvh.h"

#define XEN_HVM_START_MAGIC_VALUE 0x336ec578

#define HVM_MEMMAP_RAM      1
#define HVM_MEMMAP_RESERVED 2
#define HVM_MEMMAP_ACPI     3

#define MEMMAP_MAX 5

struct hvm_start_info {
	uint32_t magic;
	uint32_t version;
	uint32_t flags;
	uint32_t nr_modules;
	uint64_t modlist_paddr;
	uint64_t cmdline_paddr;
	uint64_t rsdp_paddr;
	uint64_t memmap_paddr;
	uint32_t memmap_entries;
	uint32_t reserved;
};

struct hvm_modlist_entry {
	uint64_t paddr;
	uint64_t size;
	uint64_t cmdline_paddr;
	uint64_t reserved;
};

struct hvm_memmap_table_entry {
	uint64_t addr;
	uint64_t size;
	uint32_t type;
	uint32_t reserved;
};

struct info_page {
	struct hvm_start_info start;
	struct hvm_modlist_entry module[PVH_MODULES_MAX];
	struct hvm_memmap_table_entry memmap[MEMMAP_MAX];
};

_Static_assert(sizeof(struct hvm_start_info) == 56, "ABI");
_Static_assert(sizeof(struct hvm_modlist_entry) == 32, "ABI");
_Static_assert(sizeof(struct hvm_memmap_table_entry) == 24, "ABI");
_Static_assert(sizeof(struct info_page) <= LAYOUT_PVH_INFO_SIZE, "layout");

/* Adds [start, end) unless it is empty. */
static void add_range(struct info_page *p, uint64_t start, uint64_t end, uint32_t type)
{
	if (start < end)
		p->memmap[p->start.memmap_entries++] =
			(struct hvm_memmap_table_entry){start, end - start, type, 0};
}

static void fill_memmap(struct info_page *p, const struct mem *m, const struct pvh_config *c)
{
	uint64_t low_end = mem_low_end(m).v;
	uint64_t reserved = c->reserved.v ? c->reserved.v : low_end;

	add_range(p, 0, LAYOUT_EBDA, HVM_MEMMAP_RAM);
	add_range(p, LAYOUT_EBDA, LAYOUT_KERNEL_MIN, HVM_MEMMAP_RESERVED);
	add_range(p, LAYOUT_KERNEL_MIN, reserved, HVM_MEMMAP_RAM);
	add_range(p, reserved, low_end, HVM_MEMMAP_ACPI);
	if (m->region_count > 1) {
		const struct mem_region *high = &m->region[1];

		add_range(p, high->base.v, high->base.v + high->size_bytes, HVM_MEMMAP_RAM);
	}
}

static void fill_modules(struct info_page *p, const struct pvh_config *c)
{
	if (!c->module_count)
		return;
	p->start.nr_modules = c->module_count;
	p->start.modlist_paddr = LAYOUT_PVH_INFO + offsetof(struct info_page, module);
	for (unsigned i = 0; i < c->module_count; i++) {
		p->module[i].paddr = c->module[i].base.v;
		p->module[i].size = c->module[i].size_bytes;
	}
}

int pvh_write_info(const struct mem *m, const struct pvh_config *c, struct err *e)
{
	size_t cmdline_size = strlen(c->cmdline) + 1;
	struct info_page page = {
		.start =
			{
				.magic = XEN_HVM_START_MAGIC_VALUE,
				.version = 1,
				.cmdline_paddr = LAYOUT_CMDLINE,
				.rsdp_paddr = c->rsdp.v,
				.memmap_paddr =
					LAYOUT_PVH_INFO + offsetof(struct info_page, memmap),
			},
	};

	assert(m->size_bytes >= LAYOUT_RAM_MIN);
	assert(c->module_count <= PVH_MODULES_MAX);

	if (cmdline_size > LAYOUT_CMDLINE_SIZE)
		return err_set(e, E2BIG, "the guest's command line has %zu bytes; at most %llu fit",
			       cmdline_size - 1, LAYOUT_CMDLINE_SIZE - 1);
	fill_memmap(&page, m, c);
	fill_modules(&page, c);

	mem_write(m, gpa(LAYOUT_PVH_INFO), &page, sizeof(page));
	mem_write(m, gpa(LAYOUT_CMDLINE), c->cmdline, cmdline_size);
	return 0;
}
