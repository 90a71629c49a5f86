/* SPDX-License-Identifier: MIT */
/* Layouts of the ACPI tables that vpup makes (ACPI 6.3, chapter 5), little-endian and packed. */
#ifndef VPUP_VMM_ACPI_DEFS_H
#define VPUP_VMM_ACPI_DEFS_H

#include <stdint.h>

#define ACPI_PACKED __attribute__((packed))

struct acpi_rsdp {
	char signature[8];
	uint8_t checksum; /* of the first 20 bytes */
	char oem_id[6];
	uint8_t revision;
	uint32_t rsdt;
	uint32_t length;
	uint64_t xsdt;
	uint8_t extended_checksum;
	uint8_t reserved[3];
} ACPI_PACKED;

struct acpi_header {
	char signature[4];
	uint32_t length;
	uint8_t revision;
	uint8_t checksum;
	char oem_id[6];
	char oem_table_id[8];
	uint32_t oem_revision;
	char creator_id[4];
	uint32_t creator_revision;
} ACPI_PACKED;

/* Generic address structure. */
struct acpi_gas {
	uint8_t space; /* 1: I/O ports */
	uint8_t bit_width;
	uint8_t bit_offset;
	uint8_t access_size; /* 1: byte */
	uint64_t address;
} ACPI_PACKED;

/* The fixed hardware that a hardware-reduced machine lacks is summed up as reserved. */
struct acpi_fadt {
	struct acpi_header header;
	uint32_t firmware_ctrl;
	uint32_t dsdt;
	uint8_t reserved_44[52];
	uint16_t c2_latency_us;
	uint16_t c3_latency_us;
	uint8_t reserved_100[9];
	uint16_t iapc_boot_arch;
	uint8_t reserved_111;
	uint32_t flags;
	struct acpi_gas reset_reg;
	uint8_t reset_value;
	uint16_t arm_boot_arch;
	uint8_t minor_revision;
	uint64_t x_firmware_ctrl;
	uint64_t x_dsdt;
	uint8_t reserved_148[96];
	struct acpi_gas sleep_control_reg;
	struct acpi_gas sleep_status_reg;
	uint64_t hypervisor_vendor;
} ACPI_PACKED;

struct acpi_madt {
	struct acpi_header header;
	uint32_t lapic_address;
	uint32_t flags; /* bit 0: PCAT_COMPAT */
} ACPI_PACKED;

struct acpi_madt_lapic {
	uint8_t type; /* 0 */
	uint8_t length;
	uint8_t uid;
	uint8_t apic_id;
	uint32_t flags;
} ACPI_PACKED;

struct acpi_madt_ioapic {
	uint8_t type; /* 1 */
	uint8_t length;
	uint8_t ioapic_id;
	uint8_t reserved;
	uint32_t address;
	uint32_t gsi_base;
} ACPI_PACKED;

struct acpi_madt_lapic_nmi {
	uint8_t type; /* 4 */
	uint8_t length;
	uint8_t uid; /* 0xff: all */
	uint16_t flags;
	uint8_t lint;
} ACPI_PACKED;

struct acpi_madt_x2apic {
	uint8_t type; /* 9 */
	uint8_t length;
	uint16_t reserved;
	uint32_t apic_id;
	uint32_t flags;
	uint32_t uid;
} ACPI_PACKED;

struct acpi_madt_x2apic_nmi {
	uint8_t type; /* 0xa */
	uint8_t length;
	uint16_t flags;
	uint32_t uid; /* 0xffffffff: all */
	uint8_t lint;
	uint8_t reserved[3];
} ACPI_PACKED;

struct acpi_srat {
	struct acpi_header header;
	uint32_t one; /* reserved, 1 */
	uint64_t reserved;
} ACPI_PACKED;

struct acpi_srat_lapic {
	uint8_t type; /* 0 */
	uint8_t length;
	uint8_t node_low; /* bits 7:0 of the proximity domain */
	uint8_t apic_id;
	uint32_t flags;
	uint8_t sapic_eid;
	uint8_t node_high[3]; /* bits 31:8 */
	uint32_t clock_domain;
} ACPI_PACKED;

struct acpi_srat_memory {
	uint8_t type; /* 1 */
	uint8_t length;
	uint32_t node;
	uint16_t reserved;
	uint64_t base;
	uint64_t size_bytes;
	uint32_t reserved2;
	uint32_t flags;
	uint64_t reserved3;
} ACPI_PACKED;

struct acpi_srat_x2apic {
	uint8_t type; /* 2 */
	uint8_t length;
	uint16_t reserved;
	uint32_t node;
	uint32_t apic_id;
	uint32_t flags;
	uint32_t clock_domain;
	uint32_t reserved2;
} ACPI_PACKED;

struct acpi_slit {
	struct acpi_header header;
	uint64_t localities; /* and localities^2 bytes, row by row */
} ACPI_PACKED;

_Static_assert(sizeof(struct acpi_rsdp) == 36, "ACPI 6.3, 5.2.5.3");
_Static_assert(sizeof(struct acpi_header) == 36, "ACPI 6.3, 5.2.6");
_Static_assert(sizeof(struct acpi_gas) == 12, "ACPI 6.3, 5.2.3.2");
_Static_assert(sizeof(struct acpi_fadt) == 276, "ACPI 6.3, 5.2.9");
_Static_assert(__builtin_offsetof(struct acpi_fadt, iapc_boot_arch) == 109, "ACPI 6.3, 5.2.9");
_Static_assert(__builtin_offsetof(struct acpi_fadt, x_dsdt) == 140, "ACPI 6.3, 5.2.9");
_Static_assert(__builtin_offsetof(struct acpi_fadt, sleep_control_reg) == 244, "ACPI 6.3, 5.2.9");
_Static_assert(sizeof(struct acpi_madt) == 44, "ACPI 6.3, 5.2.12");
_Static_assert(sizeof(struct acpi_madt_lapic) == 8, "ACPI 6.3, 5.2.12.2");
_Static_assert(sizeof(struct acpi_madt_ioapic) == 12, "ACPI 6.3, 5.2.12.3");
_Static_assert(sizeof(struct acpi_madt_lapic_nmi) == 6, "ACPI 6.3, 5.2.12.7");
_Static_assert(sizeof(struct acpi_madt_x2apic) == 16, "ACPI 6.3, 5.2.12.12");
_Static_assert(sizeof(struct acpi_madt_x2apic_nmi) == 12, "ACPI 6.3, 5.2.12.13");
_Static_assert(sizeof(struct acpi_srat) == 48, "ACPI 6.3, 5.2.16");
_Static_assert(sizeof(struct acpi_srat_lapic) == 16, "ACPI 6.3, 5.2.16.1");
_Static_assert(sizeof(struct acpi_srat_memory) == 40, "ACPI 6.3, 5.2.16.2");
_Static_assert(sizeof(struct acpi_srat_x2apic) == 24, "ACPI 6.3, 5.2.16.3");
_Static_assert(sizeof(struct acpi_slit) == 44, "ACPI 6.3, 5.2.17");

#endif
