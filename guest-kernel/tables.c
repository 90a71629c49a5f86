/* SPDX-License-Identifier: MIT */
/* Where the guest learns which VPs there are: ACPI tables or a flattened device tree. */
#include "guest-kernel/tables.h"

#include "guest-kernel/abi/trace.h"
#include "guest-kernel/options.h"
#include "guest-kernel/shutdown.h"

void tables_find(struct tables *t, struct pvh_boot *boot, uint32_t option)
{
	t->kind = TRACE_TABLES_NONE;
	if (option != OPTION_TABLES_FDT && acpi_find(&t->acpi, boot->rsdp)) {
		t->kind = TRACE_TABLES_ACPI;
		range_list_add(&boot->taken, (uint64_t)t->acpi.madt, t->acpi.madt_size);
		if (t->acpi.srat)
			range_list_add(&boot->taken, (uint64_t)t->acpi.srat, t->acpi.srat_size);
	} else if (option != OPTION_TABLES_ACPI && fdt_find(&t->fdt, boot)) {
		t->kind = TRACE_TABLES_FDT;
	} else if (option == OPTION_TABLES_ACPI) {
		fail("tables=acpi: there is no ACPI with a valid APIC table");
	} else if (option == OPTION_TABLES_FDT) {
		fail("tables=fdt: no module is a flattened device tree");
	}
}

void tables_read_vps(const struct tables *t, struct vp_table *vps)
{
	if (t->kind == TRACE_TABLES_ACPI)
		acpi_read_vps(&t->acpi, vps);
	else if (t->kind == TRACE_TABLES_FDT)
		fdt_read_vps(&t->fdt, vps);
}
