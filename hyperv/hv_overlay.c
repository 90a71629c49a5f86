/* SPDX-License-Identifier: MIT */
/* Overlay pages: contents and the RAM beneath trade places. */
#include "hyperv/hv_overlay.h"

#include <errno.h>
#include <string.h>

static void swap_pages(uint8_t *a, uint8_t *b)
{
	uint8_t tmp[HV_HYP_PAGE_SIZE];

	memcpy(tmp, a, sizeof(tmp));
	memcpy(a, b, sizeof(tmp));
	memcpy(b, tmp, sizeof(tmp));
}

int hv_overlay_show(struct hv_overlay *o, const struct hv_host_ops *ops, void *ctx, uint64_t gpa)
{
	uint8_t *ram = ops->gpa_ptr(ctx, gpa, HV_HYP_PAGE_SIZE);

	if (!ram)
		return -EFAULT;
	/* Other VPs may be executing the page: shown again where it is, it must not flicker. */
	if (ram == o->ram)
		return 0;
	hv_overlay_hide(o);
	swap_pages(o->page, ram);
	o->ram = ram;
	return 0;
}

void hv_overlay_hide(struct hv_overlay *o)
{
	if (!o->ram)
		return;
	swap_pages(o->page, o->ram);
	o->ram = NULL;
}

void hv_overlay_reset(struct hv_overlay *o)
{
	hv_overlay_hide(o);
	*o = (struct hv_overlay){0};
}

uint8_t *hv_overlay_contents(struct hv_overlay *o)
{
	return o->ram ? o->ram : o->page;
}
