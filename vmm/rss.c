/* SPDX-License-Identifier: MIT */
/* Resident memory of this process, without the guest's RAM (proc(5), /proc/pid/smaps). */
#include "vmm/rss.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_guest_ram(const struct mem *m, uint64_t start)
{
	for (unsigned i = 0; i < m->region_count; i++) {
		uint64_t host = (uintptr_t)m->region[i].host;

		if (start >= host && start - host < m->region[i].size_bytes)
			return true;
	}
	return false;
}

uint64_t rss_without_guest_kib(const struct mem *m)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	uint64_t start, end, kib, sum = 0;
	bool guest = false;
	char line[512];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2)
			guest = is_guest_ram(m, start);
		else if (!guest && sscanf(line, "Rss: %" SCNu64 " kB", &kib) == 1)
			sum += kib;
	}
	fclose(f);
	return sum;
}
