/* SPDX-License-Identifier: MIT */
/* Body "crash": the crash registers, without a report. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/kernel.h"

#define CTL_RESERVED ((1ull << 58) - 1)

static void read_p2(void *arg)
{
	cpu_rdmsr_safe(HV_X64_MSR_CRASH_P0 + 2, arg);
}

void conf_crash(struct conf *c)
{
	uint64_t ctl = conf_read(c, HV_X64_MSR_CRASH_CTL), there = 0;
	uint32_t n, kept = 0;

	conf_ok(c, ctl & HV_CRASH_CTL_NOTIFY, "CTL: reports are supported");
	conf_note(c, "CTL: messages are %ssupported", ctl & HV_CRASH_CTL_MESSAGE ? "" : "not ");
	conf_equal(c, ctl & CTL_RESERVED, 0, "CTL: reserved bits are 0");
	for (n = 0; n < HV_CRASH_PARAMS; n++)
		conf_write(c, HV_X64_MSR_CRASH_P0 + n, 0x1111111111111111ull * (n + 1));
	for (n = 0; n < HV_CRASH_PARAMS; n++)
		kept += conf_read(c, HV_X64_MSR_CRASH_P0 + n) == 0x1111111111111111ull * (n + 1);
	conf_equal(c, kept, HV_CRASH_PARAMS, "P0-P4 keep their values, each its own");
	if (kernel.vp_table.count > 1 && conf_on_vp(c, 1, read_p2, &there))
		conf_equal(c, there, 0x3333333333333333ull, "P2 is the same on VP 1");
	conf_write_works(c, HV_X64_MSR_CRASH_CTL, 0, "CTL: 0 reports nothing");
	conf_equal(c, conf_read(c, HV_X64_MSR_CRASH_CTL), ctl,
		   "CTL: still reads what is supported");
	for (n = 0; n < HV_CRASH_PARAMS; n++)
		conf_write(c, HV_X64_MSR_CRASH_P0 + n, 0);
}
