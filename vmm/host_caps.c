/* SPDX-License-Identifier: MIT */
/* The KVM capabilities that decide what vpup can do, for the doctor and for result files. */
#include "vmm/host_caps.h"

static const struct host_cap_row caps[HOST_CAPS] = {
	HOST_CAP_ROW(KVM_CAP_MAX_VCPUS),
	HOST_CAP_ROW(KVM_CAP_MAX_VCPU_ID),
	HOST_CAP_ROW(KVM_CAP_HYPERV),
	HOST_CAP_ROW(KVM_CAP_HYPERV_SYNIC2),
	HOST_CAP_ROW(KVM_CAP_NESTED_STATE),
	HOST_CAP_ROW(KVM_CAP_X2APIC_API),
	HOST_CAP_ROW(KVM_CAP_SPLIT_IRQCHIP),
	HOST_CAP_ROW(KVM_CAP_SYNC_REGS),
	HOST_CAP_ROW(KVM_CAP_IMMEDIATE_EXIT),
	HOST_CAP_ROW(KVM_CAP_X86_USER_SPACE_MSR),
	HOST_CAP_ROW(KVM_CAP_X86_MSR_FILTER),
	HOST_CAP_ROW(KVM_CAP_TSC_CONTROL),
	HOST_CAP_ROW(KVM_CAP_TSC_DEADLINE_TIMER),
	HOST_CAP_ROW(KVM_CAP_VCPU_ATTRIBUTES),
};

void host_caps_read(struct kvm *k, struct host_cap cap[HOST_CAPS])
{
	for (unsigned i = 0; i < HOST_CAPS; i++)
		cap[i] = (struct host_cap){caps[i].name, kvm_capability(k, caps[i].number)};
}
