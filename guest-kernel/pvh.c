/* SPDX-License-Identifier: MIT */
/* What a PVH loader hands over (Xen's start_info, version 1). */
#include "guest-kernel/pvh.h"

#include "guest-kernel/shutdown.h"

#include <stddef.h>

#define PVH_MAGIC      0x336ec578u
#define PVH_MEMMAP_RAM 1
#define PVH_ADDR_LIMIT (1ull << 32) /* what the boot page tables map */

struct pvh_start_info {
	uint32_t magic;
	uint32_t version;
	uint32_t flags;
	uint32_t module_count;
	uint64_t modules;
	uint64_t cmdline;
	uint64_t rsdp;
	uint64_t memmap;
	uint32_t memmap_count;
	uint32_t reserved;
};

struct pvh_memmap_entry {
	uint64_t start;
	uint64_t size;
	uint32_t type;
	uint32_t reserved;
};

struct pvh_module_entry {
	uint64_t start;
	uint64_t size;
	uint64_t cmdline;
	uint64_t reserved;
};

_Static_assert(sizeof(struct pvh_start_info) == 56, "ABI");
_Static_assert(offsetof(struct pvh_start_info, memmap) == 40, "ABI");
_Static_assert(sizeof(struct pvh_memmap_entry) == 24, "ABI");
_Static_assert(sizeof(struct pvh_module_entry) == 32, "ABI");

void range_list_add(struct range_list *l, uint64_t start, uint64_t size)
{
	if (start >= PVH_ADDR_LIMIT || size == 0 || l->count == PVH_RANGES_MAX)
		return;
	if (size > PVH_ADDR_LIMIT - start)
		size = PVH_ADDR_LIMIT - start;
	l->range[l->count++] = (struct range){.start = start, .end = start + size};
}

void pvh_read(struct pvh_boot *b, uint64_t start_info)
{
	const struct pvh_start_info *info = (const struct pvh_start_info *)start_info;
	const struct pvh_memmap_entry *map;
	const struct pvh_module_entry *module;
	uint32_t i;

	if (info->magic != PVH_MAGIC || info->version < 1)
		fail("not started by a PVH loader: magic %x, version %u", info->magic,
		     info->version);
	b->cmdline = info->cmdline != 0 ? (char *)info->cmdline : "";
	b->rsdp = info->rsdp;
	map = (const struct pvh_memmap_entry *)info->memmap;
	for (i = 0; i < info->memmap_count; i++) {
		if (map[i].type == PVH_MEMMAP_RAM)
			range_list_add(&b->ram, map[i].start, map[i].size);
	}
	module = (const struct pvh_module_entry *)info->modules;
	for (i = 0; i < info->module_count; i++)
		range_list_add(&b->taken, module[i].start, module[i].size);
	b->module_count = b->taken.count;
	if (b->ram.count == 0)
		fail("the PVH memory map has no RAM");
}
