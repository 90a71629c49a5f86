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
#define HYPERV_CPUID_CPU_FEATURES_IN_USE      0x40000006u
#define HYPERV_CPUID_NESTED_FEATURES          0x4000000au
#define HYPERV_CPUID_VIRT_STACK_VENDOR        0x40000080u
#define HYPERV_CPUID_VIRT_STACK_INTERFACE     0x40000081u
#define HYPERV_CPUID_VIRT_STACK_PROPERTIES    0x40000082u

/* "Microsoft Hv" in EBX, ECX and EDX of the first leaf, "Hv#1" in EAX of the second */
#define HYPERV_CPUID_VENDOR_EBX    0x7263694du
#define HYPERV_CPUID_VENDOR_ECX    0x666f736fu
#define HYPERV_CPUID_VENDOR_EDX    0x76482074u
#define HYPERV_CPUID_SIGNATURE_EAX 0x31237648u

/* "VS#1" in EAX of HYPERV_CPUID_VIRT_STACK_INTERFACE */
#define HYPERV_VS_INTERFACE_EAX_SIGNATURE 0x31235356u

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

/* HYPERV_CPUID_FEATURES EBX: partition privileges, high half */
#define HV_ACCESS_PARTITION_ID        (1u << 1)
#define HV_POST_MESSAGES              (1u << 4)
#define HV_SIGNAL_EVENTS              (1u << 5)
#define HV_DEBUGGING                  (1u << 11)
#define HV_CPU_MANAGEMENT             (1u << 12)
#define HV_ACCESS_VP_REGISTERS        (1u << 17)
#define HV_ENABLE_EXTENDED_HYPERCALLS (1u << 20)
#define HV_START_VIRTUAL_PROCESSOR    (1u << 21)

/* HYPERV_CPUID_FEATURES EDX */
#define HV_FEATURE_GUEST_DEBUGGING           (1u << 1)
#define HV_X64_HYPERCALL_XMM_INPUT_AVAILABLE (1u << 4)
#define HV_FEATURE_FREQUENCY_MSRS_AVAILABLE  (1u << 8)
#define HV_FEATURE_GUEST_CRASH_MSR_AVAILABLE (1u << 10)
#define HV_FEATURE_DEBUG_MSRS_AVAILABLE      (1u << 11)
#define HV_FEATURE_SINT_POLLING_AVAILABLE    (1u << 17)
#define HV_STIMER_DIRECT_MODE_AVAILABLE      (1u << 19)

/* HYPERV_CPUID_ENLIGHTMENT_INFO EAX: hints; EBX: spins before HvCallNotifyLongSpinWait */
#define HV_X64_REMOTE_TLB_FLUSH_RECOMMENDED   (1u << 2)
#define HV_X64_APIC_ACCESS_RECOMMENDED        (1u << 3)
#define HV_X64_RELAXED_TIMING_RECOMMENDED     (1u << 5)
#define HV_DEPRECATING_AEOI_RECOMMENDED       (1u << 9)
#define HV_X64_CLUSTER_IPI_RECOMMENDED        (1u << 10)
#define HV_X64_EX_PROCESSOR_MASKS_RECOMMENDED (1u << 11)
#define HV_X64_ENLIGHTENED_VMCS_RECOMMENDED   (1u << 14)
#define HV_SPIN_RETRY_NEVER_NOTIFY            0xffffffffu

/* Synthetic MSRs: the range that a hypervisor may claim, and those that are in use here */
#define HV_MSR_FIRST                       0x40000000u
#define HV_MSR_LAST                        0x40000fffu
#define HV_X64_MSR_GUEST_OS_ID             0x40000000u
#define HV_X64_MSR_HYPERCALL               0x40000001u
#define HV_X64_MSR_VP_INDEX                0x40000002u
#define HV_X64_MSR_RESET                   0x40000003u
#define HV_X64_MSR_VP_RUNTIME              0x40000010u
#define HV_X64_MSR_TIME_REF_COUNT          0x40000020u
#define HV_X64_MSR_REFERENCE_TSC           0x40000021u
#define HV_X64_MSR_TSC_FREQUENCY           0x40000022u
#define HV_X64_MSR_APIC_FREQUENCY          0x40000023u
#define HV_X64_MSR_VP_ASSIST_PAGE          0x40000073u
#define HV_X64_MSR_SCONTROL                0x40000080u
#define HV_X64_MSR_SVERSION                0x40000081u
#define HV_X64_MSR_SIEFP                   0x40000082u
#define HV_X64_MSR_SIMP                    0x40000083u
#define HV_X64_MSR_EOM                     0x40000084u
#define HV_X64_MSR_SINT0                   0x40000090u /* SINTn: + n, n < HV_SYNIC_SINT_COUNT */
#define HV_X64_MSR_STIMER0_CONFIG          0x400000b0u /* timer n: + 2n, n < HV_STIMER_COUNT */
#define HV_X64_MSR_STIMER0_COUNT           0x400000b1u
#define HV_X64_MSR_CRASH_P0                0x40000100u /* Pn: + n, n < HV_CRASH_PARAMS */
#define HV_X64_MSR_CRASH_CTL               0x40000105u
#define HV_X64_MSR_REENLIGHTENMENT_CONTROL 0x40000106u
#define HV_X64_MSR_TSC_EMULATION_CONTROL   0x40000107u
#define HV_X64_MSR_TSC_EMULATION_STATUS    0x40000108u
#define HV_X64_MSR_TSC_INVARIANT_CONTROL   0x40000118u

