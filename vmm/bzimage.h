/* SPDX-License-Identifier: MIT */
/* Linux bzImages by the 64-bit boot protocol (Linux Documentation/arch/x86/boot.rst). */
#ifndef VPUP_VMM_BZIMAGE_H
#define VPUP_VMM_BZIMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmm/boot_data.h"
#include "vmm/err.h"
#include "vmm/load_plan.h"
#include "vmm/mem.h"

#define BZIMAGE_ENTRY_64 0x200u /* in its protected-mode part; the 32-bit entry point is 0 */

/* Is it a boot sector of Linux: 0xaa55 at 0x1fe and "HdrS" at 0x202? */
bool bzimage_recognise(const uint8_t *file, size_t size_bytes);

/*
 * Checks file (size_bytes long; not modified), which bzimage_recognise() has recognised, and loads
 * its protected-mode part into m, which must be fresh, at the address that its header prefers. Its
 * setup header goes to LAYOUT_BOOT_PARAMS, for bzimage_write_info(). Nothing is written unless all
 * checks pass. Returns 0, or -ENOEXEC (a kernel without 64-bit entry point) or -EINVAL (a header
 * that contradicts itself or the file, too little RAM) with e saying so, without the file's name.
 */
int bzimage_load(struct kernel_image *out, const struct mem *m, const uint8_t *file,
		 size_t size_bytes, struct err *e);

/*
 * Completes boot_params and writes what it points at: command line, memory map, random seed, device
 * tree; and the page tables and descriptors that the entry point expects. -E2BIG with e set when the
 * command line is longer than the kernel takes; -EIO when there is no random seed to be had.
 */
int bzimage_write_info(const struct mem *m, const struct boot_data *b, struct err *e);

/* Where the protected-mode part of a recognised file is to begin, which may be behind its end. */
size_t bzimage_code_offset(const uint8_t *file);

/* Of these checks those that need no RAM: is the file what its header says, and whole? */
int bzimage_check_file(const uint8_t *file, size_t size_bytes, struct err *e);

/* The same checks of a file that firmware is to load: nothing is written. */
int bzimage_check(const struct mem *m, const uint8_t *file, size_t size_bytes, struct err *e);

/* The version string in a recognised file's header, NUL-terminated within it; NULL: there is none. */
const char *bzimage_version(const uint8_t *file, size_t size_bytes);

/*
 * The compressed kernel in a recognised file, without the size that Linux's build adds to it; NULL: the
 * header tells of none.
 */
const uint8_t *bzimage_payload(const uint8_t *file, size_t size_bytes, size_t *payload_bytes);

#endif
