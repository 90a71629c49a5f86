/* SPDX-License-Identifier: MIT */
/* Segments of a kernel file on their way into guest RAM: all are checked, then all are copied. */
#include "vmm/load_plan.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "vmm/layout.h"

static bool overlaps(const struct load_segment *a, const struct load_segment *b)
{
	return a->base.v < b->base.v + b->size_bytes && b->base.v < a->base.v + a->size_bytes;
}

static int check_file_range(const struct load_plan *plan, const struct load_request *r,
			    struct err *e)
{
	if (r->file_off > plan->file_bytes || r->file_bytes > plan->file_bytes - r->file_off)
		return err_set(e, EINVAL,
			       "segment %u (%#" PRIx64 " bytes at %#" PRIx64
			       ") lies outside the file (%#" PRIx64 " bytes): it is cut short",
			       r->index, r->file_bytes, r->file_off, plan->file_bytes);
	return 0;
}

/* Below 1 MiB stand boot data and what a PC has there. */
static int check_low(const struct load_plan *plan, const struct load_request *r, struct err *e)
{
	if (r->base >= LAYOUT_KERNEL_MIN)
		return 0;
	if (!plan->low_end.v)
		return err_set(e, EINVAL,
			       "segment %u loads at %#" PRIx64 "; the lowest address is %#llx",
			       r->index, r->base, LAYOUT_KERNEL_MIN);
	if (r->base > plan->low_end.v || r->size_bytes > plan->low_end.v - r->base)
		return err_set(e, EINVAL,
			       "segment %u (%#" PRIx64 " bytes at %#" PRIx64
			       ") does not fit below %#" PRIx64 ", nor does it start at %#llx",
			       r->index, r->size_bytes, r->base, plan->low_end.v,
			       LAYOUT_KERNEL_MIN);
	return 0;
}

int load_plan_add(struct load_plan *plan, const struct load_request *r, struct err *e)
{
	struct load_segment s = {gpa(r->base), r->size_bytes, NULL, r->file_bytes, NULL};
	int ret;

	if (r->file_bytes > r->size_bytes)
		return err_set(e, EINVAL,
			       "segment %u has more bytes in the file (%#" PRIx64
			       ") than in memory (%#" PRIx64 ")",
			       r->index, r->file_bytes, r->size_bytes);
	if (r->size_bytes == 0)
		return 0;
	ret = check_file_range(plan, r, e);
	if (ret == 0)
		ret = check_low(plan, r, e);
	if (ret)
		return ret;
	s.host = mem_ptr(plan->mem, s.base, s.size_bytes);
	if (!s.host)
		return err_set(e, EINVAL,
			       "segment %u (%#" PRIx64 " bytes at %#" PRIx64
			       ") does not fit into guest RAM, which ends at %#" PRIx64
			       "; more memory (-m) is needed",
			       r->index, r->size_bytes, r->base, mem_low_end(plan->mem).v);
	for (unsigned k = 0; k < plan->count; k++) {
		if (overlaps(&s, &plan->segment[k]))
			return err_set(e, EINVAL,
				       "segment %u at %#" PRIx64 " overlaps one at %#" PRIx64
				       "; they must be apart",
				       r->index, r->base, plan->segment[k].base.v);
	}
	s.data = plan->file + r->file_off;
	assert(plan->count < LOAD_SEGMENTS_MAX);
	plan->segment[plan->count++] = s;
	return 0;
}

bool load_plan_contains(const struct load_plan *plan, uint64_t addr)
{
	for (unsigned i = 0; i < plan->count; i++) {
		const struct load_segment *s = &plan->segment[i];

		if (addr >= s->base.v && addr - s->base.v < s->size_bytes)
			return true;
	}
	return false;
}

gpa_t load_plan_execute(const struct load_plan *plan)
{
	gpa_t last = gpa(0);

	for (unsigned i = 0; i < plan->count; i++) {
		const struct load_segment *s = &plan->segment[i];
		gpa_t end = gpa_add(s->base, s->size_bytes);

		memcpy(s->host, s->data, s->data_bytes);
		if (s->base.v < LAYOUT_HIGH_RAM_BASE && end.v > last.v)
			last = end;
	}
	return last;
}
