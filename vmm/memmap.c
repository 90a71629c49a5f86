/* SPDX-License-Identifier: MIT */
/* The guest's map of its RAM, in the terms that PVH, Multiboot and E820 share. */
#include "vmm/memmap.h"

#include "vmm/layout.h"

static void add_range(struct memmap *map, uint64_t start, uint64_t end, uint32_t type)
{
	if (start < end)
		map->range[map->count++] = (struct memmap_range){start, end, type};
}

void memmap_build(struct memmap *map, const struct mem *m, gpa_t acpi)
{
	uint64_t low_end = mem_low_end(m).v;
	uint64_t acpi_start = acpi.v ? acpi.v : low_end;

	*map = (struct memmap){0};
	add_range(map, 0, LAYOUT_EBDA, MEMMAP_RAM);
	add_range(map, LAYOUT_EBDA, LAYOUT_KERNEL_MIN, MEMMAP_RESERVED);
	add_range(map, LAYOUT_KERNEL_MIN, acpi_start, MEMMAP_RAM);
	add_range(map, acpi_start, low_end, MEMMAP_ACPI);
	if (m->region_count > 1) {
		const struct mem_region *high = &m->region[1];

		add_range(map, high->base.v, high->base.v + high->size_bytes, MEMMAP_RAM);
	}
}
