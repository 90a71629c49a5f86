/* SPDX-License-Identifier: MIT */
/* PVH boot data: one page with start_info, modules and memory map; one with the command line. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "vmm/layout.h"
#include "vmm/memmap.h"
#include "vmm/pvh.h"

#define XEN_HVM_START_MAGIC_VALUE 0x336ec578

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
	struct hvm_modlist_entry module[BOOT_MODULES_MAX];
	struct hvm_memmap_table_entry memmap[MEMMAP_MAX];
};

_Static_assert(sizeof(struct hvm_start_info) == 56, "ABI");
_Static_assert(sizeof(struct hvm_modlist_entry) == 32, "ABI");
_Static_assert(sizeof(struct hvm_memmap_table_entry) == 24, "ABI");
_Static_assert(sizeof(struct info_page) <= LAYOUT_PVH_INFO_SIZE, "layout");

static void fill_memmap(struct info_page *p, const struct mem *m, const struct boot_data *b)
{
	struct memmap map;

	memmap_build(&map, m, b->reserved);
	p->start.memmap_entries = map.count;
	for (unsigned i = 0; i < map.count; i++) {
		const struct memmap_range *r = &map.range[i];

		p->memmap[i] =
			(struct hvm_memmap_table_entry){r->start, r->end - r->start, r->type, 0};
	}
}

static void fill_modules(struct info_page *p, const struct boot_data *b)
{
	if (!b->module_count)
		return;
	p->start.nr_modules = b->module_count;
	p->start.modlist_paddr = LAYOUT_PVH_INFO + offsetof(struct info_page, module);
	for (unsigned i = 0; i < b->module_count; i++) {
		p->module[i].paddr = b->module[i].base.v;
		p->module[i].size = b->module[i].size_bytes;
	}
}

int pvh_write_info(const struct mem *m, const struct boot_data *b, struct err *e)
{
	size_t cmdline_size = strlen(b->cmdline) + 1;
	struct info_page page = {
		.start =
			{
				.magic = XEN_HVM_START_MAGIC_VALUE,
				.version = 1,
				.cmdline_paddr = LAYOUT_CMDLINE,
				.rsdp_paddr = b->rsdp.v,
				.memmap_paddr =
					LAYOUT_PVH_INFO + offsetof(struct info_page, memmap),
			},
	};

	assert(m->size_bytes >= LAYOUT_RAM_MIN);
	assert(b->module_count <= BOOT_MODULES_MAX);

	if (cmdline_size > LAYOUT_CMDLINE_SIZE)
		return err_set(e, E2BIG, "the guest's command line has %zu bytes; at most %llu fit",
			       cmdline_size - 1, LAYOUT_CMDLINE_SIZE - 1);
	fill_memmap(&page, m, b);
	fill_modules(&page, b);

	mem_write(m, gpa(LAYOUT_PVH_INFO), &page, sizeof(page));
	mem_write(m, gpa(LAYOUT_CMDLINE), b->cmdline, cmdline_size);
	return 0;
}
