/* SPDX-License-Identifier: MIT */
/* Guest RAM: the host mapping, and the way from guest addresses to it. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vmm/layout.h"
#include "vmm/mem.h"

#define MEM_PAGE_SIZE 4096

/* m says already what is behind it. */
static int map(struct mem *m, uint64_t size_bytes, int flags, struct err *e)
{
	uint64_t low_bytes = size_bytes < LAYOUT_LOW_RAM_MAX ? size_bytes : LAYOUT_LOW_RAM_MAX;
	uint8_t *host;

	assert(size_bytes && size_bytes % MEM_PAGE_SIZE == 0);

	host = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE,
		    m->is_shared ? m->fd : -1, 0);
	if (host == MAP_FAILED)
		return err_set(e, ENOMEM, "cannot map %llu MiB of guest RAM: %s",
			       (unsigned long long)size_bytes >> 20, strerror(errno));

	m->size_bytes = size_bytes;
	m->region_count = 1;
	m->region[0] = (struct mem_region){gpa(0), low_bytes, host};
	if (size_bytes > low_bytes) {
		m->region_count = 2;
		m->region[1] = (struct mem_region){gpa(LAYOUT_HIGH_RAM_BASE),
						   size_bytes - low_bytes, host + low_bytes};
	}
	return 0;
}

int mem_init(struct mem *m, uint64_t size_bytes, struct err *e)
{
	*m = (struct mem){.is_shared = false};
	return map(m, size_bytes, MAP_PRIVATE | MAP_ANONYMOUS, e);
}

int mem_init_shared(struct mem *m, uint64_t size_bytes, struct err *e)
{
	int fd = memfd_create("guest RAM", MFD_CLOEXEC);

	*m = (struct mem){.is_shared = fd >= 0, .fd = fd};
	if (fd < 0 || ftruncate(fd, (off_t)size_bytes))
		return err_set(e, errno, "cannot make %llu MiB of shared guest RAM: %s",
			       (unsigned long long)size_bytes >> 20, strerror(errno));
	return map(m, size_bytes, MAP_SHARED, e);
}

void mem_fini(struct mem *m)
{
	/* All regions are parts of one mapping, which starts with the first. */
	if (m->region_count)
		munmap(m->region[0].host, m->size_bytes);
	if (m->is_shared)
		close(m->fd);
	*m = (struct mem){.is_shared = false};
}

void *mem_ptr(const struct mem *m, gpa_t g, uint64_t len)
{
	for (unsigned i = 0; i < m->region_count; i++) {
		const struct mem_region *r = &m->region[i];
		uint64_t off = g.v - r->base.v; /* huge when g lies below the region */

		if (off < r->size_bytes && len <= r->size_bytes - off)
			return r->host + off;
	}
	return NULL;
}

int mem_write(const struct mem *m, gpa_t g, const void *src, uint64_t len)
{
	void *dst = mem_ptr(m, g, len);

	if (!dst)
		return -EFAULT;
	if (len)
		memcpy(dst, src, len);
	return 0;
}

int mem_read(const struct mem *m, gpa_t g, void *dst, uint64_t len)
{
	const void *src = mem_ptr(m, g, len);

	if (!src)
		return -EFAULT;
	if (len)
		memcpy(dst, src, len);
	return 0;
}

gpa_t mem_low_end(const struct mem *m)
{
	return gpa_add(m->region[0].base, m->region[0].size_bytes);
}
