/* SPDX-License-Identifier: MIT */
/* Bump allocator over the largest free piece of RAM behind the kernel image. */
#include "guest-kernel/memory.h"

#define MEMORY_LIMIT 0xc0000000ull

extern char image_end[]; /* guest.ld */

/* The first of `reserved` that reaches into [start, end), or NULL. */
static const struct range *first_overlap(const struct range_list *reserved, uint64_t start,
					 uint64_t end)
{
	const struct range *first = NULL;
	uint32_t i;

	for (i = 0; i < reserved->count; i++) {
		const struct range *r = &reserved->range[i];

		if (r->start < end && r->end > start && (!first || r->start < first->start))
			first = r;
	}
	return first;
}

/* Keeps [start, end) if it is larger than what m has. */
static void take_larger(struct memory *m, uint64_t start, uint64_t end)
{
	if (end > start && end - start > m->end - m->next) {
		m->next = start;
		m->end = end;
	}
}

void memory_init(struct memory *m, const struct range_list *ram, const struct range_list *reserved)
{
	const struct range *r;
	uint64_t start, end;
	uint32_t i;

	*m = (struct memory){.next = 0};
	for (i = 0; i < ram->count; i++) {
		start = ram->range[i].start;
		end = ram->range[i].end;
		if (start < (uint64_t)image_end)
			start = (uint64_t)image_end;
		if (end > MEMORY_LIMIT)
			end = MEMORY_LIMIT;
		while (start < end) {
			r = first_overlap(reserved, start, end);
			take_larger(m, start, r ? r->start : end);
			start = r ? r->end : end;
		}
	}
}

void *memory_alloc(struct memory *m, size_t size, size_t align)
{
	uint64_t start = (m->next + align - 1) & ~(uint64_t)(align - 1);

	if (start > m->end || size > m->end - start)
		return NULL;
	m->next = start + size;
	return (void *)start;
}

uint64_t memory_left(const struct memory *m)
{
	return m->end - m->next;
}
