/* SPDX-License-Identifier: MIT */
/* Resident memory of a VMM, without the guest's RAM. */
#include "vmm/rss.h"

#include <inttypes.h>
#include <stdio.h>

/* Is the mapping from start to end the guest's RAM? */
typedef bool is_guest_fn(const void *ctx, uint64_t start, uint64_t end);

static uint64_t sum_kib(const char *smaps, is_guest_fn *is_guest, const void *ctx)
{
	FILE *f = fopen(smaps, "re");
	uint64_t start, end, kib, sum = 0;
	bool guest = false;
	char line[512];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2)
			guest = is_guest(ctx, start, end);
		else if (!guest && sscanf(line, "Rss: %" SCNu64 " kB", &kib) == 1)
			sum += kib;
	}
	fclose(f);
	return sum;
}

static bool is_in_region(const void *ctx, uint64_t start, uint64_t end)
{
	const struct mem *m = ctx;

	(void)end;
	for (unsigned i = 0; i < m->region_count; i++) {
		uint64_t host = (uintptr_t)m->region[i].host;

		if (start >= host && start - host < m->region[i].size_bytes)
			return true;
	}
	return false;
}

uint64_t rss_without_guest_kib(const struct mem *m)
{
	return sum_kib("/proc/self/smaps", is_in_region, m);
}

static bool is_as_large(const void *ctx, uint64_t start, uint64_t end)
{
	const uint64_t *ram_bytes = ctx;

	return end - start >= *ram_bytes;
}

uint64_t rss_of_vmm_kib(pid_t pid, uint64_t ram_bytes)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	return sum_kib(path, is_as_large, &ram_bytes);
}
