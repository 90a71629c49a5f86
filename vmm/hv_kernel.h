/* SPDX-License-Identifier: MIT */
/*
 * Kernel mode: KVM's own Hyper-V serves the guest (--hyperv kernel). vpup chooses what it offers,
 * and answers what KVM leaves to user space.
 */
#ifndef VPUP_VMM_HV_KERNEL_H
#define VPUP_VMM_HV_KERNEL_H

#include "hyperv/hv.h"
#include "vmm/machine.h"

/* Claims nothing: KVM owns the MSRs. -ENOTSUP from init names the capability that KVM lacks. */
extern const struct device_ops hv_kernel_device;

/* Has this KVM all that kernel mode needs? 0, or -ENOTSUP with e naming what it lacks. */
int hv_kernel_check(struct kvm *k, struct err *e);

/*
 * Takes out of set what KVM does not offer in kvm (KVM_GET_SUPPORTED_HV_CPUID), and then what needs
 * that. Returns 0, or -ENOTSUP with e naming a feature that goes although named has it, too.
 */
int hv_kernel_restrict(struct hv_features *set, const struct hv_features *named,
		       struct cpuid_set *kvm, struct err *e);

/*
 * CPUID entries 0x40000000 and up: what cfg->features call for, and no bit that kvm lacks. Returns
 * how many, at most max.
 */
size_t hv_kernel_leaves(const struct hv_config *cfg, struct cpuid_set *kvm,
			struct kvm_cpuid_entry2 *out, size_t max);

/*
 * The result value of a hypercall that KVM hands to user space: control word and input, as KVM tells
 * it. That is a GPA for PostMessage and the input itself for SignalEvent, fast or not.
 */
uint64_t hv_kernel_hypercall(struct hv_ports *t, const struct mem *mem, uint32_t vp,
			     uint64_t control, uint64_t input);

#endif
