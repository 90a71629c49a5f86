/* SPDX-License-Identifier: MIT */
/* Body "start-vp": VP 1, by hypercall, straight into 64-bit mode; and what must be refused. */
#include "guest-kernel/conformance/conf.h"
#include "guest-kernel/conformance/started_vp.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/start_vp.h"
#include "guest-kernel/string.h"

#define CR0_MODE      (1ull << 31 | 1)      /* PG, PE */
#define PAT_TEST      0x0007010600070406ull /* not the one after reset: entry 5 is WC */
#define RFLAGS_CF     1
#define WAIT_US       500000
#define VP_INDEX_NONE 0x00fffff0u
#define APIC_ID_NONE  0x00abcdefu
#define VTL_1         0x11 /* use the target VTL, and it is 1 */

static struct hv_input_start_vp *input(struct conf *c)
{
	struct hv_input_start_vp *in = (void *)c->page[0];
	struct started_vp *state = (void *)c->page[1];
	struct hv_vp_context *x = &in->context;

	memset(in, 0, sizeof(*in));
	in->partition_id = HV_PARTITION_ID_SELF;
	in->vp_index = 1;
	start_vp_context(x);
	x->rip = (uint64_t)started_vp_entry;
	x->rsp = (uint64_t)(state + 1);
	x->rflags |= RFLAGS_CF;
	x->gs.base = (uint64_t)state;
	x->tr.base = (uint64_t)&kernel.vp_table.vps[1].tss;
	x->pat = PAT_TEST;
	return in;
}

static uint64_t start(struct conf *c, const struct hv_input_start_vp *in)
{
	return conf_call_memory(c, HVCALL_START_VP, in, NULL);
}

static void test_refused(struct conf *c)
{
	struct hv_input_start_vp *in = input(c);
	uint64_t r;

	in->partition_id = 0x1234567;
	conf_equal(c, start(c, in), HV_STATUS_INVALID_PARTITION_ID, "another partition");
	in = input(c);
	in->vp_index = VP_INDEX_NONE;
	conf_equal(c, start(c, in), HV_STATUS_INVALID_VP_INDEX, "a VP that does not exist");
	in = input(c);
	in->vp_index = kernel.vp_table.count;
	conf_equal(c, start(c, in), HV_STATUS_INVALID_VP_INDEX, "the VP behind the last");
	in = input(c);
	in->vp_index = hypervisor_vp_index(&kernel.hypervisor);
	conf_equal(c, start(c, in), HV_STATUS_INVALID_VP_STATE, "the VP that calls");
	in = input(c);
	in->target_vtl = VTL_1;
	r = start(c, in);
	conf_refused(c, r, "VTL 1");
	in = input(c);
	in->context.cr0 &= ~CR0_MODE;
	r = start(c, in);
	conf_one_of(c, r, HV_STATUS_INVALID_REGISTER_VALUE, HV_STATUS_INVALID_PARAMETER,
		    "long mode without paging: refused");
	in = input(c);
	memmove((uint8_t *)in + 4, in, sizeof(*in));
	r = conf_call(c, HVCALL_START_VP, (uint64_t)in + 4, 0);
	conf_one_of(c, r, HV_STATUS_INVALID_ALIGNMENT, HV_STATUS_INVALID_HYPERCALL_INPUT,
		    "unaligned input: status 4 or 3");
	conf_ok(c, conf_call(c, CONF_FAST(HVCALL_START_VP), 0, 0) != HV_STATUS_SUCCESS,
		"it has no fast form");
}

static bool wait_for(const struct started_vp *state)
{
	uint64_t begin = cpu_rdtsc(), cycles = conf_tsc_of_us(WAIT_US);

	while (!__atomic_load_n(&state->here, __ATOMIC_ACQUIRE)) {
		if (cpu_rdtsc() - begin > cycles)
			return false;
		cpu_pause();
	}
	return true;
}

static void check_state(struct conf *c, const struct started_vp *s, const struct hv_vp_context *x)
{
	conf_equal(c, s->rsp, x->rsp, "the VP has its RSP");
	conf_equal(c, s->rflags, x->rflags, "the VP has its RFLAGS");
	conf_equal(c, s->cr0, x->cr0, "the VP has its CR0");
	conf_equal(c, s->cr3, x->cr3, "the VP has its CR3");
	conf_equal(c, s->cr4, x->cr4, "the VP has its CR4");
	conf_equal(c, s->efer, x->efer, "the VP has its EFER");
	conf_equal(c, s->pat, x->pat, "the VP has its PAT");
	conf_equal(c, s->gs_base, x->gs.base, "the VP has its GS base");
	conf_equal(c, s->cs, x->cs.selector, "the VP has its CS");
	conf_equal(c, s->ss, x->ss.selector, "the VP has its SS");
	conf_equal(c, s->tr, x->tr.selector, "the VP has its TR");
	conf_equal(c, s->vp_index, 1, "the VP has its VP index");
}

static void test_apic_ids(struct conf *c)
{
	struct hv_input_apic_ids *in = (void *)c->page[0];
	uint32_t *id = (uint32_t *)(in + 1), *out = (uint32_t *)c->page[2], wrong = 0, i;
	const uint64_t one = CONF_REP(HVCALL_GET_VP_ID_FROM_APIC_ID, 1, 0);

	for (i = 0; i < kernel.vp_table.count; i++) {
		memset(in, 0, sizeof(*in));
		in->partition_id = HV_PARTITION_ID_SELF;
		*id = kernel.vp_table.vps[i].apic_id;
		*out = UINT32_MAX;
		wrong += conf_call_memory(c, one, in, out) != conf_result(HV_STATUS_SUCCESS, 1) ||
			 *out >= kernel.vp_table.count;
	}
	conf_equal(c, wrong, 0, "GetVpIndexFromApicId knows all VPs");
	*id = kernel.vp_table.vps[0].apic_id;
	conf_call_memory(c, one, in, out);
	conf_equal(c, *out, hypervisor_vp_index(&kernel.hypervisor),
		   "GetVpIndexFromApicId agrees with VP_INDEX");
	*id = APIC_ID_NONE;
	conf_equal(c, conf_call_memory(c, one, in, out), HV_STATUS_INVALID_PARAMETER,
		   "GetVpIndexFromApicId: an APIC ID that nobody has");
	in->partition_id = 0x1234567;
	conf_equal(c, conf_call_memory(c, one, in, out), HV_STATUS_INVALID_PARTITION_ID,
		   "GetVpIndexFromApicId: another partition");
}

void conf_start_vp(struct conf *c)
{
	struct started_vp *state = (void *)c->page[1];
	struct hv_input_start_vp *in;

	memset(c->page, 0, sizeof(c->page));
	test_apic_ids(c);
	test_refused(c);
	conf_equal(c, state->here, 0, "nothing that was refused has started the VP");
	in = input(c);
	if (!conf_equal(c, start(c, in), HV_STATUS_SUCCESS, "VP 1 is started"))
		return;
	if (conf_ok(c, wait_for(state), "VP 1 runs"))
		check_state(c, state, &in->context);
	conf_equal(c, start(c, in), HV_STATUS_INVALID_VP_STATE, "VP 1 can't be started twice");
}
