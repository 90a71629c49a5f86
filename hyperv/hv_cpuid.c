/* SPDX-License-Identifier: MIT */
/* The hypervisor's CPUID leaves, derived from what the partition implements. */
#include "hyperv/hv_internal.h"

/*
 * Leaf 2 carries vpup's own version and not that of a Windows build, so that nobody takes a bug of
 * ours for one of theirs. Linux only prints it.
 */
#define VERSION_BUILD 0u
#define VERSION_MAJOR 0u
#define VERSION_MINOR 1u

enum { EAX, EBX, ECX, EDX };

/*
 * There are no leaves above this one yet. 0x40000006 lists hardware features in use, all of them
 * the host kernel's business. 0x40000080-0x40000082 announce a virtualization stack ("VS#1"), and
 * its one property that a guest acts on is 15-bit interrupt destinations in I/O APIC entries and
 * MSIs, which the partition can't promise for whatever delivers them. Linux looks at 0x40000081
 * whatever the highest leaf is, and KVM may answer it with a copy of the highest basic leaf; since
 * that is not "VS#1", Linux takes it for absent.
 */
#define LAST_LEAF HYPERV_CPUID_IMPLEMENT_LIMITS

static void features(uint32_t out[4])
{
	struct hv_msr_features f = hv_msr_features();

	out[EAX] = f.privileges_eax;
	/* EBX gates hypercalls, of which there are none. */
	out[EDX] = f.features_edx;
}

static void recommendations(uint32_t out[4])
{
	/*
	 * Relaxed timing: VPs share physical CPUs, and Windows then turns its watchdogs off. Auto-EOI
	 * is deprecated because KVM's local APIC has no such mode. What else could be recommended
	 * (remote TLB flushes and IPIs by hypercall, APIC registers by MSR) does not exist here.
	 */
	out[EAX] = HV_X64_RELAXED_TIMING_RECOMMENDED | HV_DEPRECATING_AEOI_RECOMMENDED;
	out[EBX] = HV_SPIN_RETRY_NEVER_NOTIFY;
}

bool hv_cpuid_leaf(const struct hv_config *cfg, uint32_t function, uint32_t out[4])
{
	uint32_t reg[4] = {0};

	switch (function) {
	case HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS:
		reg[EAX] = LAST_LEAF;
		reg[EBX] = HYPERV_CPUID_VENDOR_EBX;
		reg[ECX] = HYPERV_CPUID_VENDOR_ECX;
		reg[EDX] = HYPERV_CPUID_VENDOR_EDX;
		break;
	case HYPERV_CPUID_INTERFACE:
		reg[EAX] = HYPERV_CPUID_SIGNATURE_EAX;
		break;
	case HYPERV_CPUID_VERSION:
		reg[EAX] = VERSION_BUILD;
		reg[EBX] = VERSION_MAJOR << 16 | VERSION_MINOR;
		break;
	case HYPERV_CPUID_FEATURES:
		features(reg);
		break;
	case HYPERV_CPUID_ENLIGHTMENT_INFO:
		recommendations(reg);
		break;
	case HYPERV_CPUID_IMPLEMENT_LIMITS:
		reg[EAX] = cfg->vps;
		reg[EBX] = cfg->vps;
		break;
	default:
		return false;
	}
	for (unsigned i = 0; i < 4; i++)
		out[i] = reg[i];
	return true;
}

void hv_cpuid_each(const struct hv_config *cfg,
		   void (*fn)(void *ctx, uint32_t function, const uint32_t reg[4]), void *ctx)
{
	uint32_t reg[4];

	for (uint32_t f = HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS; hv_cpuid_leaf(cfg, f, reg); f++)
		fn(ctx, f, reg);
}
