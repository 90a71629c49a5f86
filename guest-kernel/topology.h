/* SPDX-License-Identifier: MIT */
/* Which VPs share a core and which a package: CPUID's division of the APIC ID, for all VPs. */
#ifndef VPUP_GUEST_TOPOLOGY_H
#define VPUP_GUEST_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/vp.h"

struct topology {
	uint32_t thread_bits;  /* low bits of the APIC ID that differ within a core */
	uint32_t package_bits; /* within a package */
	uint32_t packages;     /* with VPs in them; 0: topology_find() was not called */
	bool odd;              /* cores or packages contradict the nodes of the firmware tables */
};

/*
 * Reads CPUID and sets package and core of all VPs. Called between the last vp_table_add() and
 * vp_table_finish(), and only where somebody wants to know, as it costs the boot VP time.
 */
void topology_find(struct topology *t, struct vp_table *vps);

/* Calls fn for the other secondary VPs of vp's core. */
void topology_for_siblings(const struct topology *t, const struct vp *vp,
			   void (*fn)(const struct vp *sibling));

#endif
