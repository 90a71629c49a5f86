/* SPDX-License-Identifier: MIT */
/* What the glue of all devices shares. */
#include "vmm/glue.h"

#include <errno.h>
#include <stdlib.h>

void *glue_new(size_t size_bytes, struct machine *m, void **state, struct err *e)
{
	struct glue *g = calloc(1, size_bytes);

	if (!g) {
		err_set(e, ENOMEM, "out of memory");
		return NULL;
	}
	g->m = m;
	pthread_mutex_init(&g->lock, NULL);
	*state = g;
	return g;
}

void glue_free(void *state)
{
	struct glue *g = state;

	if (!g)
		return;
	pthread_mutex_destroy(&g->lock);
	free(g);
}

static void *ram_ptr(void *ctx, uint64_t addr, uint64_t size_bytes)
{
	const struct machine *m = ctx;

	return mem_ptr(&m->mem, gpa(addr), size_bytes);
}

struct guest_memory glue_memory(struct machine *m)
{
	return (struct guest_memory){.ptr = ram_ptr, .ctx = m};
}

void glue_bytewise(struct io_access *a, void *dev, uint8_t (*read)(void *dev, unsigned off),
		   void (*write)(void *dev, unsigned off, uint8_t val))
{
	uint64_t val = 0;

	for (unsigned i = 0; i < a->size; i++) {
		if (a->is_write)
			write(dev, (unsigned)a->off + i, (uint8_t)(a->val >> (8 * i)));
		else
			val |= (uint64_t)read(dev, (unsigned)a->off + i) << (8 * i);
	}
	if (!a->is_write)
		a->val = val;
}
