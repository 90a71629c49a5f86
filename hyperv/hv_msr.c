/* SPDX-License-Identifier: MIT */
/* Synthetic MSRs: one row each, and the way from an MSR number to its row. */
#include "hyperv/hv_internal.h"

#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static enum hv_msr_result read_guest_os_id(struct hv_msr_access *a)
{
	a->val = atomic_load(&a->p->guest_os_id);
	return HV_MSR_OK;
}

static enum hv_msr_result read_hypercall(struct hv_msr_access *a)
{
	a->val = atomic_load(&a->p->hypercall);
	return HV_MSR_OK;
}

static enum hv_msr_result read_vp_index(struct hv_msr_access *a)
{
	a->val = a->vp->index;
	return HV_MSR_OK;
}

static enum hv_msr_result read_reset(struct hv_msr_access *a)
{
	a->val = 0;
	return HV_MSR_OK;
}

static enum hv_msr_result write_reset(struct hv_msr_access *a)
{
	if (a->val) /* of which only HV_X64_MSR_RESET_NOW can be left */
		a->p->ops->reset(a->p->ctx);
	return HV_MSR_OK;
}

/*
 * Nothing here makes the count monotonic: a VP that reads after another one never sees less only as
 * far as the host's clock keeps that promise. A "largest yet" shared by all VPs would be a cache
 * line that each read has to own.
 */
static enum hv_msr_result read_time_ref_count(struct hv_msr_access *a)
{
	a->val = a->p->ops->ref_time_100ns(a->p->ctx);
	return HV_MSR_OK;
}

static enum hv_msr_result read_tsc_frequency(struct hv_msr_access *a)
{
	a->val = a->p->cfg.tsc_hz;
	return HV_MSR_OK;
}

static enum hv_msr_result read_apic_frequency(struct hv_msr_access *a)
{
	a->val = a->p->cfg.apic_hz;
	return HV_MSR_OK;
}

/* docs/hyperv.md says how to add one. The last row answers for all MSRs that have none. */
static const struct hv_msr_row rows[] = {
	{
		.msr = HV_X64_MSR_GUEST_OS_ID,
		.name = "GUEST_OS_ID",
		.read = read_guest_os_id,
		.write = hv_guest_os_id_write,
		.writable = UINT64_MAX,
		.privilege = HV_MSR_HYPERCALL_AVAILABLE,
	},
	{
		.msr = HV_X64_MSR_HYPERCALL,
		.name = "HYPERCALL",
		.read = read_hypercall,
		.write = hv_hypercall_msr_write,
		.writable = UINT64_MAX, /* what the guest must preserve has to be stored */
		.privilege = HV_MSR_HYPERCALL_AVAILABLE,
	},
	{
		.msr = HV_X64_MSR_VP_INDEX,
		.name = "VP_INDEX",
		.read = read_vp_index,
		.privilege = HV_MSR_VP_INDEX_AVAILABLE,
	},
	{
		.msr = HV_X64_MSR_RESET,
		.name = "RESET",
		.read = read_reset,
		.write = write_reset,
		.writable = HV_X64_MSR_RESET_NOW,
		.privilege = HV_MSR_RESET_AVAILABLE,
	},
	{
		.msr = HV_X64_MSR_TIME_REF_COUNT,
		.name = "TIME_REF_COUNT",
		.read = read_time_ref_count,
		.privilege = HV_MSR_TIME_REF_COUNT_AVAILABLE,
	},
	{
		.msr = HV_X64_MSR_TSC_FREQUENCY,
		.name = "TSC_FREQUENCY",
		.read = read_tsc_frequency,
		.privilege = HV_ACCESS_FREQUENCY_MSRS,
		.feature = HV_FEATURE_FREQUENCY_MSRS_AVAILABLE,
	},
	{
		.msr = HV_X64_MSR_APIC_FREQUENCY,
		.name = "APIC_FREQUENCY",
		.read = read_apic_frequency,
		.privilege = HV_ACCESS_FREQUENCY_MSRS,
		.feature = HV_FEATURE_FREQUENCY_MSRS_AVAILABLE,
	},
	{
		.name = "unimplemented",
	},
};

_Static_assert(ARRAY_SIZE(rows) == HV_MSR_ROWS + 1, "HV_MSR_ROWS");
_Static_assert(HV_MSR_ROWS <= UINT8_MAX, "msr_row[] holds row numbers in bytes");

void hv_msr_map(uint8_t msr_row[HV_MSR_SLOTS])
{
	memset(msr_row, HV_MSR_ROWS, HV_MSR_SLOTS);
	for (unsigned i = 0; i < HV_MSR_ROWS; i++) {
		uint32_t slot = rows[i].msr - HV_MSR_FIRST;

		assert(slot < HV_MSR_SLOTS && msr_row[slot] == HV_MSR_ROWS);
		msr_row[slot] = i;
	}
}

struct hv_msr_features hv_msr_features(void)
{
	struct hv_msr_features f = {0};

	for (unsigned i = 0; i < HV_MSR_ROWS; i++) {
		f.privileges_eax |= rows[i].privilege;
		f.features_edx |= rows[i].feature;
	}
	return f;
}

static unsigned row_of(const struct hv_partition *p, uint32_t msr)
{
	uint32_t slot = msr - HV_MSR_FIRST;

	return slot < HV_MSR_SLOTS ? p->msr_row[slot] : HV_MSR_ROWS;
}

enum hv_msr_result hv_msr_read(struct hv_partition *p, uint32_t vp, uint32_t msr, uint64_t *val)
{
	struct hv_msr_access a = {.p = p, .vp = hv_vp(p, vp)};
	unsigned row = row_of(p, msr);
	struct hv_msr_counter *count = &a.vp->msr[row];

	hv_counter_inc(&count->reads);
	if (!rows[row].read || rows[row].read(&a) != HV_MSR_OK) {
		hv_counter_inc(&count->faults);
		return HV_MSR_GP;
	}
	*val = a.val;
	return HV_MSR_OK;
}

enum hv_msr_result hv_msr_write(struct hv_partition *p, uint32_t vp, uint32_t msr, uint64_t val)
{
	struct hv_msr_access a = {.p = p, .vp = hv_vp(p, vp)};
	unsigned row = row_of(p, msr);
	struct hv_msr_counter *count = &a.vp->msr[row];

	a.val = val & rows[row].writable;
	hv_counter_inc(&count->writes);
	if (!rows[row].write || rows[row].write(&a) != HV_MSR_OK) {
		hv_counter_inc(&count->faults);
		return HV_MSR_GP;
	}
	return HV_MSR_OK;
}

size_t hv_msr_counts(const struct hv_partition *p, struct hv_msr_count *out, size_t max)
{
	size_t lines = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(rows) && lines < max; i++) {
		struct hv_msr_count sum = {.name = rows[i].name, .msr = rows[i].msr};

		for (uint32_t vp = 0; vp < p->cfg.vps; vp++) {
			const struct hv_msr_counter *c = &p->vp[vp].msr[i];

			sum.reads += hv_counter_read(&c->reads);
			sum.writes += hv_counter_read(&c->writes);
			sum.faults += hv_counter_read(&c->faults);
		}
		if (sum.reads || sum.writes)
			out[lines++] = sum;
	}
	return lines;
}
