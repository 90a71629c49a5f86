/* SPDX-License-Identifier: MIT */
/* Hypercalls about VPs: interrupts to them, their numbers, their start; and two small queries. */
#include "hyperv/hv_call.h"

#include <string.h>

#define LAST_VECTOR 0xffu

/* Bits that make long mode */
#define CR0_PE   (1ull << 0)
#define CR0_PG   (1ull << 31)
#define CR4_PAE  (1ull << 5)
#define EFER_LME (1ull << 8)
#define EFER_LMA (1ull << 10)

uint16_t hv_call_spin_wait(struct hv_call *c)
{
	if (c->p->ops->spin_wait)
		c->p->ops->spin_wait(c->p->ctx, c->vp->index);
	return HV_STATUS_SUCCESS;
}

/* KVM's status for it; the TLFS says INVALID_PARAMETER. */
static uint16_t check_vector(uint32_t vector, uint32_t target_vtl)
{
	return vector < HV_SYNIC_FIRST_VALID_VECTOR || vector > LAST_VECTOR || target_vtl
		       ? HV_STATUS_INVALID_HYPERCALL_INPUT
		       : HV_STATUS_SUCCESS;
}

/* Bit b of mask stands for VP first + b. Those that don't exist are left out. */
static void interrupt_bank(struct hv_call *c, uint32_t first, uint64_t mask, uint8_t vector)
{
	for (; mask; mask &= mask - 1) {
		uint32_t vp = first + (uint32_t)__builtin_ctzll(mask);

		if (vp >= c->p->cfg.vps)
			break;
		c->p->ops->irq(c->p->ctx, vp, vector, false);
	}
}

uint16_t hv_call_send_ipi(struct hv_call *c)
{
	const struct hv_input_send_ipi *in = &c->in.send_ipi;
	uint16_t status = check_vector(in->vector, in->target_vtl);

	if (status == HV_STATUS_SUCCESS)
		interrupt_bank(c, 0, in->vp_mask, in->vector);
	return status;
}

static void interrupt_set(struct hv_call *c, const struct hv_input_send_ipi_ex *in)
{
	const uint64_t *contents = in->bank;

	if (in->format == HV_GENERIC_SET_ALL) {
		for (uint32_t vp = 0; vp < c->p->cfg.vps; vp++)
			c->p->ops->irq(c->p->ctx, vp, in->vector, false);
		return;
	}
	for (unsigned bank = 0; bank < HV_VP_SET_BANKS; bank++) {
		if (in->valid_bank_mask >> bank & 1)
			interrupt_bank(c, bank * HV_VP_SET_BANK_VPS, *contents++, in->vector);
	}
}

/* An empty set is fine whatever the vector is, as KVM has it. */
uint16_t hv_call_send_ipi_ex(struct hv_call *c)
{
	const struct hv_input_send_ipi_ex *in = &c->in.send_ipi_ex;
	uint16_t status;

	if (c->var_qwords != (unsigned)__builtin_popcountll(in->valid_bank_mask))
		return HV_STATUS_INVALID_HYPERCALL_INPUT;
	if (in->format > HV_GENERIC_SET_ALL)
		return HV_STATUS_INVALID_PARAMETER;
	if (in->format == HV_GENERIC_SET_SPARSE_4K && !in->valid_bank_mask)
		return HV_STATUS_SUCCESS;
	status = check_vector(in->vector, in->target_vtl);
	if (status == HV_STATUS_SUCCESS)
		interrupt_set(c, in);
	return status;
}

uint16_t hv_call_partition_id(struct hv_call *c)
{
	const uint64_t id = HV_PARTITION_ID;

	memcpy(c->out, &id, sizeof(id));
	return HV_STATUS_SUCCESS;
}

uint16_t hv_call_vp_from_apic_id(struct hv_call *c, unsigned i)
{
	const struct hv_input_apic_ids *in = &c->in.apic_ids;
	uint32_t apic_id, vp = 0;

	if (!hv_is_own_partition(in->partition_id))
		return HV_STATUS_INVALID_PARTITION_ID;
	if (!hv_is_vtl_0(in->target_vtl))
		return HV_STATUS_INVALID_PARAMETER;
	memcpy(&apic_id, c->in.byte + sizeof(*in) + i * sizeof(apic_id), sizeof(apic_id));
	while (vp < c->p->cfg.vps && c->p->ops->apic_id(c->p->ctx, vp) != apic_id)
		vp++;
	if (vp == c->p->cfg.vps)
		return HV_STATUS_INVALID_PARAMETER;
	memcpy(c->out + i * sizeof(vp), &vp, sizeof(vp));
	return HV_STATUS_SUCCESS;
}

static bool is_long_mode(const struct hv_vp_context *x)
{
	const uint64_t cr0 = CR0_PE | CR0_PG, efer = EFER_LME | EFER_LMA;

	return (x->cr0 & cr0) == cr0 && (x->efer & efer) == efer && x->cr4 & CR4_PAE;
}

uint16_t hv_call_start_vp(struct hv_call *c)
{
	const struct hv_input_start_vp *in = &c->in.start_vp;

	if (!hv_is_own_partition(in->partition_id))
		return HV_STATUS_INVALID_PARTITION_ID;
	if (!hv_is_vtl_0(in->target_vtl))
		return HV_STATUS_INVALID_PARAMETER;
	/* The caller runs already, by whatever name. */
	if (in->vp_index == HV_VP_INDEX_SELF || in->vp_index == c->vp->index)
		return HV_STATUS_INVALID_VP_STATE;
	if (in->vp_index >= c->p->cfg.vps)
		return HV_STATUS_INVALID_VP_INDEX;
	if (!is_long_mode(&in->context))
		return HV_STATUS_INVALID_REGISTER_VALUE;
	return c->p->ops->start_vp(c->p->ctx, in->vp_index, &in->context);
}

/* No extended call exists. */
uint16_t hv_call_ext_query(struct hv_call *c)
{
	memset(c->out, 0, sizeof(uint64_t));
	return HV_STATUS_SUCCESS;
}
