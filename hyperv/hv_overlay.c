/* SPDX-License-Identifier: MIT */
/* Overlay pages: contents and the RAM beneath trade places. */
#include "hyperv/hv_overlay.h"

#include <errno.h>
#include <string.h>

#define BUCKET_BITS 8

_Static_assert(HV_OVERLAY_BUCKETS == 1 << BUCKET_BITS, "BUCKET_BITS");

int hv_overlays_init(struct hv_overlays *all, const struct hv_host_ops *ops, void *ctx)
{
	all->ops = ops;
	all->ctx = ctx;
	for (unsigned i = 0; i < HV_OVERLAY_BUCKETS; i++) {
		all->bucket[i].first = NULL;
		if (pthread_mutex_init(&all->bucket[i].lock, NULL)) {
			while (i-- > 0)
				pthread_mutex_destroy(&all->bucket[i].lock);
			return -ENOMEM;
		}
	}
	return 0;
}

void hv_overlays_fini(struct hv_overlays *all)
{
	for (unsigned i = 0; i < HV_OVERLAY_BUCKETS; i++)
		pthread_mutex_destroy(&all->bucket[i].lock);
}

/* Fibonacci hashing: neighbouring pages, as guests allocate them, land in different buckets. */
static struct hv_overlay_bucket *bucket_of(struct hv_overlays *all, const uint8_t *ram)
{
	uint64_t page = (uintptr_t)ram >> HV_HYP_PAGE_SHIFT;

	return &all->bucket[page * 0x9e3779b97f4a7c15ull >> (64 - BUCKET_BITS)];
}

/* Both or either may be NULL. In the order of their addresses, so that two moves can't lock up. */
static void lock_two(struct hv_overlay_bucket *a, struct hv_overlay_bucket *b)
{
	struct hv_overlay_bucket *first = a < b ? a : b, *second = a < b ? b : a;

	if (first)
		pthread_mutex_lock(&first->lock);
	if (second && second != first)
		pthread_mutex_lock(&second->lock);
}

static void unlock_two(struct hv_overlay_bucket *a, struct hv_overlay_bucket *b)
{
	if (a)
		pthread_mutex_unlock(&a->lock);
	if (b && b != a)
		pthread_mutex_unlock(&b->lock);
}

/* Pages that are equal, as two of zeros are, are left alone: it saves touching both. */
static void swap_pages(uint8_t *a, uint8_t *b)
{
	uint8_t tmp[HV_HYP_PAGE_SIZE];

	if (!memcmp(a, b, sizeof(tmp)))
		return;
	memcpy(tmp, a, sizeof(tmp));
	memcpy(a, b, sizeof(tmp));
	memcpy(b, tmp, sizeof(tmp));
}

static bool is_covered(const struct hv_overlay_bucket *b, const uint8_t *ram)
{
	const struct hv_overlay *o = b->first;

	while (o && o->ram != ram)
		o = o->next;
	return o;
}

static void uncover(struct hv_overlay_bucket *b, struct hv_overlay *o)
{
	struct hv_overlay **link = &b->first;

	while (*link != o)
		link = &(*link)->next;
	*link = o->next;
	swap_pages(o->page, o->ram);
	o->ram = NULL;
}

static void cover(struct hv_overlay_bucket *b, struct hv_overlay *o, uint8_t *ram)
{
	swap_pages(o->page, ram);
	o->ram = ram;
	o->used = true;
	o->next = b->first;
	b->first = o;
}

int hv_overlay_show(struct hv_overlays *all, struct hv_overlay *o, uint64_t gpa)
{
	uint8_t *ram = all->ops->gpa_ptr(all->ctx, gpa, HV_HYP_PAGE_SIZE);
	struct hv_overlay_bucket *from = o->ram ? bucket_of(all, o->ram) : NULL;
	struct hv_overlay_bucket *to;
	int ret = 0;

	if (!ram)
		return -EFAULT;
	/* Other VPs may be executing the page: shown again where it is, it must not flicker. */
	if (ram == o->ram)
		return 0;
	to = bucket_of(all, ram);
	lock_two(from, to);
	if (is_covered(to, ram)) {
		ret = -EBUSY;
	} else {
		if (from)
			uncover(from, o);
		cover(to, o, ram);
	}
	unlock_two(from, to);
	return ret;
}

void hv_overlay_hide(struct hv_overlays *all, struct hv_overlay *o)
{
	struct hv_overlay_bucket *from = o->ram ? bucket_of(all, o->ram) : NULL;

	if (!from)
		return;
	lock_two(from, NULL);
	uncover(from, o);
	unlock_two(from, NULL);
}

void hv_overlay_reset(struct hv_overlays *all, struct hv_overlay *o)
{
	hv_overlay_hide(all, o);
	if (o->used)
		memset(o->page, 0, HV_HYP_PAGE_SIZE);
	o->used = false;
}

uint8_t *hv_overlay_contents(struct hv_overlay *o)
{
	return o->ram ? o->ram : o->page;
}
