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

static enum hv_msr_result read_zero(struct hv_msr_access *a)
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

static enum hv_msr_result read_tsc_frequency(struct hv_msr_access *a)
{
	const struct hv_config *c = &a->p->cfg;

	a->val = c->told_tsc_hz ? c->told_tsc_hz : c->tsc_hz;
	return HV_MSR_OK;
}

static enum hv_msr_result read_apic_frequency(struct hv_msr_access *a)
{
	a->val = a->p->cfg.apic_hz;
	return HV_MSR_OK;
}

static enum hv_msr_result read_vp_runtime(struct hv_msr_access *a)
{
	a->val = a->p->ops->vp_runtime_100ns(a->p->ctx, a->vp->index);
	return HV_MSR_OK;
}

static enum hv_msr_result read_reference_tsc(struct hv_msr_access *a)
{
	a->val = atomic_load(&a->p->reference_tsc);
	return HV_MSR_OK;
}

static enum hv_msr_result read_assist(struct hv_msr_access *a)
{
	a->val = a->vp->assist;
	return HV_MSR_OK;
}

static enum hv_msr_result read_scontrol(struct hv_msr_access *a)
{
	a->val = a->vp->scontrol;
	return HV_MSR_OK;
}

static enum hv_msr_result read_siefp(struct hv_msr_access *a)
{
	a->val = a->vp->siefp;
	return HV_MSR_OK;
}

static enum hv_msr_result read_simp(struct hv_msr_access *a)
{
	a->val = a->vp->simp;
	return HV_MSR_OK;
}

static enum hv_msr_result read_sversion(struct hv_msr_access *a)
{
	a->val = HV_SYNIC_VERSION_1;
	return HV_MSR_OK;
}

static enum hv_msr_result read_sint(struct hv_msr_access *a)
{
	a->val = a->vp->sint[a->n];
	return HV_MSR_OK;
}

/* The TSC's rate never changes under a guest of ours, so these are stored and no more. */
static enum hv_msr_result read_reenlightenment(struct hv_msr_access *a)
{
	a->val = atomic_load(&a->p->reenlightenment);
	return HV_MSR_OK;
}

static enum hv_msr_result write_reenlightenment(struct hv_msr_access *a)
{
	atomic_store(&a->p->reenlightenment, a->val);
	return HV_MSR_OK;
}

static enum hv_msr_result read_tsc_emulation(struct hv_msr_access *a)
{
	a->val = atomic_load(&a->p->tsc_emulation);
	return HV_MSR_OK;
}

static enum hv_msr_result write_tsc_emulation(struct hv_msr_access *a)
{
	atomic_store(&a->p->tsc_emulation, a->val);
	return HV_MSR_OK;
}

/* No emulation is ever in progress, and a guest may only say that it has ended. */
static enum hv_msr_result write_tsc_emulation_status(struct hv_msr_access *a)
{
	return a->val ? HV_MSR_GP : HV_MSR_OK;
}

static enum hv_msr_result read_tsc_invariant(struct hv_msr_access *a)
{
	a->val = atomic_load(&a->p->tsc_invariant);
	return HV_MSR_OK;
}

/* Once shown, the invariant TSC can't be taken back. */
static enum hv_msr_result write_tsc_invariant(struct hv_msr_access *a)
{
	if (a->val & ~HV_EXPOSE_INVARIANT_TSC)
		return HV_MSR_GP;
	if (!a->val)
		return atomic_load(&a->p->tsc_invariant) ? HV_MSR_GP : HV_MSR_OK;
	atomic_store(&a->p->tsc_invariant, HV_EXPOSE_INVARIANT_TSC);
	a->p->ops->tsc_invariant(a->p->ctx, a->vp->index);
	return HV_MSR_OK;
}

