/* SPDX-License-Identifier: MIT */
/* ELF64 images with a PVH note: checked as hostile input, then copied into guest RAM. */
#ifndef VPUP_VMM_ELF_H
#define VPUP_VMM_ELF_H

#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"
#include "vmm/load_plan.h"
#include "vmm/mem.h"

/*
 * Checks file (size_bytes long; not modified) and loads its PT_LOAD segments by p_paddr into m, which
 * must be fresh: BSS is left as the zeroes it is. Nothing is written unless all checks pass.
 * Returns 0, or -ENOEXEC (not such an image) or -EINVAL (segments truncated, overlapping, outside
 * RAM or below LAYOUT_KERNEL_MIN) with e saying what is wrong and what would be right.
 * e does not name the file; the caller does.
 */
int elf_load_pvh(struct kernel_image *out, const struct mem *m, const uint8_t *file,
		 size_t size_bytes, struct err *e);

#endif
