/* SPDX-License-Identifier: MIT */
/* The hypervisor's CPUID leaves, derived from what the partition implements. */
#include <string.h>

#include "hyperv/hv.h"

enum { EAX, EBX, ECX, EDX };

/*
 * Leaves 0x40000006 and up, hardware features in use and nesting, are all zero: both are the host
 * kernel's business. 0x40000080-0x40000082 announce a virtualization stack, whose one property that
 * a guest acts on is 15-bit interrupt destinations in I/O APIC entries and MSIs: not ours to
 * promise. They are given although they stand past the highest leaf, since Linux reads them
 * regardless, and KVM would answer with a copy of some other leaf.
 */
#define LAST_LEAF HYPERV_CPUID_NESTED_FEATURES

/* ORs together what the features that are on bring. */
static void features(const struct hv_features *set, uint32_t out[4])
{
	for (unsigned f = 0; f < HV_FEATURES; f++) {
		const struct hv_feature_row *row = hv_feature_row(f);

		if (!hv_features_have(set, f))
			continue;
		out[EAX] |= row->features_eax;
		out[EBX] |= row->features_ebx;
		out[EDX] |= row->features_edx;
	}
}

static void recommendations(const struct hv_features *set, uint32_t out[4])
{
	for (unsigned f = 0; f < HV_FEATURES; f++) {
		if (hv_features_have(set, f))
			out[EAX] |= hv_feature_row(f)->hints_eax;
	}
	out[EBX] = hv_features_have(set, HV_FEATURE_SPINLOCKS) ? set->spin_retries
							       : HV_SPIN_RETRY_NEVER_NOTIFY;
}

static void version(const struct hv_features *set, uint32_t out[4])
{
	out[EAX] = set->version_build;
	out[EBX] = (uint32_t)set->version_major << 16 | set->version_minor;
	out[ECX] = set->version_service_pack;
	out[EDX] = (uint32_t)set->version_service_branch << 24 | set->version_service_number;
}

bool hv_cpuid_leaf(const struct hv_config *cfg, uint32_t function, uint32_t out[4])
{
	uint32_t reg[4] = {0};

	switch (function) {
	case HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS:
		reg[EAX] = LAST_LEAF;
		memcpy(&reg[EBX], cfg->features.vendor_id, HV_VENDOR_ID_BYTES);
		break;
	case HYPERV_CPUID_INTERFACE:
		reg[EAX] = HYPERV_CPUID_SIGNATURE_EAX;
		break;
	case HYPERV_CPUID_VERSION:
		version(&cfg->features, reg);
		break;
	case HYPERV_CPUID_FEATURES:
		features(&cfg->features, reg);
		break;
	case HYPERV_CPUID_ENLIGHTMENT_INFO:
		recommendations(&cfg->features, reg);
		break;
	case HYPERV_CPUID_IMPLEMENT_LIMITS:
		reg[EAX] = cfg->vps;
		reg[EBX] = cfg->vps;
		break;
	case HYPERV_CPUID_VIRT_STACK_VENDOR:
		reg[EAX] = HYPERV_CPUID_VIRT_STACK_PROPERTIES;
		memcpy(&reg[EBX], "Microsoft VS", HV_VENDOR_ID_BYTES);
		break;
	case HYPERV_CPUID_VIRT_STACK_INTERFACE:
		reg[EAX] = HYPERV_VS_INTERFACE_EAX_SIGNATURE;
		break;
	case HYPERV_CPUID_VIRT_STACK_PROPERTIES:
		break;
	default:
		if (function > LAST_LEAF || function < HYPERV_CPUID_CPU_FEATURES_IN_USE)
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

	for (uint32_t f = HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS;
	     f <= HYPERV_CPUID_VIRT_STACK_PROPERTIES; f++) {
		if (hv_cpuid_leaf(cfg, f, reg))
			fn(ctx, f, reg);
	}
}
