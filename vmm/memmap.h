/* SPDX-License-Identifier: MIT */
/* The guest's map of its RAM, in the terms that PVH, Multiboot and E820 share. */
#ifndef VPUP_VMM_MEMMAP_H
#define VPUP_VMM_MEMMAP_H

#include <stdint.h>

#include "vmm/mem.h"

#define MEMMAP_RAM      1
#define MEMMAP_RESERVED 2
#define MEMMAP_ACPI     3 /* the guest may use it once it has read the tables */

#define MEMMAP_MAX 5

struct memmap_range {
	uint64_t start;
	uint64_t end; /* exclusive */
	uint32_t type;
};

struct memmap {
	unsigned count;
	struct memmap_range range[MEMMAP_MAX]; /* ascending, none empty */
};

/* Fills map. acpi is where the ACPI tables start, which reach to mem_low_end(); 0: there are none. */
void memmap_build(struct memmap *map, const struct mem *m, gpa_t acpi);

#endif
