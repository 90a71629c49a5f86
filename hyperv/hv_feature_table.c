/* SPDX-License-Identifier: MIT */
/* The table of features. */
#include "hyperv/hv_feature.h"

#include <assert.h>

#include "hyperv/hv_defs.h"

#define BIT(f) HV_FEATURE_BIT(HV_FEATURE_##f)
#define BOTH   (HV_MODE_USER | HV_MODE_KERNEL)

/*
 * ipi is not on by default in user mode: each call is an exit to user space, where an ordinary ICR
 * write is served in the kernel. tsc-invariant isn't because only the host knows whether its TSC
 * is; partition-id isn't because Linux up to 6.12 takes it for a sign that it is the root.
 */
static const struct hv_feature_row rows[] = {
	[HV_FEATURE_BASE] =
		{
			.name = "base",
			.help = "guest OS id, hypercall page, VP assist page; always on",
			.msrs = "000, 001, 073",
			.features_eax = HV_MSR_HYPERCALL_AVAILABLE,
			.hints_eax = HV_DEPRECATING_AEOI_RECOMMENDED,
			.modes = BOTH,
			.default_for = BOTH,
		},
	[HV_FEATURE_RELAXED] =
		{
			.name = "relaxed",
			.help = "no watchdogs in the guest: its VPs share physical CPUs",
			.hints_eax = HV_X64_RELAXED_TIMING_RECOMMENDED,
			.modes = BOTH,
			.default_for = BOTH,
		},
	[HV_FEATURE_VAPIC] =
		{
			.name = "vapic",
			.help = "local APIC's EOI, ICR and TPR as MSRs",
			.msrs = "070-072",
			.not_user =
				"an EOI would have to go through user space and KVM's local APIC",
			.features_eax = HV_MSR_APIC_ACCESS_AVAILABLE,
			.hints_eax = HV_X64_APIC_ACCESS_RECOMMENDED,
			.modes = HV_MODE_KERNEL,
			.default_for = HV_MODE_KERNEL,
		},
	[HV_FEATURE_SPINLOCKS] =
		{
			.name = "spinlocks",
			.help = "spinlocks=N: the guest yields after N spins",
			.calls = "0008",
			.modes = BOTH,
		},
	[HV_FEATURE_VPINDEX] =
		{
			.name = "vpindex",
			.help = "number of the VP; without it Linux and Windows see no Hyper-V",
			.msrs = "002",
			.features_eax = HV_MSR_VP_INDEX_AVAILABLE,
			.modes = BOTH,
			.default_for = BOTH,
		},
	[HV_FEATURE_RUNTIME] =
		{
			.name = "runtime",
			.help = "how long the VP has run",
			.msrs = "010",
			.features_eax = HV_MSR_VP_RUNTIME_AVAILABLE,
			.modes = BOTH,
			.default_for = BOTH,
			.host_ops = HV_OP_RUNTIME,
		},
	[HV_FEATURE_CRASH] =
		{
			.name = "crash",
			.help = "the guest reports its panic",
			.msrs = "100-105",
			.features_edx = HV_FEATURE_GUEST_CRASH_MSR_AVAILABLE,
			.modes = BOTH,
			.default_for = BOTH,
			.host_ops = HV_OP_CRASH,
		},
	[HV_FEATURE_TIME] =
		{
			.name = "time",
			.help = "reference time: counter and TSC page",
			.msrs = "020, 021",
			.features_eax =
				HV_MSR_TIME_REF_COUNT_AVAILABLE | HV_MSR_REFERENCE_TSC_AVAILABLE,
			.modes = BOTH,
			.default_for = BOTH,
			.host_ops = HV_OP_GUEST_TSC,
		},
	[HV_FEATURE_SYNIC] =
		{
			.name = "synic",
			.help = "synthetic interrupt controller: messages and events",
			.msrs = "080-084, 090-09f",
			.calls = "005c, 005d",
			.features_eax = HV_MSR_SYNIC_AVAILABLE,
			.features_ebx = HV_POST_MESSAGES | HV_SIGNAL_EVENTS,
			.needs = BIT(VPINDEX),
			.modes = BOTH,
			.default_for = BOTH,
			.host_ops = HV_OP_IRQ,
		},
	[HV_FEATURE_SINT_POLLING] =
		{
			.name = "sint-polling",
			.help = "interrupt sources that the guest polls",
			.features_edx = HV_FEATURE_SINT_POLLING_AVAILABLE,
			.needs = BIT(SYNIC),
			.modes = HV_MODE_USER,
			.default_for = HV_MODE_USER,
		},
	[HV_FEATURE_STIMER] =
		{
			.name = "stimer",
			.help = "four timers for each VP",
			.msrs = "0b0-0b7",
			.features_eax = HV_MSR_SYNTIMER_AVAILABLE,
			.needs = BIT(SYNIC) | BIT(TIME),
			.modes = BOTH,
			.default_for = BOTH,
			.host_ops = HV_OP_TIMER,
		},
	[HV_FEATURE_STIMER_DIRECT] =
		{
			.name = "stimer-direct",
			.help = "timers that raise an interrupt without a message",
			.features_edx = HV_STIMER_DIRECT_MODE_AVAILABLE,
			.needs = BIT(STIMER),
			.modes = BOTH,
			.default_for = BOTH,
		},
	[HV_FEATURE_TLBFLUSH] =
		{
			.name = "tlbflush",
			.help = "TLB flush on other VPs by hypercall",
			.calls = "0002, 0003, 0013, 0014",
			.not_user = "KVM offers user space no way to flush a VP's TLB",
			.hints_eax = HV_X64_REMOTE_TLB_FLUSH_RECOMMENDED |
				     HV_X64_EX_PROCESSOR_MASKS_RECOMMENDED,
			.needs = BIT(VPINDEX),
			.modes = HV_MODE_KERNEL,
			.default_for = HV_MODE_KERNEL,
		},
	[HV_FEATURE_IPI] =
		{
			.name = "ipi",
			.help = "interrupts to many VPs by hypercall",
			.calls = "000b, 0015",
			.hints_eax = HV_X64_CLUSTER_IPI_RECOMMENDED |
				     HV_X64_EX_PROCESSOR_MASKS_RECOMMENDED,
			.needs = BIT(VPINDEX),
			.modes = BOTH,
			.default_for = HV_MODE_KERNEL,
			.host_ops = HV_OP_IRQ,
		},
	[HV_FEATURE_FREQUENCIES] =
		{
			.name = "frequencies",
			.help = "frequencies of TSC and local APIC timer",
			.msrs = "022, 023",
			.features_eax = HV_ACCESS_FREQUENCY_MSRS,
			.features_edx = HV_FEATURE_FREQUENCY_MSRS_AVAILABLE,
			.modes = BOTH,
			.default_for = BOTH,
		},
	[HV_FEATURE_RESET] =
		{
			.name = "reset",
			.help = "reset of the VM by MSR",
			.msrs = "003",
			.features_eax = HV_MSR_RESET_AVAILABLE,
			.modes = BOTH,
			.default_for = BOTH,
		},
	[HV_FEATURE_REENLIGHTENMENT] =
		{
			.name = "reenlightenment",
			.help = "notice of a changed TSC rate, which never comes here",
			.msrs = "106-108",
			.features_eax = HV_ACCESS_REENLIGHTENMENT,
			.modes = BOTH,
			.default_for = BOTH,
		},
	[HV_FEATURE_EVMCS] =
		{
			.name = "evmcs",
			.help = "enlightened VMCS, for a hypervisor in the guest",
			.not_user = "it belongs to KVM's nested virtualization",
			.hints_eax = HV_X64_ENLIGHTENED_VMCS_RECOMMENDED,
			.needs = BIT(VAPIC),
			.modes = HV_MODE_KERNEL,
		},
	[HV_FEATURE_AVIC] =
		{
			.name = "avic",
			.help = "tell the guest not to use auto-EOI",
			.not_user = "user mode tells the guest so in any case",
			.hints_eax = HV_DEPRECATING_AEOI_RECOMMENDED,
			.modes = HV_MODE_KERNEL,
		},
	[HV_FEATURE_XMM_INPUT] =
		{
			.name = "xmm-input",
			.help = "hypercall input in XMM registers",
			.features_edx = HV_X64_HYPERCALL_XMM_INPUT_AVAILABLE,
			.modes = BOTH,
			.default_for = BOTH,
			.host_ops = HV_OP_XMM,
		},
	[HV_FEATURE_TSC_INVARIANT] =
		{
			.name = "tsc-invariant",
			.help = "the guest may ask to see that its TSC is invariant",
			.msrs = "118",
			.features_eax = HV_ACCESS_TSC_INVARIANT,
			.modes = BOTH,
			.host_ops = HV_OP_TSC_INVARIANT,
		},
	[HV_FEATURE_SYNDBG] =
		{
			.name = "syndbg",
			.help = "synthetic debugger",
			.msrs = "0f1-0f5, 0ff",
			.calls = "0069-006b",
			.not_user = "there is no debugger to talk to",
			.features_ebx = HV_DEBUGGING,
			.features_edx =
				HV_FEATURE_GUEST_DEBUGGING | HV_FEATURE_DEBUG_MSRS_AVAILABLE,
			.needs = BIT(SYNIC) | BIT(RELAXED),
			.modes = HV_MODE_KERNEL,
		},
	[HV_FEATURE_START_VP] =
		{
			.name = "start-vp",
			.help = "starting VPs in long mode by hypercall",
			.calls = "0099, 009a",
			.features_ebx = HV_START_VIRTUAL_PROCESSOR,
			.needs = BIT(VPINDEX),
			.modes = HV_MODE_USER,
			.default_for = HV_MODE_USER,
			.host_ops = HV_OP_START_VP,
		},
	[HV_FEATURE_VP_REGISTERS] =
		{
			.name = "vp-registers",
			.help = "synthetic registers by hypercall",
			.calls = "0050, 0051",
			.features_ebx = HV_ACCESS_VP_REGISTERS,
			.modes = HV_MODE_USER,
			.default_for = HV_MODE_USER,
		},
	[HV_FEATURE_PARTITION_ID] =
		{
			.name = "partition-id",
			.help = "id of the partition; crashes Linux up to 6.12, which then "
				"believes it is root",
			.calls = "0046",
			.features_ebx = HV_ACCESS_PARTITION_ID,
			.modes = HV_MODE_USER,
		},
	[HV_FEATURE_EXT_CALLS] =
		{
			.name = "ext-calls",
			.help = "query of extended hypercalls, of which there are none",
			.calls = "8001",
			.features_ebx = HV_ENABLE_EXTENDED_HYPERCALLS,
			.modes = HV_MODE_USER,
			.default_for = HV_MODE_USER,
		},
};

_Static_assert(sizeof(rows) / sizeof(rows[0]) == HV_FEATURES, "a row for each feature");
_Static_assert(HV_FEATURES <= 32, "hv_features.on");

const struct hv_feature_row *hv_feature_row(enum hv_feature f)
{
	assert(f < HV_FEATURES);
	return &rows[f];
}
