/* SPDX-License-Identifier: MIT */
/* VPs from the MADT and their nodes from the SRAT (ACPI 6.3, 5.2.12 and 5.2.16). */
#ifndef VPUP_GUEST_ACPI_H
#define VPUP_GUEST_ACPI_H

#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/vp.h"

/* A table whose length and checksum are right, or NULL. */
struct acpi_tables {
	const uint8_t *madt;
	uint32_t madt_size;
	const uint8_t *srat;
	uint32_t srat_size;
};

/*
 * Looks at rsdp, or where a PC's firmware leaves it if that is 0, and through the XSDT or RSDT.
 * Returns false if there is no MADT.
 */
bool acpi_find(struct acpi_tables *out, uint64_t rsdp);

/* Adds the enabled VPs in table order, then sets their nodes. */
void acpi_read_vps(const struct acpi_tables *t, struct vp_table *vps);

#endif