/* docs/hyperv.md says how to add one. The last row answers for all MSRs that have none. */
static const struct hv_msr_row rows[] = {
	{
		.msr = HV_X64_MSR_GUEST_OS_ID,
		.name = "GUEST_OS_ID",
		.feature = HV_FEATURE_BASE,
		.read = read_guest_os_id,
		.write = hv_guest_os_id_write,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_HYPERCALL,
		.name = "HYPERCALL",
		.feature = HV_FEATURE_BASE,
		.read = read_hypercall,
		.write = hv_hypercall_msr_write,
		.writable = UINT64_MAX, /* what the guest must preserve has to be stored */
	},
	{
		.msr = HV_X64_MSR_VP_INDEX,
		.name = "VP_INDEX",
		.feature = HV_FEATURE_VPINDEX,
		.read = read_vp_index,
	},
	{
		.msr = HV_X64_MSR_RESET,
		.name = "RESET",
		.feature = HV_FEATURE_RESET,
		.read = read_zero,
		.write = write_reset,
		.writable = HV_X64_MSR_RESET_NOW,
	},
	{
		.msr = HV_X64_MSR_VP_RUNTIME,
		.name = "VP_RUNTIME",
		.feature = HV_FEATURE_RUNTIME,
		.read = read_vp_runtime,
	},
	{
		.msr = HV_X64_MSR_TIME_REF_COUNT,
		.name = "TIME_REF_COUNT",
		.feature = HV_FEATURE_TIME,
		.read = hv_time_ref_count_read,
	},
	{
		.msr = HV_X64_MSR_REFERENCE_TSC,
		.name = "REFERENCE_TSC",
		.feature = HV_FEATURE_TIME,
		.read = read_reference_tsc,
		.write = hv_reference_tsc_write,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_TSC_FREQUENCY,
		.name = "TSC_FREQUENCY",
		.feature = HV_FEATURE_FREQUENCIES,
		.read = read_tsc_frequency,
	},
	{
		.msr = HV_X64_MSR_APIC_FREQUENCY,
		.name = "APIC_FREQUENCY",
		.feature = HV_FEATURE_FREQUENCIES,
		.read = read_apic_frequency,
	},
	{
		.msr = HV_X64_MSR_VP_ASSIST_PAGE,
		.name = "VP_ASSIST_PAGE",
		.feature = HV_FEATURE_BASE, /* Linux writes it whatever CPUID says */
		.read = read_assist,
		.write = hv_vp_assist_write,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_SCONTROL,
		.name = "SCONTROL",
		.feature = HV_FEATURE_SYNIC,
		.read = read_scontrol,
		.write = hv_scontrol_write,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_SVERSION,
		.name = "SVERSION",
		.feature = HV_FEATURE_SYNIC,
		.read = read_sversion,
	},
	{
		.msr = HV_X64_MSR_SIEFP,
		.name = "SIEFP",
		.feature = HV_FEATURE_SYNIC,
		.read = read_siefp,
		.write = hv_siefp_write,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_SIMP,
		.name = "SIMP",
		.feature = HV_FEATURE_SYNIC,
		.read = read_simp,
		.write = hv_simp_write,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_EOM,
		.name = "EOM",
		.feature = HV_FEATURE_SYNIC,
		.read = read_zero,
		.write = hv_eom_write,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_SINT0,
		.count = HV_SYNIC_SINT_COUNT,
		.step = 1,
		.name = "SINT0-15",
		.feature = HV_FEATURE_SYNIC,
		.read = read_sint,
		.write = hv_sint_write,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_STIMER0_CONFIG,
		.count = HV_STIMER_COUNT,
		.step = 2,
		.name = "STIMER0-3_CONFIG",
		.feature = HV_FEATURE_STIMER,
		.read = hv_stimer_config_read,
		.write = hv_stimer_config_write,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_STIMER0_COUNT,
		.count = HV_STIMER_COUNT,
		.step = 2,
		.name = "STIMER0-3_COUNT",
		.feature = HV_FEATURE_STIMER,
		.read = hv_stimer_count_read,
		.write = hv_stimer_count_write,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_CRASH_P0,
		.count = HV_CRASH_PARAMS,
		.step = 1,
		.name = "CRASH_P0-4",
		.feature = HV_FEATURE_CRASH,
		.read = hv_crash_param_read,
		.write = hv_crash_param_write,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_CRASH_CTL,
		.name = "CRASH_CTL",
		.feature = HV_FEATURE_CRASH,
		.read = hv_crash_ctl_read,
		.write = hv_crash_ctl_write,
		.writable = HV_CRASH_CTL_NOTIFY | HV_CRASH_CTL_MESSAGE,
	},
	{
		.msr = HV_X64_MSR_REENLIGHTENMENT_CONTROL,
		.name = "REENLIGHTENMENT_CONTROL",
		.feature = HV_FEATURE_REENLIGHTENMENT,
		.read = read_reenlightenment,
		.write = write_reenlightenment,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_TSC_EMULATION_CONTROL,
		.name = "TSC_EMULATION_CONTROL",
		.feature = HV_FEATURE_REENLIGHTENMENT,
		.read = read_tsc_emulation,
		.write = write_tsc_emulation,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_TSC_EMULATION_STATUS,
		.name = "TSC_EMULATION_STATUS",
		.feature = HV_FEATURE_REENLIGHTENMENT,
		.read = read_zero,
		.write = write_tsc_emulation_status,
		.writable = UINT64_MAX,
	},
	{
		.msr = HV_X64_MSR_TSC_INVARIANT_CONTROL,
		.name = "TSC_INVARIANT_CONTROL",
		.feature = HV_FEATURE_TSC_INVARIANT,
		.read = read_tsc_invariant,
		.write = write_tsc_invariant,
		.writable = UINT64_MAX,
	},
	{
		.name = "unimplemented",
	},
};

