/* SPDX-License-Identifier: MIT */
/* Which hypervisor this is, and what a guest sets up on Hyper-V before it does anything else. */
#ifndef VPUP_GUEST_HYPERVISOR_H
#define VPUP_GUEST_HYPERVISOR_H

#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/cpu.h"
#include "hyperv/hv_defs.h"

#define HYPERVISOR_SIGNATURE_SIZE 12

struct hypervisor {
	uint32_t kind; /* enum trace_hypervisor */
	char signature[HYPERVISOR_SIGNATURE_SIZE + 1];
	uint32_t hyperv_privileges;      /* HYPERV_CPUID_FEATURES EAX; 0 if this is not Hyper-V */
	uint32_t hyperv_privileges_high; /* the same, EBX */
	uint32_t hyperv_features;        /* the same, EDX */
	uint32_t kvm_features;           /* KVM's leaf 0x40000001 EAX; 0 if this is not KVM */
	bool hypercall_ready;
	_Alignas(HV_HYP_PAGE_SIZE) uint8_t hypercall_page[HV_HYP_PAGE_SIZE];
};

/* Fills h; on Hyper-V also sets the guest OS ID and enables the hypercall page. */
void hypervisor_init(struct hypervisor *h);

/* For people: a name that Linux would print, or the signature. */
const char *hypervisor_name(const struct hypervisor *h);

/* The calling VP's Hyper-V index; 0 if there is none. */
static inline uint32_t hypervisor_vp_index(const struct hypervisor *h)
{
	uint64_t val;

	if (!(h->hyperv_privileges & HV_MSR_VP_INDEX_AVAILABLE) ||
	    cpu_rdmsr_safe(HV_X64_MSR_VP_INDEX, &val))
		return 0;
	return (uint32_t)val;
}

/*
 * TLFS, guest OS identity MSR, open-source form: bit 63, no registered OS type, version 1. Any
 * value but zero lets the hypercall page be enabled.
 */
#define HYPERVISOR_GUEST_OS_ID (1ull << 63 | 1ull << 16)

/* Not in the call code space of any hypervisor; fast, so that no memory is involved. */
#define HYPERCALL_UNKNOWN (HV_HYPERCALL_CODE_MASK | HV_HYPERCALL_FAST_BIT)

/*
 * Does the hypercall page hold VMCALL or VMMCALL? Not every hypervisor underneath can take these:
 * there are some on which they never return.
 */
bool hypervisor_page_has_vmcall(const struct hypervisor *h);

#endif
