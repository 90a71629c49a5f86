/* SPDX-License-Identifier: MIT */
/* Body "synic": its registers. What arrives: "message". */
#include "guest-kernel/conformance/synic_vp.h"

#include "guest-kernel/kernel.h"

#define SINT_RESERVED 0xff00ul /* to be preserved by guests; stored by most hypervisors */

static void test_vectors(struct conf *c)
{
	uint32_t n, as_written = 0;

	conf_write_faults(c, HV_X64_MSR_SINT0 + 3, 0, "SINT3: vector 0, not masked");
	conf_write_faults(c, HV_X64_MSR_SINT0 + 3, 15, "SINT3: vector 15, not masked");
	conf_write_works(c, HV_X64_MSR_SINT0 + 3, 16 | HV_SYNIC_SINT_MASKED,
			 "SINT3: vector 16, masked");
	conf_write_works(c, HV_X64_MSR_SINT0 + 3, 255 | HV_SYNIC_SINT_MASKED,
			 "SINT3: vector 255, masked");
	conf_write_works(c, HV_X64_MSR_SINT0 + 3, HV_SYNIC_SINT_MASKED,
			 "SINT3: its reset value, vector 0 and masked");
	for (n = 0; n < HV_SYNIC_SINT_COUNT; n++) {
		synic_sint(c, n, n % CONF_VECTORS, HV_SYNIC_SINT_AUTO_EOI);
		as_written += conf_read(c, HV_X64_MSR_SINT0 + n) ==
			      (CONF_VECTOR_N(n % CONF_VECTORS) | HV_SYNIC_SINT_AUTO_EOI);
		synic_mask(c, n);
	}
	conf_equal(c, as_written, HV_SYNIC_SINT_COUNT, "SINT0-15 keep vector and auto-EOI");
}

static void test_polling_bit(struct conf *c)
{
	if (!conf_has_edx(c, HV_FEATURE_SINT_POLLING_AVAILABLE)) {
		conf_skip(c, "not offered", "SINT3: polling");
		return;
	}
	synic_sint(c, 3, 0, HV_SYNIC_SINT_POLLING);
	conf_equal(c, conf_read(c, HV_X64_MSR_SINT0 + 3) & HV_SYNIC_SINT_POLLING,
		   HV_SYNIC_SINT_POLLING, "SINT3 keeps the polling bit");
	synic_mask(c, 3);
}

/* The TLFS has it off after reset, Hyper-V and KVM have it on. */
static void test_scontrol(struct conf *c)
{
	uint64_t reset = conf_read(c, HV_X64_MSR_SCONTROL);

	conf_ok(c, reset <= HV_SYNIC_CONTROL_ENABLE, "SCONTROL is 0 or 1 at first");
	conf_note(c, "SCONTROL is %lu at first", reset);
	conf_write(c, HV_X64_MSR_SCONTROL, 0);
	conf_equal(c, conf_read(c, HV_X64_MSR_SCONTROL), 0, "SCONTROL can be turned off");
	conf_write(c, HV_X64_MSR_SCONTROL, HV_SYNIC_CONTROL_ENABLE);
	conf_equal(c, conf_read(c, HV_X64_MSR_SCONTROL), HV_SYNIC_CONTROL_ENABLE,
		   "SCONTROL can be turned on");
	conf_write(c, HV_X64_MSR_SCONTROL, reset);
}

struct registers {
	uint64_t simp, sint5, eom;
};

static void read_registers(void *arg)
{
	struct registers *r = arg;

	cpu_rdmsr_safe(HV_X64_MSR_SIMP, &r->simp);
	cpu_rdmsr_safe(HV_X64_MSR_SINT0 + 5, &r->sint5);
	cpu_rdmsr_safe(HV_X64_MSR_EOM, &r->eom);
}

static void test_per_vp(struct conf *c)
{
	struct registers there;

	if (kernel.vp_table.count < 2) {
		conf_skip(c, "one VP only", "registers are a VP's own");
		return;
	}
	synic_sint(c, 5, 0, HV_SYNIC_SINT_MASKED);
	if (conf_on_vp(c, 1, read_registers, &there)) {
		conf_equal(c, there.simp, 0, "SIMP is a VP's own");
		conf_equal(c, there.sint5, HV_SYNIC_SINT_MASKED, "SINT5 is a VP's own");
	}
	synic_mask(c, 5);
}

static void test_eom(struct conf *c)
{
	conf_write_works(c, HV_X64_MSR_EOM, UINT64_MAX, "EOM takes any value");
	conf_equal(c, conf_read(c, HV_X64_MSR_EOM), 0, "EOM reads 0");
}

void conf_synic(struct conf *c)
{
	struct synic_vp s;

	test_scontrol(c);
	synic_open(c, &s);
	test_vectors(c);
	test_polling_bit(c);
	test_per_vp(c);
	test_eom(c);
	synic_close(c, &s);
	conf_write(c, HV_X64_MSR_SINT0 + 3, SINT_RESERVED | HV_SYNIC_SINT_MASKED);
	conf_note(c, "SINT3: reserved bits read %lx after ff00",
		  conf_read(c, HV_X64_MSR_SINT0 + 3) & SINT_RESERVED);
	synic_mask(c, 3);
}
