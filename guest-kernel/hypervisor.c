/* SPDX-License-Identifier: MIT */
/* Which hypervisor this is, and what a guest sets up on Hyper-V before it does anything else. */
#include "guest-kernel/hypervisor.h"

#include "guest-kernel/abi/trace.h"
#include "guest-kernel/cpu.h"
#include "guest-kernel/string.h"

#define CPUID_1_ECX_HYPERVISOR (1u << 31)
#define CPUID_HYPERVISOR       0x40000000u
#define KVM_SIGNATURE          "KVMKVMKVM\0\0"
#define KVM_CPUID_FEATURES     0x40000001u

static void read_signature(struct hypervisor *h, const struct cpu_cpuid *leaf)
{
	memcpy(h->signature, &leaf->ebx, 4);
	memcpy(h->signature + 4, &leaf->ecx, 4);
	memcpy(h->signature + 8, &leaf->edx, 4);
}

/*
 * A guest of Hyper-V needs the interface and these two, or it is none (TLFS, minimal requirements).
 */
static bool is_hyperv(const struct cpu_cpuid *leaf)
{
	const uint32_t needed = HV_MSR_HYPERCALL_AVAILABLE | HV_MSR_VP_INDEX_AVAILABLE;

	return leaf->ebx == HYPERV_CPUID_VENDOR_EBX && leaf->ecx == HYPERV_CPUID_VENDOR_ECX &&
	       leaf->edx == HYPERV_CPUID_VENDOR_EDX && leaf->eax >= HYPERV_CPUID_IMPLEMENT_LIMITS &&
	       (cpu_cpuid(HYPERV_CPUID_FEATURES).eax & needed) == needed;
}

static void set_up_hyperv(struct hypervisor *h)
{
	struct cpu_cpuid leaf = cpu_cpuid(HYPERV_CPUID_FEATURES);
	uint64_t val;

	h->hyperv_privileges = leaf.eax;
	h->hyperv_privileges_high = leaf.ebx;
	h->hyperv_features = leaf.edx;
	if (cpu_wrmsr_safe(HV_X64_MSR_GUEST_OS_ID, HYPERVISOR_GUEST_OS_ID) ||
	    cpu_rdmsr_safe(HV_X64_MSR_HYPERCALL, &val))
		return;
	/* Bits [11:1] are not ours to change. */
	val &= ~HV_X64_MSR_HYPERCALL_PAGE_ADDRESS_MASK;
	val |= (uint64_t)h->hypercall_page | HV_X64_MSR_HYPERCALL_ENABLE;
	h->hypercall_ready = !cpu_wrmsr_safe(HV_X64_MSR_HYPERCALL, val) &&
			     !cpu_rdmsr_safe(HV_X64_MSR_HYPERCALL, &val) &&
			     (val & HV_X64_MSR_HYPERCALL_ENABLE);
}

void hypervisor_init(struct hypervisor *h)
{
	struct cpu_cpuid leaf;

	h->kind = TRACE_HV_NONE;
	if (!(cpu_cpuid(1).ecx & CPUID_1_ECX_HYPERVISOR))
		return;
	leaf = cpu_cpuid(CPUID_HYPERVISOR);
	read_signature(h, &leaf);
	h->kind = TRACE_HV_OTHER;
	if (is_hyperv(&leaf)) {
		h->kind = TRACE_HV_HYPERV;
		set_up_hyperv(h);
	} else if (memcmp(h->signature, KVM_SIGNATURE, HYPERVISOR_SIGNATURE_SIZE) == 0) {
		h->kind = TRACE_HV_KVM;
		h->kvm_features = cpu_cpuid(KVM_CPUID_FEATURES).eax;
	}
}

const char *hypervisor_name(const struct hypervisor *h)
{
	switch (h->kind) {
	case TRACE_HV_HYPERV:
		return "Microsoft Hyper-V";
	case TRACE_HV_KVM:
		return "KVM";
	default:
		return h->signature;
	}
}

/* VMCALL is 0f 01 c1, VMMCALL 0f 01 d9. */
bool hypervisor_page_has_vmcall(const struct hypervisor *h)
{
	const uint8_t *page = h->hypercall_page;
	unsigned i;

	for (i = 0; i + 2 < HV_HYP_PAGE_SIZE; i++) {
		if (page[i] == 0x0f && page[i + 1] == 0x01 &&
		    (page[i + 2] == 0xc1 || page[i + 2] == 0xd9))
			return true;
	}
	return false;
}