/* MSRs that show an overlay page: enable, [11:1] to be preserved, [63:12] guest page number */
#define HV_PAGE_MSR_ENABLE       0x1ull
#define HV_PAGE_MSR_ADDRESS_MASK (~0ull << HV_HYP_PAGE_SHIFT)

/* HV_X64_MSR_HYPERCALL: enable, [11:1] to be preserved, [63:12] guest page number */
#define HV_X64_MSR_HYPERCALL_ENABLE             0x1ull
#define HV_X64_MSR_HYPERCALL_PAGE_ADDRESS_SHIFT HV_HYP_PAGE_SHIFT
#define HV_X64_MSR_HYPERCALL_PAGE_ADDRESS_MASK  (~0ull << HV_X64_MSR_HYPERCALL_PAGE_ADDRESS_SHIFT)

/* HV_X64_MSR_RESET */
#define HV_X64_MSR_RESET_NOW 0x1ull

/* SynIC */
#define HV_SYNIC_SINT_COUNT         16
#define HV_SYNIC_VERSION_1          1
#define HV_SYNIC_FIRST_VALID_VECTOR 16
#define HV_SYNIC_CONTROL_ENABLE     0x1ull
#define HV_SYNIC_SINT_VECTOR_MASK   0xffull
#define HV_SYNIC_SINT_MASKED        (1ull << 16)
#define HV_SYNIC_SINT_AUTO_EOI      (1ull << 17)
#define HV_SYNIC_SINT_POLLING       (1ull << 18)
#define HV_EVENT_FLAGS_COUNT        2048
#define HV_EVENT_FLAGS_BYTES        256

#define HV_MESSAGE_PAYLOAD_BYTES 240
#define HV_MESSAGE_PENDING       0x1u /* hv_message.flags */
#define HVMSG_NONE               0x00000000u
#define HVMSG_TIMER_EXPIRED      0x80000010u
#define HVMSG_HYPERVISOR_ORIGIN  0x80000000u /* bit: not a message that a partition may post */

/* One of the 16 slots of the page that HV_X64_MSR_SIMP shows. */
struct hv_message {
	uint32_t type; /* HVMSG_NONE: the slot is free */
	uint8_t payload_bytes;
	uint8_t flags;
	uint16_t reserved;
	uint64_t origin;
	uint8_t payload[HV_MESSAGE_PAYLOAD_BYTES];
};

/* Payload of HVMSG_TIMER_EXPIRED; times in 100 ns units of reference time */
struct hv_timer_message {
	uint32_t timer;
	uint32_t reserved;
	uint64_t expiration_time;
	uint64_t delivery_time;
};

/* Synthetic timers: bits of CONFIG */
#define HV_STIMER_COUNT             4
#define HV_STIMER_ENABLE            (1ull << 0)
#define HV_STIMER_PERIODIC          (1ull << 1)
#define HV_STIMER_LAZY              (1ull << 2)
#define HV_STIMER_AUTOENABLE        (1ull << 3)
#define HV_STIMER_APIC_VECTOR_SHIFT 4
#define HV_STIMER_APIC_VECTOR_MASK  (0xffull << HV_STIMER_APIC_VECTOR_SHIFT)
#define HV_STIMER_DIRECT            (1ull << 12)
#define HV_STIMER_SINT_SHIFT        16
#define HV_STIMER_SINT_MASK         (0xfull << HV_STIMER_SINT_SHIFT)
#define HV_STIMER_RSVD_MASK         (7ull << 13 | ~0ull << 20)

