/* SPDX-License-Identifier: MIT */
/* Which part of RAM belongs to which NUMA node: one answer for ACPI and device tree. */
#include "vmm/numa.h"

void numa_iter_init(struct numa_iter *it, const struct mem *m, uint32_t nodes)
{
	*it = (struct numa_iter){.mem = m, .nodes = nodes};
}

/* Where the node's share ends, counted in bytes of RAM. The last one takes the remainder. */
static uint64_t share_end(const struct numa_iter *it)
{
	uint64_t granules = it->mem->size_bytes / NUMA_GRANULE;

	if (it->node == it->nodes - 1)
		return it->mem->size_bytes;
	return granules * (it->node + 1) / it->nodes * NUMA_GRANULE;
}

bool numa_iter_next(struct numa_iter *it, struct numa_range *out)
{
	uint64_t start = it->done_bytes;
	unsigned i;

	while (it->node < it->nodes && share_end(it) <= it->done_bytes)
		it->node++;
	if (it->node == it->nodes)
		return false;
	for (i = 0; i + 1 < it->mem->region_count && start >= it->mem->region[i].size_bytes; i++)
		start -= it->mem->region[i].size_bytes;
	*out = (struct numa_range){
		.base = gpa_add(it->mem->region[i].base, start),
		.size_bytes = it->mem->region[i].size_bytes - start,
		.node = it->node,
	};
	if (out->size_bytes > share_end(it) - it->done_bytes)
		out->size_bytes = share_end(it) - it->done_bytes;
	it->done_bytes += out->size_bytes;
	return true;
}
