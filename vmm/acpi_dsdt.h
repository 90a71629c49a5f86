/* SPDX-License-Identifier: MIT */
/* The DSDT's contents: the legacy devices and one processor device per VP. */
#ifndef VPUP_VMM_ACPI_DSDT_H
#define VPUP_VMM_ACPI_DSDT_H

#include <stddef.h>

#include "vmm/acpi_aml.h"
#include "vmm/topology.h"

/* An upper bound of what acpi_dsdt_write() appends. */
size_t acpi_dsdt_bound(const struct topology *t, unsigned virtio_slots);

/* Appends the AML that follows the table header. The virtio devices are in the first slots. */
void acpi_dsdt_write(struct acpi_buf *b, const struct topology *t, unsigned virtio_slots);

#endif
