/* SPDX-License-Identifier: MIT */
/* Where the Hyper-V library meets KVM: MSR exits, the hypercall page's trap, reference time. */
#ifndef VPUP_VMM_HV_HOST_H
#define VPUP_VMM_HV_HOST_H

#include "hyperv/hv.h"
#include "vmm/machine.h"

extern const struct device_ops hv_device;

/* CPUID entries 0x40000000 and up for cpuid_template(). Returns how many, at most max. */
size_t hv_host_cpuid(const struct hv_host *h, struct kvm_cpuid_entry2 *out, size_t max);

/*
 * Starts reference time and waits until KVM leaves the MSRs to the library; to be called once the
 * VPs are made and before one runs.
 */
int hv_host_prepare(struct hv_host *h, struct err *e);

const struct hv_partition *hv_host_partition(const struct hv_host *h);

#endif
