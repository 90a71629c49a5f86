/* SPDX-License-Identifier: MIT */
/* Body "vp-registers": Get- and SetVpRegisters on the calling VP. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/string.h"

#define STATUS_UNKNOWN_REGISTER 0x87u
#define REGISTER_NONE           0x0badbad0u
#define VP_INDEX_NONE           0x00fffff0u
#define VTL_1                   0x11 /* use the target VTL, and it is 1 */
#define UNTOUCHED               0x5a5a5a5a5a5a5a5aull

static struct hv_input_vp_registers *head(struct conf *c)
{
	struct hv_input_vp_registers *in = (void *)c->page[0];

	*in = (struct hv_input_vp_registers){.partition_id = HV_PARTITION_ID_SELF,
					     .vp_index = HV_VP_INDEX_SELF};
	memset(c->page[1], UNTOUCHED & 0xff, 256);
	return in;
}

static uint64_t get(struct conf *c, unsigned count, unsigned from)
{
	return conf_call_memory(c, CONF_REP(HVCALL_GET_VP_REGISTERS, count, from), c->page[0],
				c->page[1]);
}

/* Value n of the last get(). */
static uint64_t value(const struct conf *c, unsigned n)
{
	return ((const uint64_t *)c->page[1])[2 * n];
}

static uint64_t upper(const struct conf *c, unsigned n)
{
	return ((const uint64_t *)c->page[1])[2 * n + 1];
}

static void test_values(struct conf *c)
{
	uint32_t *name = (uint32_t *)(head(c) + 1);

	name[0] = HV_REGISTER_VP_INDEX;
	name[1] = HV_REGISTER_GUEST_OS_ID;
	name[2] = HV_REGISTER_HYPERCALL;
	conf_equal(c, get(c, 3, 0), conf_result(HV_STATUS_SUCCESS, 3), "three registers");
	conf_equal(c, value(c, 0), conf_read(c, HV_X64_MSR_VP_INDEX), "VpIndex is that of its MSR");
	conf_equal(c, value(c, 1), conf_read(c, HV_X64_MSR_GUEST_OS_ID),
		   "GuestOsId is that of its MSR");
	conf_equal(c, value(c, 2), conf_read(c, HV_X64_MSR_HYPERCALL),
		   "Hypercall is that of its MSR");
	conf_equal(c, upper(c, 0) | upper(c, 1) | upper(c, 2), 0, "upper halves are 0");
	conf_equal(c, value(c, 3), UNTOUCHED, "nothing is written behind the last");
}

static void test_list(struct conf *c)
{
	uint32_t *name = (uint32_t *)(head(c) + 1);
	uint64_t r, status;

	name[0] = REGISTER_NONE;
	name[1] = HV_REGISTER_VP_INDEX;
	conf_equal(c, get(c, 2, 1), conf_result(HV_STATUS_SUCCESS, 2),
		   "a list from its second element on");
	conf_equal(c, value(c, 0), UNTOUCHED, "the first element is not written then");
	name[0] = HV_REGISTER_VP_INDEX;
	name[1] = REGISTER_NONE;
	r = get(c, 2, 0);
	status = r & HV_HYPERCALL_RESULT_MASK;
	conf_one_of(c, status, HV_STATUS_INVALID_PARAMETER, STATUS_UNKNOWN_REGISTER,
		    "a register that does not exist: refused");
	conf_equal(c, r & ~HV_HYPERCALL_RESULT_MASK, conf_result(0, 1),
		   "a register that does not exist: the one before it is done");
}

static void test_targets(struct conf *c)
{
	struct hv_input_vp_registers *in = head(c);
	uint64_t r;

	*(uint32_t *)(in + 1) = HV_REGISTER_VP_INDEX;
	in->vp_index = hypervisor_vp_index(&kernel.hypervisor);
	conf_equal(c, get(c, 1, 0), conf_result(HV_STATUS_SUCCESS, 1), "the VP by its index");
	in->vp_index = VP_INDEX_NONE;
	conf_equal(c, get(c, 1, 0), HV_STATUS_INVALID_VP_INDEX, "a VP that does not exist");
	in = head(c);
	in->partition_id = 0x1234567;
	conf_equal(c, get(c, 1, 0), HV_STATUS_INVALID_PARTITION_ID, "another partition");
	in = head(c);
	in->target_vtl = VTL_1;
	r = get(c, 1, 0);
	conf_refused(c, r, "VTL 1");
}

/* CPUID by another way. */
static void test_cpuid(struct conf *c)
{
	const struct cpu_cpuid leaf = cpu_cpuid(HYPERV_CPUID_FEATURES);
	uint32_t *name = (uint32_t *)(head(c) + 1);

	name[0] = HV_REGISTER_PRIVILEGES;
	conf_equal(c, get(c, 1, 0), conf_result(HV_STATUS_SUCCESS, 1), "PrivilegesAndFeatures");
	conf_ok(c, memcmp(c->page[1], &leaf, sizeof(leaf)) == 0,
		"PrivilegesAndFeatures is CPUID leaf 3");
}

static uint64_t set(struct conf *c, uint32_t name, uint64_t low, uint64_t high)
{
	struct hv_vp_register *e = (void *)(head(c) + 1);

	*e = (struct hv_vp_register){.name = name, .low = low, .high = high};
	return conf_call_memory(c, CONF_REP(HVCALL_SET_VP_REGISTERS, 1, 0), c->page[0], NULL);
}

