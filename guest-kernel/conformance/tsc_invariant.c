/* SPDX-License-Identifier: MIT */
/* Body "tsc-invariant": the guest asks to see its invariant TSC. */
#include "guest-kernel/conformance/conf.h"

#define LEAF_POWER    0x80000007u
#define EDX_INVARIANT (1u << 8)
#define TSC_INVARIANT HV_X64_MSR_TSC_INVARIANT_CONTROL

/* Last of all bodies: what is shown once can't be taken back, as KVM has it. */
void conf_tsc_invariant(struct conf *c)
{
	conf_note(c, "CPUID %s the invariant TSC before the guest asks",
		  cpu_cpuid(LEAF_POWER).edx & EDX_INVARIANT ? "shows" : "hides");
	conf_write_faults(c, TSC_INVARIANT, 0xdeadbeef, "a value with reserved bits");
	conf_write_faults(c, TSC_INVARIANT, 2, "bit 1");
	conf_write_faults(c, TSC_INVARIANT, 1ull << 63, "bit 63");
	conf_write_works(c, TSC_INVARIANT, 0, "0, before it was 1");
	conf_write_works(c, TSC_INVARIANT, HV_EXPOSE_INVARIANT_TSC, "1");
	conf_equal(c, conf_read(c, TSC_INVARIANT), HV_EXPOSE_INVARIANT_TSC, "1 reads back");
	conf_ok(c, cpu_cpuid(LEAF_POWER).edx & EDX_INVARIANT, "CPUID shows the invariant TSC now");
	conf_note(c, "0, after it was 1: %s",
		  cpu_wrmsr_safe(TSC_INVARIANT, 0) ? "#GP" : "accepted");
}
