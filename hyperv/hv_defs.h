/* SPDX-License-Identifier: MIT */
/*
 * What a guest and its hypervisor agree on: numbers of the Hyper-V Top-Level Functional
 * Specification (TLFS) under the names that it and Linux give them. Compiled by the host and by the
 * freestanding guest alike.
 */
#ifndef VPUP_HYPERV_HV_DEFS_H
#define VPUP_HYPERV_HV_DEFS_H

#include <stdint.h>

#define HV_HYP_PAGE_SHIFT 12
#define HV_HYP_PAGE_SIZE  (1u << HV_HYP_PAGE_SHIFT)

/* CPUID leaves (TLFS, feature and interface discovery) */
#define HYPERV_CPUID_VENDOR_AND_MAX_FUNCTIONS 0x40000000u
#define HYPERV_CPUID_INTERFACE                0x40000001u
#define HYPERV_CPUID_VERSION                  0x40000002u
#define HYPERV_CPUID_FEATURES                 0x40000003u
#define HYPERV_CPUID_ENLIGHTMENT_INFO         0x40000004u
#define HYPERV_CPUID_IMPLEMENT_LIMITS         0x40000005u

/* "Microsoft Hv" in EBX, ECX and EDX of the first leaf, "Hv#1" in EAX of the second */
#define HYPERV_CPUID_VENDOR_EBX    0x7263694du
#define HYPERV_CPUID_VENDOR_ECX    0x666f736fu
#define HYPERV_CPUID_VENDOR_EDX    0x76482074u
#define HYPERV_CPUID_SIGNATURE_EAX 0x31237648u

/* HYPERV_CPUID_FEATURES EAX: partition privileges, low half */
#define HV_MSR_VP_RUNTIME_AVAILABLE     (1u << 0)
#define HV_MSR_TIME_REF_COUNT_AVAILABLE (1u << 1)
#define HV_MSR_SYNIC_AVAILABLE          (1u << 2)
#define HV_MSR_SYNTIMER_AVAILABLE       (1u << 3)
#define HV_MSR_APIC_ACCESS_AVAILABLE    (1u << 4)
#define HV_MSR_HYPERCALL_AVAILABLE      (1u << 5)
#define HV_MSR_VP_INDEX_AVAILABLE       (1u << 6)
#define HV_MSR_RESET_AVAILABLE          (1u << 7)
#define HV_MSR_STAT_PAGES_AVAILABLE     (1u << 8)
#define HV_MSR_REFERENCE_TSC_AVAILABLE  (1u << 9)
#define HV_MSR_GUEST_IDLE_AVAILABLE     (1u << 10)
#define HV_ACCESS_FREQUENCY_MSRS        (1u << 11)
#define HV_ACCESS_REENLIGHTENMENT       (1u << 13)
#define HV_ACCESS_TSC_INVARIANT         (1u << 15)

/* HYPERV_CPUID_FEATURES EDX */
#define HV_FEATURE_FREQUENCY_MSRS_AVAILABLE (1u << 8)

/* HYPERV_CPUID_ENLIGHTMENT_INFO EAX: hints; EBX: spins before HvCallNotifyLongSpinWait */
#define HV_X64_RELAXED_TIMING_RECOMMENDED (1u << 5)
#define HV_DEPRECATING_AEOI_RECOMMENDED   (1u << 9)
#define HV_SPIN_RETRY_NEVER_NOTIFY        0xffffffffu

/* Synthetic MSRs: the range that a hypervisor may claim, and those that are in use here */
#define HV_MSR_FIRST              0x40000000u
#define HV_MSR_LAST               0x40000fffu
#define HV_X64_MSR_GUEST_OS_ID    0x40000000u
#define HV_X64_MSR_HYPERCALL      0x40000001u
#define HV_X64_MSR_VP_INDEX       0x40000002u
#define HV_X64_MSR_RESET          0x40000003u
#define HV_X64_MSR_TIME_REF_COUNT 0x40000020u
#define HV_X64_MSR_TSC_FREQUENCY  0x40000022u
#define HV_X64_MSR_APIC_FREQUENCY 0x40000023u

