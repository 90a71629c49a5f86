/* SPDX-License-Identifier: MIT */
/* The CPUID leaves of each VP: the host's, less what a guest here can't have, plus its topology. */
#ifndef VPUP_VMM_CPUID_H
#define VPUP_VMM_CPUID_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stddef.h>

#include "vmm/err.h"
#include "vmm/topology.h"

#define CPUID_MAX_ENTRIES 256

/* Same layout as struct kvm_cpuid2, with room for every leaf. */
struct cpuid_set {
	uint32_t nent;
	uint32_t padding;
	struct kvm_cpuid_entry2 entry[CPUID_MAX_ENTRIES];
};

struct cpuid_config {
	bool invtsc;       /* 0x80000007 EDX[8], if the host has it */
	bool force_invtsc; /* also if the host has not, where it has the leaf */
	bool nested;       /* SVM or VMX, if the host has it; cpuid_can_nest() */
	bool tsc_deadline; /* 1 ECX[24]; KVM_CAP_TSC_DEADLINE_TIMER */
	const struct kvm_cpuid_entry2 *hypervisor; /* leaves 0x40000000 and up; may be NULL */
	size_t hypervisor_count;
};

/* Does KVM let a guest be a host: has what KVM_GET_SUPPORTED_CPUID gave SVM or VMX? */
bool cpuid_can_nest(const struct cpuid_set *host);

/* Does the invariant TSC show in it? */
bool cpuid_shows_invtsc(const struct cpuid_set *set);

/*
 * Copies KVM's own leaves (its signature and its features: clock, steal time, ...; Linux, virt/kvm/x86/cpuid.rst)
 * out of what KVM_GET_SUPPORTED_CPUID gave, for a guest that is to see no other hypervisor. Returns their number, at
 * most room.
 */
size_t cpuid_kvm_leaves(const struct cpuid_set *host, struct kvm_cpuid_entry2 *out, size_t room);

/*
 * Builds, from what KVM_GET_SUPPORTED_CPUID gave (host), the set that all VPs share, with the
 * topology leaves in place but no VP's own fields. -E2BIG if it does not fit.
 */
int cpuid_template(struct cpuid_set *out, const struct cpuid_set *host, const struct topology *t,
		   const struct cpuid_config *c, struct err *e);

/*
 * Turns a copy of the template into VP vp's own: leaf 1 EBX, 0xB and 0x1F EDX, 0x8000001E (and 4,
 * 0x8000001D, 0x80000008, which are alike for all VPs, were set by cpuid_template()).
 * Cheap: only those entries are touched, so one set can be reused for VP after VP.
 */
void cpuid_for_vp(struct cpuid_set *set, const struct topology *t, uint32_t vp);

/* The entry of leaf and index, or NULL. */
struct kvm_cpuid_entry2 *cpuid_find(struct cpuid_set *set, uint32_t function, uint32_t index);

#endif
