/* SPDX-License-Identifier: MIT */
/* Hypercalls, made by way of the hypercall page alone. */
#include "guest-kernel/conformance/conf.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/trap.h"

#define CR4_OSFXSR (1ull << 9)

/*
 * An exception in the hypercall page is the answer to the call: the call returns, and the vector is
 * kept. (Not for one in the middle of something else: only RIP in the page counts.)
 */
bool conf_take_fault(struct conf *c, struct trap_frame *f)
{
	const uint64_t page = (uint64_t)c->call_page;

	if (page == 0 || f->rip < page || f->rip >= page + HV_HYP_PAGE_SIZE)
		return false;
	c->call_fault = f->vector;
	f->rip = *(const uint64_t *)f->rsp;
	f->rsp += sizeof(uint64_t);
	return true;
}

uint64_t conf_call(struct conf *c, uint64_t control, uint64_t rdx, uint64_t r8)
{
	struct conf_regs r = {.rcx = control, .rdx = rdx, .r8 = r8};

	c->call_fault = 0;
	conf_call_page(c->call_page, &r);
	return c->call_fault ? CONF_CALL_UD : r.rax;
}

uint64_t conf_call_memory(struct conf *c, uint64_t control, const void *in, const void *out)
{
	return conf_call(c, control, (uint64_t)in, (uint64_t)out);
}

void conf_load_xmm(const uint64_t qword[12])
{
	cpu_write_cr4(cpu_read_cr4() | CR4_OSFXSR);
	cpu_load_xmm0_5(qword);
}
