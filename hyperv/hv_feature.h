/* SPDX-License-Identifier: MIT */
/*
 * What a partition can offer its guest, feature by feature, under the names that QEMU's users know:
 * which CPUID bits, MSRs and calls come with each, what it needs, and who can do it.
 */
#ifndef VPUP_HYPERV_HV_FEATURE_H
#define VPUP_HYPERV_HV_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct hv_host_ops;

/* In the order of the table in hv_feature.c. */
enum hv_feature {
	HV_FEATURE_BASE, /* what no partition goes without; can't be turned off */
	HV_FEATURE_RELAXED,
	HV_FEATURE_VAPIC,
	HV_FEATURE_SPINLOCKS,
	HV_FEATURE_VPINDEX,
	HV_FEATURE_RUNTIME,
	HV_FEATURE_CRASH,
	HV_FEATURE_TIME,
	HV_FEATURE_SYNIC,
	HV_FEATURE_SINT_POLLING,
	HV_FEATURE_STIMER,
	HV_FEATURE_STIMER_DIRECT,
	HV_FEATURE_TLBFLUSH,
	HV_FEATURE_IPI,
	HV_FEATURE_FREQUENCIES,
	HV_FEATURE_RESET,
	HV_FEATURE_REENLIGHTENMENT,
	HV_FEATURE_EVMCS,
	HV_FEATURE_AVIC,
	HV_FEATURE_XMM_INPUT,
	HV_FEATURE_TSC_INVARIANT,
	HV_FEATURE_SYNDBG,
	HV_FEATURE_START_VP,
	HV_FEATURE_VP_REGISTERS,
	HV_FEATURE_PARTITION_ID,
	HV_FEATURE_EXT_CALLS,
	HV_FEATURES,
};

#define HV_FEATURE_BIT(feature) (1u << (feature))

/* Who serves the guest: hyperv/ in user space, or KVM's own Hyper-V code. Bits, so as to combine. */
enum hv_mode { HV_MODE_USER = 1, HV_MODE_KERNEL = 2 };

/* What a feature calls in its host (struct hv_host_ops). */
enum {
	HV_OP_IRQ = 1,
	HV_OP_GUEST_TSC = 2,
	HV_OP_TIMER = 4,
	HV_OP_CRASH = 8,
	HV_OP_XMM = 16,
	HV_OP_RUNTIME = 32,
	HV_OP_TSC_INVARIANT = 64,
	HV_OP_START_VP = 128, /* and the APIC IDs */
};

#define HV_VENDOR_ID_BYTES 12

/* A choice of features, with the values that some of them take. A plain value: copy it freely. */
struct hv_features {
	uint32_t on;                            /* HV_FEATURE_BIT() of each */
	uint32_t spin_retries;                  /* with HV_FEATURE_SPINLOCKS */
	char vendor_id[HV_VENDOR_ID_BYTES + 1]; /* padded with zeros */
	uint32_t version_build;
	uint16_t version_major, version_minor;
	uint32_t version_service_pack;
	uint32_t version_service_number; /* 24 bits */
	uint8_t version_service_branch;
};

struct hv_feature_row {
	const char *name;
	const char *help; /* one line */
	const char
		*msrs; /* numbers without their 0x40000000, such as "080-084, 090-09f"; or NULL */
	const char *calls;    /* hypercall codes, or NULL */
	const char *not_user; /* why user mode refuses it; NULL: it does not */
	uint32_t features_eax, features_ebx, features_edx; /* bits of HYPERV_CPUID_FEATURES */
	uint32_t hints_eax;  /* bits of HYPERV_CPUID_ENLIGHTMENT_INFO EAX */
	uint32_t needs;      /* HV_FEATURE_BIT() of features without which it can't be on */
	uint8_t modes;       /* enum hv_mode: who has it */
	uint8_t default_for; /* enum hv_mode: where it is on unless told otherwise */
	uint8_t host_ops;    /* HV_OP_ bits: without them the host can't have it */
};

const struct hv_feature_row *hv_feature_row(enum hv_feature f);

static inline bool hv_features_have(const struct hv_features *set, enum hv_feature f)
{
	return set->on & HV_FEATURE_BIT(f);
}

/*
 * The set that a mode starts from. In user mode, features for which ops lacks a function are left
 * out, and so is what needs them; ops may be NULL in kernel mode.
 */
void hv_features_default(struct hv_features *set, enum hv_mode mode, const struct hv_host_ops *ops);

/*
 * Applies a list such as "+synic,-stimer,spinlocks=4096,vendor-id=abc" to set. A name without a
 * sign counts as +; "none" turns everything off that can be. Returns 0, or -EINVAL with a message
 * of at most size bytes in msg, and set unchanged.
 */
int hv_features_parse(struct hv_features *set, const char *list, char *msg, size_t size);

/*
 * Whether the set is possible: the mode and the host have each feature that is on, and each has
 * what it needs. Returns 0, or -EINVAL with a message that names the first that is amiss.
 */
int hv_features_check(const struct hv_features *set, enum hv_mode mode,
		      const struct hv_host_ops *ops, char *msg, size_t size);

/* Prints the table: what `--hv help` shows. */
void hv_features_help(FILE *out);

#endif
