/* SPDX-License-Identifier: MIT */
/* Topologies and RAM layouts for unit tests, without mappings. */
#ifndef VPUP_TESTS_UNIT_VM_FIXTURE_H
#define VPUP_TESTS_UNIT_VM_FIXTURE_H

#include <check.h>
#include <stdint.h>

#include "vmm/layout.h"
#include "vmm/mem.h"
#include "vmm/topology.h"

/* Fails the test where the request does not fit. Free with topology_fini(). */
static inline struct topology topology_of(struct topology_config c)
{
	struct topology t;
	struct err e = {""};

	ck_assert_msg(topology_init(&t, &c, &e) == 0, "%s", e.text);
	return t;
}

/* The regions that mem_init() would make, with nothing behind them. */
static inline struct mem ram_of(uint64_t size_bytes)
{
	struct mem m = {.size_bytes = size_bytes, .region_count = 1};

	m.region[0] = (struct mem_region){.base = gpa(0), .size_bytes = size_bytes};
	if (size_bytes > LAYOUT_LOW_RAM_MAX) {
		m.region_count = 2;
		m.region[0].size_bytes = LAYOUT_LOW_RAM_MAX;
		m.region[1].base = gpa(LAYOUT_HIGH_RAM_BASE);
		m.region[1].size_bytes = size_bytes - LAYOUT_LOW_RAM_MAX;
	}
	return m;
}

#endif