/* The page that HV_X64_MSR_REFERENCE_TSC shows: time = high64(TSC * scale) + offset, in 100 ns */
struct hv_reference_tsc_page {
	uint32_t sequence; /* 0: not to be used; changes whenever scale or offset do */
	uint32_t reserved;
	uint64_t scale;
	int64_t offset;
};
#define HV_REFERENCE_TSC_SEQUENCE_INVALID 0u

/* Crash MSRs: bits of CTL */
#define HV_CRASH_PARAMS      5
#define HV_CRASH_CTL_MESSAGE (1ull << 62) /* P3: its GPA, P4: its length */
#define HV_CRASH_CTL_NOTIFY  (1ull << 63)
#define HV_CRASH_MESSAGE_MAX 4096

#define HV_EXPOSE_INVARIANT_TSC      0x1ull /* HV_X64_MSR_TSC_INVARIANT_CONTROL */
#define HV_TSC_EMULATION_IN_PROGRESS 0x1ull /* HV_X64_MSR_TSC_EMULATION_STATUS */

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

/* Input of a fast hypercall: RDX, R8, then XMM0 to XMM5 */
#define HV_HYPERCALL_FAST_BYTES 16
#define HV_HYPERCALL_XMM_BYTES  96

/* Hypercall result value: status; reps completed stand where the control word has the rep count */
#define HV_HYPERCALL_RESULT_MASK 0x000000000000ffffull

#define HV_STATUS_SUCCESS                 0x0000u
#define HV_STATUS_INVALID_HYPERCALL_CODE  0x0002u
#define HV_STATUS_INVALID_HYPERCALL_INPUT 0x0003u
#define HV_STATUS_INVALID_ALIGNMENT       0x0004u
#define HV_STATUS_INVALID_PARAMETER       0x0005u
#define HV_STATUS_ACCESS_DENIED           0x0006u
#define HV_STATUS_INVALID_PARTITION_ID    0x000du
#define HV_STATUS_INVALID_VP_INDEX        0x000eu
#define HV_STATUS_INVALID_PORT_ID         0x0011u
#define HV_STATUS_INVALID_CONNECTION_ID   0x0012u
#define HV_STATUS_INSUFFICIENT_BUFFERS    0x0013u
#define HV_STATUS_INVALID_VP_STATE        0x0015u
#define HV_STATUS_INVALID_SYNIC_STATE     0x0018u
#define HV_STATUS_INVALID_REGISTER_VALUE  0x0050u

/* Hypercall codes */
#define HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE    0x0002u
#define HVCALL_FLUSH_VIRTUAL_ADDRESS_LIST     0x0003u
#define HVCALL_NOTIFY_LONG_SPIN_WAIT          0x0008u
#define HVCALL_SEND_IPI                       0x000bu
#define HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE_EX 0x0013u
#define HVCALL_FLUSH_VIRTUAL_ADDRESS_LIST_EX  0x0014u
#define HVCALL_SEND_IPI_EX                    0x0015u
#define HVCALL_GET_PARTITION_ID               0x0046u
#define HVCALL_GET_VP_REGISTERS               0x0050u
#define HVCALL_SET_VP_REGISTERS               0x0051u
#define HVCALL_POST_MESSAGE                   0x005cu
#define HVCALL_SIGNAL_EVENT                   0x005du
#define HVCALL_START_VP                       0x0099u
#define HVCALL_GET_VP_ID_FROM_APIC_ID         0x009au
#define HV_EXT_CALL_QUERY_CAPABILITIES        0x8001u

#define HV_PARTITION_ID_SELF UINT64_MAX
#define HV_VP_INDEX_SELF     0xfffffffeu
#define HV_USE_TARGET_VTL    0x10u /* in a target VTL byte, beside the VTL */

/* HV_VP_SET: format, valid bank mask, then one qword per bit of that mask */
#define HV_GENERIC_SET_SPARSE_4K 0ull
#define HV_GENERIC_SET_ALL       1ull
#define HV_VP_SET_BANK_VPS       64
#define HV_VP_SET_BANKS          64

#define HV_CONNECTION_ID_MASK 0x00ffffffu

/* HvCallPostMessage */
struct hv_input_post_message {
	uint32_t connection_id;
	uint32_t reserved;
	uint32_t message_type;
	uint32_t payload_bytes;
	uint8_t payload[HV_MESSAGE_PAYLOAD_BYTES];
};

/* HvCallSignalEvent */
struct hv_input_signal_event {
	uint32_t connection_id;
	uint16_t flag;
	uint16_t reserved;
};

/* HvCallSendSyntheticClusterIpi; in its Ex form the mask is a HV_VP_SET */
struct hv_input_send_ipi {
	uint32_t vector;
	uint32_t target_vtl;
	uint64_t vp_mask;
};

