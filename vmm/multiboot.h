/* SPDX-License-Identifier: MIT */
/* Multiboot 1 kernels (Multiboot Specification 0.6.96): loader, and the data that they find. */
#ifndef VPUP_VMM_MULTIBOOT_H
#define VPUP_VMM_MULTIBOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmm/boot_data.h"
#include "vmm/err.h"
#include "vmm/load_plan.h"
#include "vmm/mem.h"

#define MULTIBOOT_BOOTLOADER_MAGIC 0x2badb002 /* in EAX at the kernel's entry; EBX: LAYOUT_MBI */

/* Is there a Multiboot header with a right checksum, and is the file no ELF64 file? */
bool multiboot_recognise(const uint8_t *file, size_t size_bytes);

/*
 * Checks file (size_bytes long; not modified), which multiboot_recognise() has recognised, and loads
 * it into m, which must be fresh: by its header's address fields where it has them, else the
 * segments of ELF32, by p_paddr. Below 1 MiB, they may lie in [0, LAYOUT_MBI). Nothing is written
 * unless all checks pass. Returns 0, or -ENOEXEC (asks for what there is not, no such image) or
 * -EINVAL (truncated, overlapping, outside RAM), with e saying so, without the file's name.
 */
int multiboot_load(struct kernel_image *out, const struct mem *m, const uint8_t *file,
		   size_t size_bytes, struct err *e);

/*
 * Writes the Multiboot information to LAYOUT_MBI: memory sizes and map, modules, the command line
 * with the kernel's path as its first word. -E2BIG with e set when the strings do not fit.
 */
int multiboot_write_info(const struct mem *m, const struct boot_data *b, struct err *e);

#endif
