/* SPDX-License-Identifier: MIT */
/* PVH boot data in guest RAM: start_info, memory map, command line, modules (Xen pvh.h, version 1). */
#ifndef VPUP_VMM_PVH_H
#define VPUP_VMM_PVH_H

#include "vmm/boot_data.h"
#include "vmm/err.h"
#include "vmm/mem.h"

/*
 * Writes the boot data to LAYOUT_PVH_INFO and LAYOUT_CMDLINE. Returns 0, or -E2BIG with e set when
 * the command line is longer than LAYOUT_CMDLINE_SIZE - 1 bytes.
 */
int pvh_write_info(const struct mem *m, const struct boot_data *b, struct err *e);

#endif
