/* SPDX-License-Identifier: MIT */
/* The table of hypercalls. */
#include "hyperv/hv_call.h"

/* In ascending order of codes. Calls without a function are known, and always denied. */
static const struct hv_call_row rows[] = {
	{
		.code = HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE,
		.feature = HV_FEATURE_TLBFLUSH,
		.name = "FlushVirtualAddressSpace",
	},
	{
		.code = HVCALL_FLUSH_VIRTUAL_ADDRESS_LIST,
		.feature = HV_FEATURE_TLBFLUSH,
		.name = "FlushVirtualAddressList",
	},
	{
		.code = HVCALL_NOTIFY_LONG_SPIN_WAIT,
		.feature = HV_FEATURE_SPINLOCKS,
		.name = "NotifyLongSpinWait",
		.in_bytes = 8,
		.fn = hv_call_spin_wait,
	},
	{
		.code = HVCALL_SEND_IPI,
		.feature = HV_FEATURE_IPI,
		.name = "SendSyntheticClusterIpi",
		.in_bytes = sizeof(struct hv_input_send_ipi),
		.fn = hv_call_send_ipi,
	},
	{
		.code = HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE_EX,
		.feature = HV_FEATURE_TLBFLUSH,
		.name = "FlushVirtualAddressSpaceEx",
	},
	{
		.code = HVCALL_FLUSH_VIRTUAL_ADDRESS_LIST_EX,
		.feature = HV_FEATURE_TLBFLUSH,
		.name = "FlushVirtualAddressListEx",
	},
	{
		.code = HVCALL_SEND_IPI_EX,
		.feature = HV_FEATURE_IPI,
		.name = "SendSyntheticClusterIpiEx",
		.in_bytes = sizeof(struct hv_input_send_ipi_ex),
		.var = true,
		.fn = hv_call_send_ipi_ex,
	},
	{
		.code = HVCALL_GET_PARTITION_ID,
		.feature = HV_FEATURE_PARTITION_ID,
		.name = "GetPartitionId",
		.out_bytes = 8,
		.not_fast = HV_STATUS_INVALID_HYPERCALL_INPUT,
		.fn = hv_call_partition_id,
	},
	{
		.code = HVCALL_GET_VP_REGISTERS,
		.feature = HV_FEATURE_VP_REGISTERS,
		.name = "GetVpRegisters",
		.in_bytes = sizeof(struct hv_input_vp_registers),
		.rep_in_bytes = 4,
		.rep_out_bytes = 16,
		.not_fast = HV_STATUS_INVALID_HYPERCALL_INPUT,
		.rep = hv_call_get_register,
	},
	{
		.code = HVCALL_SET_VP_REGISTERS,
		.feature = HV_FEATURE_VP_REGISTERS,
		.name = "SetVpRegisters",
		.in_bytes = sizeof(struct hv_input_vp_registers),
		.rep_in_bytes = sizeof(struct hv_vp_register),
		.rep = hv_call_set_register,
	},
	{
		.code = HVCALL_POST_MESSAGE,
		.feature = HV_FEATURE_SYNIC,
		.name = "PostMessage",
		.in_bytes = sizeof(struct hv_input_post_message),
		.not_fast = HV_STATUS_INVALID_HYPERCALL_INPUT,
		.fn = hv_call_post_message,
	},
	{
		.code = HVCALL_SIGNAL_EVENT,
		.feature = HV_FEATURE_SYNIC,
		.name = "SignalEvent",
		.in_bytes = sizeof(struct hv_input_signal_event),
		.fn = hv_call_signal_event,
	},
	{
		.code = HVCALL_START_VP,
		.feature = HV_FEATURE_START_VP,
		.name = "StartVirtualProcessor",
		.in_bytes = sizeof(struct hv_input_start_vp),
		.not_fast = HV_STATUS_INVALID_HYPERCALL_INPUT,
		.fn = hv_call_start_vp,
	},
	{
		.code = HVCALL_GET_VP_ID_FROM_APIC_ID,
		.feature = HV_FEATURE_START_VP,
		.name = "GetVpIndexFromApicId",
		.in_bytes = sizeof(struct hv_input_apic_ids),
		.rep_in_bytes = 4,
		.rep_out_bytes = 4,
		.not_fast = HV_STATUS_INVALID_HYPERCALL_INPUT,
		.rep = hv_call_vp_from_apic_id,
	},
	{
		.code = HV_EXT_CALL_QUERY_CAPABILITIES,
		.feature = HV_FEATURE_EXT_CALLS,
		.name = "ExtCallQueryCapabilities",
		.out_bytes = 8,
		.not_fast = HV_STATUS_INVALID_PARAMETER, /* as KVM has it */
		.fn = hv_call_ext_query,
	},
};

_Static_assert(sizeof(rows) / sizeof(rows[0]) == HV_CALL_ROWS, "HV_CALL_ROWS");

const struct hv_call_row *hv_call_row(unsigned row)
{
	return row < HV_CALL_ROWS ? &rows[row] : NULL;
}