/* HV_X64_MSR_HYPERCALL: enable, [11:1] to be preserved, [63:12] guest page number */
#define HV_X64_MSR_HYPERCALL_ENABLE             0x1ull
#define HV_X64_MSR_HYPERCALL_PAGE_ADDRESS_SHIFT HV_HYP_PAGE_SHIFT
#define HV_X64_MSR_HYPERCALL_PAGE_ADDRESS_MASK  (~0ull << HV_X64_MSR_HYPERCALL_PAGE_ADDRESS_SHIFT)

/* HV_X64_MSR_RESET */
#define HV_X64_MSR_RESET_NOW 0x1ull

/* Hypercall control word (TLFS, hypercall inputs) */
#define HV_HYPERCALL_CODE_MASK        0x000000000000ffffull
#define HV_HYPERCALL_FAST_BIT         0x0000000000010000ull
#define HV_HYPERCALL_VARHEAD_OFFSET   17
#define HV_HYPERCALL_VARHEAD_MASK     0x0000000007fe0000ull
#define HV_HYPERCALL_RSVD0_MASK       0x0000000078000000ull
#define HV_HYPERCALL_NESTED           0x0000000080000000ull
#define HV_HYPERCALL_REP_COMP_OFFSET  32
#define HV_HYPERCALL_REP_COMP_MASK    0x00000fff00000000ull
#define HV_HYPERCALL_RSVD1_MASK       0x0000f00000000000ull
#define HV_HYPERCALL_REP_START_OFFSET 48
#define HV_HYPERCALL_REP_START_MASK   0x0fff000000000000ull
#define HV_HYPERCALL_RSVD2_MASK       0xf000000000000000ull
#define HV_HYPERCALL_RSVD_MASK \
	(HV_HYPERCALL_RSVD0_MASK | HV_HYPERCALL_RSVD1_MASK | HV_HYPERCALL_RSVD2_MASK)

/* Hypercall result value: status; reps completed stand where the control word has the rep count */
#define HV_HYPERCALL_RESULT_MASK 0x000000000000ffffull

#define HV_STATUS_SUCCESS                 0x0000u
#define HV_STATUS_INVALID_HYPERCALL_CODE  0x0002u
#define HV_STATUS_INVALID_HYPERCALL_INPUT 0x0003u
#define HV_STATUS_INVALID_ALIGNMENT       0x0004u
#define HV_STATUS_INVALID_PARAMETER       0x0005u
#define HV_STATUS_ACCESS_DENIED           0x0006u

/* The fields of the control word cover it without a gap and without an overlap. */
_Static_assert((HV_HYPERCALL_CODE_MASK ^ HV_HYPERCALL_FAST_BIT ^ HV_HYPERCALL_VARHEAD_MASK ^
		HV_HYPERCALL_RSVD0_MASK ^ HV_HYPERCALL_NESTED ^ HV_HYPERCALL_REP_COMP_MASK ^
		HV_HYPERCALL_RSVD1_MASK ^ HV_HYPERCALL_REP_START_MASK ^ HV_HYPERCALL_RSVD2_MASK) ==
		       UINT64_MAX,
	       "control word");
_Static_assert(HV_HYPERCALL_VARHEAD_MASK == 0x3ffull << HV_HYPERCALL_VARHEAD_OFFSET, "10 bits");
_Static_assert(HV_HYPERCALL_REP_COMP_MASK == 0xfffull << HV_HYPERCALL_REP_COMP_OFFSET, "12 bits");
_Static_assert(HV_HYPERCALL_REP_START_MASK == 0xfffull << HV_HYPERCALL_REP_START_OFFSET, "12 bits");
_Static_assert(HV_HYP_PAGE_SIZE == 4096, "page");
_Static_assert(HV_X64_MSR_HYPERCALL_PAGE_ADDRESS_MASK == 0xfffffffffffff000ull, "page number");

#endif
