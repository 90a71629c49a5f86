/* SPDX-License-Identifier: MIT */
/* ACPI tables of the machine: RSDP, XSDT, FADT, MADT, SRAT, SLIT, DSDT (ACPI 6.3). */
#ifndef VPUP_VMM_ACPI_H
#define VPUP_VMM_ACPI_H

#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"
#include "vmm/gpa.h"
#include "vmm/mem.h"
#include "vmm/topology.h"

#define ACPI_RSDP_SIZE  36
#define ACPI_TABLES_MAX 8

struct acpi_table_ref {
	char signature[5]; /* as in the header, NUL-terminated: "FACP", "APIC", ... */
	size_t offset;     /* into data */
	size_t size_bytes;
};

struct acpi_tables {
	uint8_t *data; /* all tables but the RSDP, each 16-byte aligned; owned */
	size_t size_bytes;
	uint8_t rsdp[ACPI_RSDP_SIZE];
	unsigned table_count;
	struct acpi_table_ref table[ACPI_TABLES_MAX];
};

/* An upper bound of size_bytes for this topology and that many virtio devices, so that the caller can place the tables first. */
size_t acpi_size_bound(const struct topology *t, unsigned virtio_slots);

/*
 * Builds the tables for a machine with RAM m, VPs t and virtio devices, to be placed at base (16-byte aligned).
 * Returns 0 or -ENOMEM. IDs below 255 get local APIC entries, the others x2APIC entries, as Linux
 * 6.12 wants it.
 */
int acpi_build(struct acpi_tables *out, const struct topology *t, const struct mem *m,
	       unsigned virtio_slots, gpa_t base, struct err *e);
void acpi_fini(struct acpi_tables *a);

/* Writes each table to DIR/<signature>.dat (made if missing), as `acpidump -b` names them. */
int acpi_dump(const struct acpi_tables *a, const char *dir, struct err *e);

#endif
