/* SPDX-License-Identifier: MIT */
/* What a PVH loader hands over (Xen's start_info, version 1). */
#ifndef VPUP_GUEST_PVH_H
#define VPUP_GUEST_PVH_H

#include <stdint.h>

#define PVH_RANGES_MAX 32

/* [start, end), in bytes, physical */
struct range {
	uint64_t start;
	uint64_t end;
};

struct range_list {
	uint32_t count;
	struct range range[PVH_RANGES_MAX];
};

struct pvh_boot {
	uint64_t rsdp;           /* 0: not given */
	char *cmdline;           /* where the loader left it, and ours to change */
	struct range_list ram;   /* usable RAM below 4 GiB */
	struct range_list taken; /* not to be overwritten: the modules, and what is added later */
	uint32_t module_count; /* the first so many of `taken` are modules, in the loader's order */
};

/*
 * Adds [start, start + size), cut off at 4 GiB; empty ranges and those past a full list are
 * dropped.
 */
void range_list_add(struct range_list *l, uint64_t start, uint64_t size);

/*
 * Reads what the loader left at start_info, all of it but the command line. Ends the run with a
 * message if the magic is wrong or the memory map has no RAM.
 */
void pvh_read(struct pvh_boot *b, uint64_t start_info);

#endif
