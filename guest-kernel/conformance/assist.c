/* SPDX-License-Identifier: MIT */
/* Body "assist": the VP assist page, which Linux enables on each VP whatever CPUID says. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/string.h"

static void read_msr(void *arg)
{
	cpu_rdmsr_safe(HV_X64_MSR_VP_ASSIST_PAGE, arg);
}

void conf_assist(struct conf *c)
{
	volatile uint32_t *assist = (volatile uint32_t *)c->page[2];
	uint64_t val, there = UINT64_MAX;

	if (cpu_rdmsr_safe(HV_X64_MSR_VP_ASSIST_PAGE, &val)) {
		conf_ok(c, !conf_has_eax(c, HV_MSR_APIC_ACCESS_AVAILABLE),
			"the MSR faults, and leaf 3 EAX 4 does not promise it");
		return;
	}
	memset(c->page[2], 0, HV_HYP_PAGE_SIZE);
	*assist = UINT32_MAX;
	conf_write_works(c, HV_X64_MSR_VP_ASSIST_PAGE, (uint64_t)c->page[2] | HV_PAGE_MSR_ENABLE,
			 "can be enabled");
	conf_equal(c, conf_read(c, HV_X64_MSR_VP_ASSIST_PAGE),
		   (uint64_t)c->page[2] | HV_PAGE_MSR_ENABLE, "enabled, reads back");
	conf_equal(c, *assist, 0, "enabled: no EOI is waived");
	if (kernel.vp_table.count > 1 && conf_on_vp(c, 1, read_msr, &there))
		conf_equal(c, there, 0, "it is a VP's own");
	conf_write_works(c, HV_X64_MSR_VP_ASSIST_PAGE, 0, "can be disabled");
	conf_equal(c, conf_read(c, HV_X64_MSR_VP_ASSIST_PAGE), 0, "disabled, reads back");
}
