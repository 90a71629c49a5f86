/* SPDX-License-Identifier: MIT */
/* VPs and their nodes from a flattened device tree (Devicetree Specification 0.4, 3.8 and 5). */
#ifndef VPUP_GUEST_FDT_H
#define VPUP_GUEST_FDT_H

#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/pvh.h"
#include "guest-kernel/vp.h"

struct fdt {
	const uint8_t *structure;
	uint32_t structure_size;
	const char *strings;
	uint32_t strings_size;
};

/*
 * The first of boot's modules that is a device tree whose header is right. Returns false if none
 * is.
 */
bool fdt_find(struct fdt *out, const struct pvh_boot *boot);

/*
 * Adds the children of /cpus that have device_type "cpu" and are not disabled, in tree order: `reg`
 * is the APIC ID, `numa-node-id` the node. Reading ends, with a line, where the tree is malformed.
 */
void fdt_read_vps(const struct fdt *f, struct vp_table *vps);

#endif
