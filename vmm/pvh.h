/* SPDX-License-Identifier: MIT */
/* PVH boot data in guest RAM: start_info, memory map, command line, modules (Xen pvh.h, version 1). */
#ifndef VPUP_VMM_PVH_H
#define VPUP_VMM_PVH_H

#include "vmm/err.h"
#include "vmm/mem.h"

#define PVH_MODULES_MAX 2

struct pvh_module {
	gpa_t base;
	uint64_t size_bytes;
};

struct pvh_config {
	const char *cmdline;
	gpa_t rsdp;     /* 0: none */
	gpa_t reserved; /* [reserved, mem_low_end): ACPI tables, reported as such; 0: none */
	unsigned module_count;
	struct pvh_module module[PVH_MODULES_MAX];
};

/*
 * Writes the boot data to LAYOUT_PVH_INFO and LAYOUT_CMDLINE. Returns 0, or -E2BIG with e set when
 * the command line is longer than LAYOUT_CMDLINE_SIZE - 1 bytes.
 */
int pvh_write_info(const struct mem *m, const struct pvh_config *c, struct err *e);

#endif
