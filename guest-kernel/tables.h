/* SPDX-License-Identifier: MIT */
/* Where the guest learns which VPs there are: ACPI tables or a flattened device tree. */
#ifndef VPUP_GUEST_TABLES_H
#define VPUP_GUEST_TABLES_H

#include <stdint.h>

#include "guest-kernel/acpi.h"
#include "guest-kernel/fdt.h"
#include "guest-kernel/pvh.h"
#include "guest-kernel/vp.h"

struct tables {
	uint32_t kind; /* enum trace_tables */
	struct acpi_tables acpi;
	struct fdt fdt;
};

/*
 * Finds the tables that option (enum option_tables) asks for; AUTO takes ACPI, else a device tree,
 * else neither. Ends the run if the one that was asked for is not there. What must not be
 * overwritten until tables_read_vps() is added to boot->taken.
 */
void tables_find(struct tables *t, struct pvh_boot *boot, uint32_t option);

/* Adds the VPs that the tables name to vps, which holds the boot VP. */
void tables_read_vps(const struct tables *t, struct vp_table *vps);

#endif
