/* SPDX-License-Identifier: MIT */
/* Reference time: one formula over the guest's TSC, for the counter, the TSC page and timers. */
#include "hyperv/hv_internal.h"

#include <string.h>

#define HZ_100NS 10000000u

static uint64_t mul_high(uint64_t a, uint64_t b)
{
	return (unsigned __int128)a * b >> 64;
}

void hv_time_init(struct hv_partition *p)
{
	/* The scale of a slower TSC does not fit; reference time stands still then. */
	if (p->cfg.tsc_hz > HZ_100NS)
		p->tsc_scale = ((unsigned __int128)HZ_100NS << 64) / p->cfg.tsc_hz;
}

void hv_ref_time_start(struct hv_partition *p, uint64_t guest_tsc)
{
	/* Where KVM starts a VP's TSC at 0, the partition began before that: less than 0. */
	if (guest_tsc > INT64_MAX)
		p->tsc_offset = (int64_t)mul_high(-guest_tsc, p->tsc_scale);
	else
		p->tsc_offset = -(int64_t)mul_high(guest_tsc, p->tsc_scale);
}

uint64_t hv_ref_time_100ns(struct hv_partition *p, uint32_t vp)
{
	return mul_high(p->ops->guest_tsc(p->ctx, vp), p->tsc_scale) + (uint64_t)p->tsc_offset;
}

uint64_t hv_ref_time_to_tsc(const struct hv_partition *p, uint64_t t_100ns)
{
	/* Reference time is mul_high(tsc) + offset, so mul_high(tsc) has to be at least this. */
	__int128 want = (__int128)t_100ns - p->tsc_offset;
	unsigned __int128 tsc;

	if (want <= 0)
		return 0;
	if (want > UINT64_MAX || !p->tsc_scale)
		return UINT64_MAX;
	tsc = (((unsigned __int128)want << 64) + p->tsc_scale - 1) / p->tsc_scale;
	return tsc > UINT64_MAX ? UINT64_MAX : (uint64_t)tsc;
}

enum hv_msr_result hv_time_ref_count_read(struct hv_msr_access *a)
{
	a->val = hv_ref_time_100ns(a->p, a->vp->index);
	return HV_MSR_OK;
}

/*
 * The rate never changes, so one sequence number does for the whole life of the partition. Filled
 * before it is shown, the page is never seen half done.
 */
static void fill_page(struct hv_partition *p)
{
	const struct hv_reference_tsc_page page = {
		.sequence = p->tsc_scale ? 1 : HV_REFERENCE_TSC_SEQUENCE_INVALID,
		.scale = p->tsc_scale,
		.offset = p->tsc_offset,
	};

	memcpy(hv_overlay_contents(&p->tsc_page), &page, sizeof(page));
}

enum hv_msr_result hv_reference_tsc_write(struct hv_msr_access *a)
{
	struct hv_partition *p = a->p;
	enum hv_msr_result result;

	pthread_mutex_lock(&p->lock);
	if (!p->tsc_page.ram)
		fill_page(p);
	result = hv_page_msr_write(p, &p->tsc_page, a->val);
	if (result == HV_MSR_OK)
		atomic_store(&p->reference_tsc, a->val);
	pthread_mutex_unlock(&p->lock);
	return result;
}
