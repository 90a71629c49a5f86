/* SPDX-License-Identifier: MIT */
/* What stands in guest RAM when the boot VP starts: kernel, modules, tables, boot data. */
#ifndef VPUP_VMM_LOAD_H
#define VPUP_VMM_LOAD_H

#include "vmm/err.h"
#include "vmm/machine.h"

/* Loads kernel, modules and tables into a created machine. Failure is the user's to mend. */
int machine_load(struct machine *m, struct err *e);

/* Where the ACPI tables go: the top of the RAM below 4 GiB. -ENOSPC if it is too small. */
int load_place_acpi(const struct machine *m, const struct mem *mem, gpa_t *base, struct err *e);

/* The kernel that cfg names, or the bundled guest: a malloc'ed path, or NULL when out of memory. */
char *load_kernel_path(const struct vm_config *cfg);

#endif
