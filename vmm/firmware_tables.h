/* SPDX-License-Identifier: MIT */
/* What firmware makes a machine's tables of: memory map and ACPI tables, in QEMU's formats. */
#ifndef VPUP_VMM_FIRMWARE_TABLES_H
#define VPUP_VMM_FIRMWARE_TABLES_H

#include "vmm/acpi.h"
#include "vmm/memmap.h"

#define LOADER_COMMANDS_MAX 40
#define LOADER_NAME_BYTES   56

#define ACPI_RSDP_FILE   "etc/acpi/rsdp"
#define ACPI_TABLES_FILE "etc/acpi/tables"
#define ACPI_LOADER_FILE "etc/table-loader"
#define E820_FILE        "etc/e820"

/* A command of the table loader (QEMU hw/acpi/bios-linker-loader.c has the format). */
struct loader_command {
	uint32_t command;
	union {
		struct {
			char file[LOADER_NAME_BYTES];
			uint32_t align;
			uint8_t zone;
		} __attribute__((packed)) allocate;
		struct {
			char dest[LOADER_NAME_BYTES];
			char src[LOADER_NAME_BYTES];
			uint32_t offset;
			uint8_t size_bytes;
		} __attribute__((packed)) pointer;
		struct {
			char file[LOADER_NAME_BYTES];
			uint32_t offset;
			uint32_t start;
			uint32_t length;
		} __attribute__((packed)) checksum;
		uint8_t bytes[124];
	};
} __attribute__((packed));

struct loader_script {
	unsigned count;
	struct loader_command command[LOADER_COMMANDS_MAX];
};

struct e820_file {
	unsigned count;
	struct {
		uint64_t start;
		uint64_t size_bytes;
		uint32_t type;
	} __attribute__((packed)) entry[MEMMAP_MAX];
};

/*
 * What the firmware is to do with tables that were built for address 0: allocate them, add their
 * address to each pointer in them, and put the checksums right.
 */
void firmware_script(struct loader_script *s, const struct acpi_tables *t);

/* RAM alone: firmware takes from it what it needs. */
void firmware_e820(struct e820_file *f, const struct mem *m);

_Static_assert(sizeof(struct loader_command) == 128, "one size for all commands");

#endif
