/* SPDX-License-Identifier: MIT */
/* HvCallGetVpRegisters and HvCallSetVpRegisters: synthetic registers of the calling VP. */
#include "hyperv/hv_call.h"

#include <string.h>

/* Registers that are MSRs by another name: count of them from name on, and from msr on. */
static const struct {
	uint32_t name, msr, count;
} msr_names[] = {
	{HV_REGISTER_CRASH_P0, HV_X64_MSR_CRASH_P0, HV_CRASH_PARAMS + 1}, /* and CTL */
	{HV_REGISTER_VP_RUNTIME, HV_X64_MSR_VP_RUNTIME, 1},
	{HV_REGISTER_HYPERCALL, HV_X64_MSR_HYPERCALL, 1},
	{HV_REGISTER_GUEST_OS_ID, HV_X64_MSR_GUEST_OS_ID, 1},
	{HV_REGISTER_VP_INDEX, HV_X64_MSR_VP_INDEX, 1},
	{HV_REGISTER_TIME_REF_COUNT, HV_X64_MSR_TIME_REF_COUNT, 1},
	{HV_REGISTER_VP_ASSIST_PAGE, HV_X64_MSR_VP_ASSIST_PAGE, 1},
	{HV_REGISTER_REFERENCE_TSC, HV_X64_MSR_REFERENCE_TSC, 1},
	{HV_REGISTER_SINT0, HV_X64_MSR_SINT0, HV_SYNIC_SINT_COUNT},
	{HV_REGISTER_SCONTROL, HV_X64_MSR_SCONTROL, 5}, /* to EOM */
	{HV_REGISTER_STIMER0_CONFIG, HV_X64_MSR_STIMER0_CONFIG, 2 * HV_STIMER_COUNT},
};

/* Registers that are CPUID leaves by another name. */
static const struct {
	uint32_t name, leaf;
} cpuid_names[] = {
	{HV_REGISTER_HYPERVISOR_VERSION, HYPERV_CPUID_VERSION},
	{HV_REGISTER_PRIVILEGES, HYPERV_CPUID_FEATURES},
	{HV_REGISTER_FEATURES, HYPERV_CPUID_ENLIGHTMENT_INFO},
	{HV_REGISTER_LIMITS, HYPERV_CPUID_IMPLEMENT_LIMITS},
};

/* The MSR, or 0 if the register is none. */
static uint32_t msr_of(uint32_t name)
{
	for (size_t i = 0; i < sizeof(msr_names) / sizeof(msr_names[0]); i++) {
		if (name - msr_names[i].name < msr_names[i].count)
			return msr_names[i].msr + (name - msr_names[i].name);
	}
	return 0;
}

static uint16_t check_target(const struct hv_call *c)
{
	const struct hv_input_vp_registers *in = &c->in.vp_registers;

	if (!hv_is_own_partition(in->partition_id))
		return HV_STATUS_INVALID_PARTITION_ID;
	if (!hv_is_vtl_0(in->target_vtl))
		return HV_STATUS_INVALID_PARAMETER;
	if (in->vp_index == HV_VP_INDEX_SELF || in->vp_index == c->vp->index)
		return HV_STATUS_SUCCESS;
	/* The privilege is for a VP's own registers. */
	return in->vp_index < c->p->cfg.vps ? HV_STATUS_ACCESS_DENIED : HV_STATUS_INVALID_VP_INDEX;
}

/* 128 bits. Returns false for a register that does not exist here or is off. */
static bool get(const struct hv_call *c, uint32_t name, uint64_t val[2])
{
	uint32_t msr = msr_of(name), leaf[4];

	val[0] = 0;
	val[1] = 0;
	if (msr)
		return hv_msr_get(c->p, c->vp, msr, &val[0]) == HV_MSR_OK;
	for (size_t i = 0; i < sizeof(cpuid_names) / sizeof(cpuid_names[0]); i++) {
		if (name != cpuid_names[i].name)
			continue;
		hv_cpuid_leaf(&c->p->cfg, cpuid_names[i].leaf, leaf);
		memcpy(val, leaf, sizeof(leaf));
		return true;
	}
	return name == HV_REGISTER_VSM_VP_STATUS; /* all zero: VTL 0, and no other */
}

uint16_t hv_call_get_register(struct hv_call *c, unsigned i)
{
	const uint8_t *names = c->in.byte + sizeof(struct hv_input_vp_registers);
	uint16_t status = check_target(c);
	uint64_t val[2];
	uint32_t name;

	if (status != HV_STATUS_SUCCESS)
		return status;
	memcpy(&name, names + i * sizeof(name), sizeof(name));
	if (!get(c, name, val))
		return HV_STATUS_INVALID_PARAMETER;
	memcpy(c->out + i * sizeof(val), val, sizeof(val));
	return HV_STATUS_SUCCESS;
}

uint16_t hv_call_set_register(struct hv_call *c, unsigned i)
{
	const uint8_t *list = c->in.byte + sizeof(struct hv_input_vp_registers);
	uint16_t status = check_target(c);
	struct hv_vp_register e;
	uint32_t msr;

	if (status != HV_STATUS_SUCCESS)
		return status;
	memcpy(&e, list + i * sizeof(e), sizeof(e));
	msr = msr_of(e.name);
	if (!msr)
		return HV_STATUS_INVALID_PARAMETER;
	if (e.high || hv_msr_set(c->p, c->vp, msr, e.low) != HV_MSR_OK)
		return HV_STATUS_INVALID_REGISTER_VALUE;
	return HV_STATUS_SUCCESS;
}