_Static_assert(ARRAY_SIZE(rows) == HV_MSR_ROWS + 1, "HV_MSR_ROWS");
_Static_assert(HV_MSR_ROWS <= UINT8_MAX, "msr_row[] holds row numbers in bytes");

const struct hv_msr_row *hv_msr_row(unsigned row)
{
	return row < HV_MSR_ROWS ? &rows[row] : NULL;
}

void hv_msr_map(uint8_t msr_row[HV_MSR_SLOTS])
{
	memset(msr_row, HV_MSR_ROWS, HV_MSR_SLOTS);
	for (unsigned i = 0; i < HV_MSR_ROWS; i++) {
		uint32_t slot = rows[i].msr - HV_MSR_FIRST;

		for (unsigned n = 0; n == 0 || n < rows[i].count; n++, slot += rows[i].step) {
			assert(slot < HV_MSR_SLOTS && msr_row[slot] == HV_MSR_ROWS);
			msr_row[slot] = i;
		}
	}
}

static unsigned row_of(const struct hv_partition *p, uint32_t msr)
{
	uint32_t slot = msr - HV_MSR_FIRST;

	return slot < HV_MSR_SLOTS ? p->msr_row[slot] : HV_MSR_ROWS;
}

static unsigned which(const struct hv_msr_row *row, uint32_t msr)
{
	return row->step ? (msr - row->msr) / row->step : 0;
}

static enum hv_msr_result read_row(struct hv_partition *p, struct hv_vp *vp, unsigned row,
				   uint32_t msr, uint64_t *val)
{
	struct hv_msr_access a = {.p = p, .vp = vp, .n = which(&rows[row], msr)};

	if (!rows[row].read || !hv_has(p, rows[row].feature) || rows[row].read(&a) != HV_MSR_OK)
		return HV_MSR_GP;
	*val = a.val;
	return HV_MSR_OK;
}

static enum hv_msr_result write_row(struct hv_partition *p, struct hv_vp *vp, unsigned row,
				    uint32_t msr, uint64_t val)
{
	struct hv_msr_access a = {.p = p, .vp = vp, .n = which(&rows[row], msr)};

	a.val = val & rows[row].writable;
	if (!rows[row].write || !hv_has(p, rows[row].feature))
		return HV_MSR_GP;
	return rows[row].write(&a);
}

enum hv_msr_result hv_msr_get(struct hv_partition *p, struct hv_vp *vp, uint32_t msr, uint64_t *val)
{
	return read_row(p, vp, row_of(p, msr), msr, val);
}

enum hv_msr_result hv_msr_set(struct hv_partition *p, struct hv_vp *vp, uint32_t msr, uint64_t val)
{
	return write_row(p, vp, row_of(p, msr), msr, val);
}

enum hv_msr_result hv_msr_read(struct hv_partition *p, uint32_t vp, uint32_t msr, uint64_t *val)
{
	struct hv_vp *v = hv_vp(p, vp);
	unsigned row = row_of(p, msr);
	enum hv_msr_result result = read_row(p, v, row, msr, val);

	hv_counter_inc(&v->msr[row].reads);
	if (result != HV_MSR_OK)
		hv_counter_inc(&v->msr[row].faults);
	return result;
}

enum hv_msr_result hv_msr_write(struct hv_partition *p, uint32_t vp, uint32_t msr, uint64_t val)
{
	struct hv_vp *v = hv_vp(p, vp);
	unsigned row = row_of(p, msr);
	enum hv_msr_result result = write_row(p, v, row, msr, val);

	hv_counter_inc(&v->msr[row].writes);
	if (result != HV_MSR_OK)
		hv_counter_inc(&v->msr[row].faults);
	return result;
}

enum hv_msr_result hv_page_msr_write(struct hv_partition *p, struct hv_overlay *o, uint64_t val)
{
	if (!(val & HV_PAGE_MSR_ENABLE))
		hv_overlay_hide(&p->overlays, o);
	else if (hv_overlay_show(&p->overlays, o, val & HV_PAGE_MSR_ADDRESS_MASK))
		return HV_MSR_GP;
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
