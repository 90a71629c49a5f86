/* SPDX-License-Identifier: MIT */
/*
 * GPA overlay pages, as the TLFS calls them: pages of the hypervisor that cover pages of guest RAM.
 *
 * The library has guest RAM to work with and no other way into the guest's address space. So an
 * overlay is shown by swapping its contents with the RAM that it covers, and hidden by swapping
 * back: the RAM beneath reappears unchanged, and what was written to the page, by host or guest,
 * moves with it. The guest can write to any overlay, also to those that the TLFS lets it only read.
 *
 * Two overlays can't be shown on one page, which the TLFS leaves undefined: the second is refused.
 */
#ifndef VPUP_HYPERV_HV_OVERLAY_H
#define VPUP_HYPERV_HV_OVERLAY_H

#include <pthread.h>

#include "hyperv/hv.h"

#define HV_OVERLAY_BUCKETS 256

/* Its owner sees to it that no two calls for one overlay run at the same time. */
struct hv_overlay {
	uint8_t *ram;            /* host view of the page it covers; NULL while hidden */
	struct hv_overlay *next; /* in the bucket of that page, under the bucket's lock */
	bool used;               /* was ever shown: page need not be zero */
	uint8_t *page;           /* hidden: its contents; shown: the RAM beneath; its owner's */
};

/*
 * All overlays of a partition that are shown, by page. One lock for each bucket, so that VPs that
 * set up their pages at the same time do not queue.
 */
struct hv_overlays {
	const struct hv_host_ops *ops;
	void *ctx;
	struct hv_overlay_bucket {
		_Alignas(64) pthread_mutex_t lock;
		struct hv_overlay *first;
	} bucket[HV_OVERLAY_BUCKETS];
};

/* Returns 0 or -ENOMEM. */
int hv_overlays_init(struct hv_overlays *all, const struct hv_host_ops *ops, void *ctx);
void hv_overlays_fini(struct hv_overlays *all);

/*
 * Shows the overlay at gpa (a multiple of the page size), which hides it where it was shown before.
 * Returns 0, -EFAULT when not all of that page is RAM, or -EBUSY when another overlay is shown
 * there; on error nothing has changed.
 */
int hv_overlay_show(struct hv_overlays *all, struct hv_overlay *o, uint64_t gpa);

/* Gives the RAM beneath back. The contents stay with the overlay. Harmless when hidden. */
void hv_overlay_hide(struct hv_overlays *all, struct hv_overlay *o);

/*
 * Hides the overlay and zeroes its contents. A zeroed struct hv_overlay whose page is set, and zero,
 * needs no other start.
 */
void hv_overlay_reset(struct hv_overlays *all, struct hv_overlay *o);

/* Where the contents are now: HV_HYP_PAGE_SIZE bytes, until the next show, hide or reset. */
uint8_t *hv_overlay_contents(struct hv_overlay *o);

#endif
