/* SPDX-License-Identifier: MIT */
/*
 * GPA overlay pages, as the TLFS calls them: pages of the hypervisor that cover pages of guest RAM.
 *
 * The library has guest RAM to work with and no other way into the guest's address space. So an
 * overlay is shown by swapping its contents with the RAM that it covers, and hidden by swapping
 * back: the RAM beneath reappears unchanged, and what was written to the page, by host or guest,
 * moves with it. The guest can write to any overlay, also to those that the TLFS lets it only read.
 */
#ifndef VPUP_HYPERV_HV_OVERLAY_H
#define VPUP_HYPERV_HV_OVERLAY_H

#include "hyperv/hv.h"

struct hv_overlay {
	uint8_t *ram;                   /* host view of the page it covers; NULL while hidden */
	uint8_t page[HV_HYP_PAGE_SIZE]; /* hidden: its contents; shown: the RAM beneath */
};

/*
 * Shows the overlay at gpa (a multiple of the page size), which hides it where it was shown before.
 * Returns 0, or -EFAULT when not all of that page is RAM; then nothing has changed.
 */
int hv_overlay_show(struct hv_overlay *o, const struct hv_host_ops *ops, void *ctx, uint64_t gpa);

/* Gives the RAM beneath back. The contents stay with the overlay. Harmless when hidden. */
void hv_overlay_hide(struct hv_overlay *o);

/* Hides the overlay and zeroes its contents. A zeroed struct hv_overlay needs no other start. */
void hv_overlay_reset(struct hv_overlay *o);

/* Where the contents are now: HV_HYP_PAGE_SIZE bytes, until the next show, hide or reset. */
uint8_t *hv_overlay_contents(struct hv_overlay *o);

#endif