static void test_set(struct conf *c)
{
	uint64_t id = conf_read(c, HV_X64_MSR_GUEST_OS_ID), r;

	conf_equal(c, set(c, HV_REGISTER_GUEST_OS_ID, id + 0x10000, 0),
		   conf_result(HV_STATUS_SUCCESS, 1), "GuestOsId can be set");
	conf_equal(c, conf_read(c, HV_X64_MSR_GUEST_OS_ID), id + 0x10000,
		   "GuestOsId: its MSR has the new value");
	conf_write(c, HV_X64_MSR_GUEST_OS_ID, id);
	r = set(c, HV_REGISTER_VP_INDEX, 7, 0);
	conf_refused(c, r, "VpIndex can't be set");
	r = set(c, REGISTER_NONE, 0, 0);
	conf_one_of(c, r, HV_STATUS_INVALID_PARAMETER, STATUS_UNKNOWN_REGISTER,
		    "a register that does not exist can't be set");
	if (!conf_has_eax(c, HV_MSR_SYNIC_AVAILABLE))
		return;
	conf_equal(c, set(c, HV_REGISTER_SINT0 + 4, 3, 0), HV_STATUS_INVALID_REGISTER_VALUE,
		   "Sint4: vector 3, not masked");
	conf_equal(c, set(c, HV_REGISTER_SINT0 + 4, HV_SYNIC_SINT_MASKED | 99, 0),
		   conf_result(HV_STATUS_SUCCESS, 1), "Sint4 can be set");
	conf_equal(c, conf_read(c, HV_X64_MSR_SINT0 + 4), HV_SYNIC_SINT_MASKED | 99,
		   "Sint4: its MSR has the new value");
	conf_write(c, HV_X64_MSR_SINT0 + 4, HV_SYNIC_SINT_MASKED);
}

/* A list in XMM registers: each element takes two. */
static void test_set_fast(struct conf *c)
{
	const uint64_t id = conf_read(c, HV_X64_MSR_GUEST_OS_ID);
	const uint64_t control = CONF_FAST(HVCALL_SET_VP_REGISTERS);
	uint64_t xmm[12] = {HV_REGISTER_GUEST_OS_ID, 0, id + 1, 0,
			    HV_REGISTER_GUEST_OS_ID, 0, id + 2, 0,
			    HV_REGISTER_GUEST_OS_ID, 0, id + 3, 0};
	uint64_t r;

	conf_load_xmm(xmm);
	r = conf_call(c, control | CONF_REP(0, 1, 0), HV_PARTITION_ID_SELF, HV_VP_INDEX_SELF);
	if (!conf_has_edx(c, HV_X64_HYPERCALL_XMM_INPUT_AVAILABLE)) {
		conf_equal(c, r, CONF_CALL_UD, "fast, without XMM input: #UD");
		conf_equal(c, conf_read(c, HV_X64_MSR_GUEST_OS_ID), id,
			   "fast, without XMM input: nothing is set");
		return;
	}
	conf_equal(c, r, conf_result(HV_STATUS_SUCCESS, 1), "by XMM: one element");
	conf_equal(c, conf_read(c, HV_X64_MSR_GUEST_OS_ID), id + 1, "by XMM: one element is set");
	conf_load_xmm(xmm);
	r = conf_call(c, control | CONF_REP(0, 3, 0), HV_PARTITION_ID_SELF, HV_VP_INDEX_SELF);
	conf_equal(c, r, conf_result(HV_STATUS_SUCCESS, 3), "by XMM: all six registers");
	conf_equal(c, conf_read(c, HV_X64_MSR_GUEST_OS_ID), id + 3, "by XMM: the last one counts");
	conf_load_xmm(xmm);
	r = conf_call(c, control | CONF_REP(0, 2, 1), HV_PARTITION_ID_SELF, HV_VP_INDEX_SELF);
	conf_equal(c, r, conf_result(HV_STATUS_SUCCESS, 2), "by XMM: a list from its second on");
	conf_equal(c, conf_read(c, HV_X64_MSR_GUEST_OS_ID), id + 2, "by XMM: its second is set");
	r = conf_call(c, control | CONF_REP(0, 4, 0), HV_PARTITION_ID_SELF, HV_VP_INDEX_SELF);
	conf_equal(c, r, HV_STATUS_INVALID_HYPERCALL_INPUT, "by XMM: more than there is room for");
	xmm[4] = REGISTER_NONE;
	conf_load_xmm(xmm);
	r = conf_call(c, control | CONF_REP(0, 3, 0), HV_PARTITION_ID_SELF, HV_VP_INDEX_SELF);
	conf_equal(c, r & ~HV_HYPERCALL_RESULT_MASK, conf_result(0, 1),
		   "by XMM: a list that fails at its second: one is done");
	conf_write(c, HV_X64_MSR_GUEST_OS_ID, id);
}

void conf_vp_registers(struct conf *c)
{
	memset(c->page, 0, sizeof(c->page));
	test_values(c);
	test_list(c);
	test_targets(c);
	test_cpuid(c);
	test_set(c);
	test_set_fast(c);
}