struct hv_input_send_ipi_ex {
	uint32_t vector;
	uint32_t target_vtl;
	uint64_t format;
	uint64_t valid_bank_mask;
	uint64_t bank[];
};

/* HvCallGetVpRegisters, HvCallSetVpRegisters: the head; then names, or elements */
struct hv_input_vp_registers {
	uint64_t partition_id;
	uint32_t vp_index;
	uint8_t target_vtl;
	uint8_t reserved[3];
};

struct hv_vp_register {
	uint32_t name;
	uint32_t reserved[3];
	uint64_t low, high;
};

/* HvCallGetVpIndexFromApicId: the head; then APIC IDs, 4 bytes each */
struct hv_input_apic_ids {
	uint64_t partition_id;
	uint8_t target_vtl;
	uint8_t reserved[7];
};

struct hv_segment_register {
	uint64_t base;
	uint32_t limit; /* in bytes, whatever the granularity */
	uint16_t selector;
	uint16_t attributes; /* [3:0] type, 4 S, [6:5] DPL, 7 P, 12 AVL, 13 L, 14 D/B, 15 G */
};

struct hv_table_register {
	uint16_t pad[3];
	uint16_t limit;
	uint64_t base;
};

/* The registers that a VP started by HvCallStartVirtualProcessor begins with. */
struct hv_vp_context {
	uint64_t rip, rsp, rflags;
	struct hv_segment_register cs, ds, es, fs, gs, ss, tr, ldtr;
	struct hv_table_register idtr, gdtr;
	uint64_t efer, cr0, cr3, cr4, pat;
};

struct hv_input_start_vp {
	uint64_t partition_id;
	uint32_t vp_index;
	uint8_t target_vtl;
	uint8_t reserved[3];
	struct hv_vp_context context;
};

/* Register names of Get/SetVpRegisters; those with a number of their own follow one another */
#define HV_REGISTER_HYPERVISOR_VERSION 0x00000100u
#define HV_REGISTER_PRIVILEGES         0x00000200u
#define HV_REGISTER_FEATURES           0x00000201u
#define HV_REGISTER_LIMITS             0x00000202u
#define HV_REGISTER_CRASH_P0           0x00000210u
#define HV_REGISTER_VP_RUNTIME         0x00090000u
#define HV_REGISTER_HYPERCALL          0x00090001u
#define HV_REGISTER_GUEST_OS_ID        0x00090002u
#define HV_REGISTER_VP_INDEX           0x00090003u
#define HV_REGISTER_TIME_REF_COUNT     0x00090004u
#define HV_REGISTER_VP_ASSIST_PAGE     0x00090013u
#define HV_REGISTER_REFERENCE_TSC      0x00090017u
#define HV_REGISTER_SINT0              0x000a0000u
#define HV_REGISTER_SCONTROL           0x000a0010u
#define HV_REGISTER_STIMER0_CONFIG     0x000b0000u
#define HV_REGISTER_VSM_VP_STATUS      0x000d0003u

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
_Static_assert(sizeof(struct hv_message) == 256, "16 to a page");
_Static_assert(sizeof(struct hv_timer_message) == 24, "timer message");
_Static_assert(sizeof(struct hv_reference_tsc_page) == 24, "reference TSC page");
_Static_assert(sizeof(struct hv_input_post_message) == 256, "PostMessage");
_Static_assert(sizeof(struct hv_input_signal_event) == 8, "SignalEvent");
_Static_assert(sizeof(struct hv_input_send_ipi) == 16, "SendSyntheticClusterIpi");
_Static_assert(sizeof(struct hv_input_send_ipi_ex) == 24, "SendSyntheticClusterIpiEx");
_Static_assert(sizeof(struct hv_input_vp_registers) == 16, "Get/SetVpRegisters");
_Static_assert(sizeof(struct hv_vp_register) == 32, "SetVpRegisters element");
_Static_assert(sizeof(struct hv_input_apic_ids) == 16, "GetVpIndexFromApicId");
_Static_assert(sizeof(struct hv_segment_register) == 16, "segment register");
_Static_assert(sizeof(struct hv_table_register) == 16, "table register");
_Static_assert(sizeof(struct hv_vp_context) == 224, "initial VP context");
_Static_assert(sizeof(struct hv_input_start_vp) == 240, "StartVirtualProcessor");
_Static_assert(HV_X64_MSR_HYPERCALL_PAGE_ADDRESS_MASK == 0xfffffffffffff000ull, "page number");

#endif
