/* SPDX-License-Identifier: MIT */
/* What a kernel is told when it starts, whatever the boot protocol that tells it. */
#ifndef VPUP_VMM_BOOT_DATA_H
#define VPUP_VMM_BOOT_DATA_H

#include <stdint.h>

#include "vmm/gpa.h"

#define BOOT_MODULES_MAX 2

/*
 * A device tree has so many free bytes in front of it: Linux wants it behind the head of a
 * setup_data node.
 */
#define BOOT_DTB_HEAD 16

enum boot_module_kind { BOOT_INITRD, BOOT_DTB };

struct boot_module {
	gpa_t base;
	uint64_t size_bytes;
	const char *name; /* what Multiboot shows as the module's string */
	enum boot_module_kind kind;
};

/* Strings belong to whoever filled them in. */
struct boot_data {
	const char *kernel; /* its path, the first word of a Multiboot command line */
	const char *cmdline;
	gpa_t rsdp;     /* 0: none */
	gpa_t reserved; /* [reserved, mem_low_end): ACPI tables, reported as such; 0: none */
	unsigned module_count;
	struct boot_module module[BOOT_MODULES_MAX];
};

#endif
