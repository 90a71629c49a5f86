/* SPDX-License-Identifier: MIT */
/* A priority queue of numbered things, the least key first. */
#include "bench/time_heap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

int time_heap_init(struct time_heap *h, uint32_t capacity)
{
	h->count = 0;
	h->entry = calloc(capacity, sizeof(*h->entry));
	return h->entry ? 0 : -ENOMEM;
}

void time_heap_fini(struct time_heap *h)
{
	free(h->entry);
	*h = (struct time_heap){.count = 0};
}

static bool is_before(const struct time_heap_entry *a, const struct time_heap_entry *b)
{
	return a->key < b->key || (a->key <= b->key && a->who < b->who);
}

static void swap(struct time_heap_entry *a, struct time_heap_entry *b)
{
	struct time_heap_entry t = *a;

	*a = *b;
	*b = t;
}

void time_heap_add(struct time_heap *h, double key, uint32_t who)
{
	uint32_t at = h->count++;

	h->entry[at].key = key;
	h->entry[at].who = who;
	for (; at > 0 && is_before(&h->entry[at], &h->entry[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&h->entry[at], &h->entry[(at - 1) / 2]);
}

uint32_t time_heap_take(struct time_heap *h)
{
	uint32_t who = h->entry[0].who, at = 0, least;

	h->entry[0] = h->entry[--h->count];
	for (;; at = least) {
		least = at;
		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < h->count; child++)
			if (is_before(&h->entry[child], &h->entry[least]))
				least = child;
		if (least == at)
			return who;
		swap(&h->entry[at], &h->entry[least]);
	}
}
