/* SPDX-License-Identifier: MIT */
/* Body "privilege": calls that CPUID does not offer are denied, and those that it offers are not. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/string.h"

#define CALL_SWITCH_SPACE         0x0001u
#define CALL_ENABLE_PARTITION_VTL 0x000du
#define CALL_ENABLE_VP_VTL        0x000fu
#define CALL_CREATE_PARTITION     0x0040u
#define CALL_DEPOSIT_MEMORY       0x0048u
#define CALL_CREATE_PORT          0x0095u
#define CALL_CONNECT_PORT         0x0096u
#define CALL_POST_DEBUG_DATA      0x0069u
#define CALL_RESET_DEBUG_SESSION  0x006bu
#define CALL_START_LP             0x0076u

enum gate { EBX, HINT, SPIN };

static const struct call {
	const char *name;
	uint16_t code;
	enum gate gate;
	uint32_t bits;
	bool known; /* to every implementation: denied, rather than not known, without its bit */
	uint64_t control; /* beside the code */
} calls[] = {
	{"FlushVirtualAddressSpace", HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE, HINT,
	 HV_X64_REMOTE_TLB_FLUSH_RECOMMENDED, true, 0},
	{"FlushVirtualAddressList", HVCALL_FLUSH_VIRTUAL_ADDRESS_LIST, HINT,
	 HV_X64_REMOTE_TLB_FLUSH_RECOMMENDED, true, 1ull << HV_HYPERCALL_REP_COMP_OFFSET},
	{"FlushVirtualAddressSpaceEx", HVCALL_FLUSH_VIRTUAL_ADDRESS_SPACE_EX, HINT,
	 HV_X64_REMOTE_TLB_FLUSH_RECOMMENDED | HV_X64_EX_PROCESSOR_MASKS_RECOMMENDED, true, 0},
	{"FlushVirtualAddressListEx", HVCALL_FLUSH_VIRTUAL_ADDRESS_LIST_EX, HINT,
	 HV_X64_REMOTE_TLB_FLUSH_RECOMMENDED | HV_X64_EX_PROCESSOR_MASKS_RECOMMENDED, true,
	 1ull << HV_HYPERCALL_REP_COMP_OFFSET},
	{"NotifyLongSpinWait", HVCALL_NOTIFY_LONG_SPIN_WAIT, SPIN, 0, true, HV_HYPERCALL_FAST_BIT},
	{"SendSyntheticClusterIpi", HVCALL_SEND_IPI, HINT, HV_X64_CLUSTER_IPI_RECOMMENDED, true,
	 HV_HYPERCALL_FAST_BIT},
	{"SendSyntheticClusterIpiEx", HVCALL_SEND_IPI_EX, HINT,
	 HV_X64_CLUSTER_IPI_RECOMMENDED | HV_X64_EX_PROCESSOR_MASKS_RECOMMENDED, true, 0},
	{"PostMessage", HVCALL_POST_MESSAGE, EBX, HV_POST_MESSAGES, true, 0},
	{"SignalEvent", HVCALL_SIGNAL_EVENT, EBX, HV_SIGNAL_EVENTS, true, HV_HYPERCALL_FAST_BIT},
	{"ExtCallQueryCapabilities", HV_EXT_CALL_QUERY_CAPABILITIES, EBX,
	 HV_ENABLE_EXTENDED_HYPERCALLS, false, 0},
	{"GetPartitionId", HVCALL_GET_PARTITION_ID, EBX, HV_ACCESS_PARTITION_ID, false, 0},
	{"GetVpRegisters", HVCALL_GET_VP_REGISTERS, EBX, HV_ACCESS_VP_REGISTERS, false,
	 1ull << HV_HYPERCALL_REP_COMP_OFFSET},
	{"SetVpRegisters", HVCALL_SET_VP_REGISTERS, EBX, HV_ACCESS_VP_REGISTERS, false,
	 1ull << HV_HYPERCALL_REP_COMP_OFFSET},
	{"StartVirtualProcessor", HVCALL_START_VP, EBX, HV_START_VIRTUAL_PROCESSOR, false, 0},
	{"GetVpIndexFromApicId", HVCALL_GET_VP_ID_FROM_APIC_ID, EBX, HV_START_VIRTUAL_PROCESSOR,
	 false, 1ull << HV_HYPERCALL_REP_COMP_OFFSET},
	{"SwitchVirtualAddressSpace", CALL_SWITCH_SPACE, HINT, 1u << 0, false,
	 HV_HYPERCALL_FAST_BIT},
	{"EnablePartitionVtl", CALL_ENABLE_PARTITION_VTL, EBX, 1u << 16, false, 0},
	{"EnableVpVtl", CALL_ENABLE_VP_VTL, EBX, 1u << 16, false, 0},
	{"DepositMemory", CALL_DEPOSIT_MEMORY, EBX, 1u << 2, false,
	 1ull << HV_HYPERCALL_REP_COMP_OFFSET},
	{"CreatePort", CALL_CREATE_PORT, EBX, 1u << 6, false, 0},
	{"ConnectPort", CALL_CONNECT_PORT, EBX, 1u << 7, false, 0},
	{"PostDebugData", CALL_POST_DEBUG_DATA, EBX, HV_DEBUGGING, false, 0},
	{"ResetDebugSession", CALL_RESET_DEBUG_SESSION, EBX, HV_DEBUGGING, false, 0},
	{"CreatePartition", CALL_CREATE_PARTITION, EBX, 1u << 0, false, 0},
	{"StartLogicalProcessor", CALL_START_LP, EBX, HV_CPU_MANAGEMENT, false, 0},
};

static bool is_offered(const struct conf *c, const struct call *call)
{
	switch (call->gate) {
	case EBX:
		return conf_has_ebx(c, call->bits);
	case HINT:
		return conf_has_hint(c, call->bits);
	default:
		return conf_has_spin_wait(c);
	}
}

static void check_allowed(struct conf *c, const struct call *call, uint64_t result)
{
	uint64_t status = result & HV_HYPERCALL_RESULT_MASK;

	if (!conf_ok(c,
		     status != HV_STATUS_ACCESS_DENIED &&
			     status != HV_STATUS_INVALID_HYPERCALL_CODE,
		     "%s is offered, and not denied", call->name))
		conf_note(c, "got %lx", result);
}

/* With input of all zeros, which names no partition, no VP and no connection. */
void conf_privilege(struct conf *c)
{
	const struct call *call;
	uint64_t r;

	memset(c->page, 0, sizeof(c->page));
	for (call = calls; call < calls + sizeof(calls) / sizeof(calls[0]); call++) {
		bool fast = call->control & HV_HYPERCALL_FAST_BIT;

		r = conf_call(c, call->code | call->control, fast ? 0 : (uint64_t)c->page[0],
			      fast ? 0 : (uint64_t)c->page[1]);
		if (is_offered(c, call))
			check_allowed(c, call, r);
		else if (call->known)
			conf_equal(c, r, HV_STATUS_ACCESS_DENIED,
				   "%s is not offered: access denied", call->name);
		else
			conf_one_of(c, r, HV_STATUS_ACCESS_DENIED, HV_STATUS_INVALID_HYPERCALL_CODE,
				    "%s is not offered: denied, or unknown", call->name);
	}
}
