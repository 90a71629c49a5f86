/* SPDX-License-Identifier: MIT */
/* The KVM capabilities that decide what vpup can do, for the doctor and for result files. */
#include "vmm/host_caps.h"

#define CAP(name)           \
	{                   \
#name, name \
	}

static const struct {
	const char *name;
	unsigned number;
} caps[HOST_CAPS] = {
	CAP(KVM_CAP_MAX_VCPUS),          CAP(KVM_CAP_MAX_VCPU_ID),     CAP(KVM_CAP_HYPERV),
	CAP(KVM_CAP_HYPERV_SYNIC2),      CAP(KVM_CAP_NESTED_STATE),    CAP(KVM_CAP_X2APIC_API),
	CAP(KVM_CAP_SPLIT_IRQCHIP),      CAP(KVM_CAP_SYNC_REGS),       CAP(KVM_CAP_IMMEDIATE_EXIT),
	CAP(KVM_CAP_X86_USER_SPACE_MSR), CAP(KVM_CAP_X86_MSR_FILTER),  CAP(KVM_CAP_TSC_CONTROL),
	CAP(KVM_CAP_TSC_DEADLINE_TIMER), CAP(KVM_CAP_VCPU_ATTRIBUTES),
};

void host_caps_read(struct kvm *k, struct host_cap cap[HOST_CAPS])
{
	for (unsigned i = 0; i < HOST_CAPS; i++)
		cap[i] = (struct host_cap){caps[i].name, kvm_capability(k, caps[i].number)};
}
