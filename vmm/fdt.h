/* SPDX-License-Identifier: MIT */
/* The same machine as a flattened device tree, built with libfdt (Devicetree Specification 0.4). */
#ifndef VPUP_VMM_FDT_H
#define VPUP_VMM_FDT_H

#include <stddef.h>

#include "vmm/err.h"
#include "vmm/mem.h"
#include "vmm/topology.h"

/*
 * Builds the tree: /cpus (reg = APIC ID, numa-node-id, cpu-map), /memory@..., /distance-map, the
 * interrupt controllers, the legacy devices and /chosen/bootargs. *out is malloc'ed, *size_bytes
 * its length. Returns 0 or -ENOMEM.
 */
int fdt_build(void **out, size_t *size_bytes, const struct topology *t, const struct mem *m,
	      const char *bootargs, struct err *e);

#endif
