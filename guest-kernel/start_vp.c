/* SPDX-License-Identifier: MIT */
/* smp=hvcall: VPs started by HvCallStartVirtualProcessor, straight in 64-bit mode. */
#include "guest-kernel/start_vp.h"

#include "guest-kernel/kernel.h"
#include "guest-kernel/shutdown.h"
#include "guest-kernel/string.h"
#include "guest-kernel/trap.h"

#define IDS_PER_CALL    448
#define OUTPUT_OFFSET   2048
#define CODE_ATTRIBUTES 0xa09b /* G, L, P, S, code, readable, accessed */
#define DATA_ATTRIBUTES 0xc093 /* G, D/B, P, S, data, writable, accessed */
#define TSS_ATTRIBUTES  0x008b /* P, busy 64-bit TSS */
#define LDT_ATTRIBUTES  0x0082 /* P, LDT */
#define WHOLE_LIMIT     0xffffffffu
#define EFER_LMA        0x400
#define PAT_RESET       0x0007040600070406ull
#define RFLAGS_RESERVED 2

/* Of hypercalls: one page, so that neither lies across two. */
static _Alignas(HV_HYP_PAGE_SIZE) uint8_t page[HV_HYP_PAGE_SIZE];

extern const char start_vp_entry[]; /* ap_entry.S */

_Static_assert(sizeof(struct hv_input_apic_ids) + IDS_PER_CALL * 4 <= OUTPUT_OFFSET &&
		       OUTPUT_OFFSET + IDS_PER_CALL * 4 <= HV_HYP_PAGE_SIZE,
	       "input and output fit one page");

static uint64_t call(uint64_t control)
{
	return cpu_call_hypercall_page(kernel.hypervisor.hypercall_page, control, (uint64_t)page,
				       (uint64_t)page + OUTPUT_OFFSET);
}

void start_vp_context(struct hv_vp_context *x)
{
	const struct hv_segment_register data = {.limit = WHOLE_LIMIT,
						 .selector = SEL_DATA,
						 .attributes = DATA_ATTRIBUTES};

	x->rflags = RFLAGS_RESERVED;
	x->cs = (struct hv_segment_register){.limit = WHOLE_LIMIT,
					     .selector = SEL_CODE64,
					     .attributes = CODE_ATTRIBUTES};
	x->ds = x->es = x->fs = x->ss = x->gs = data;
	x->tr = (struct hv_segment_register){.limit = sizeof(struct tss) - 1,
					     .selector = SEL_TSS,
					     .attributes = TSS_ATTRIBUTES,
					     .base = (uint64_t)&kernel.vp_table.vps->tss};
	x->ldtr.attributes = LDT_ATTRIBUTES;
	x->idtr = (struct hv_table_register){.limit = idtr.limit, .base = idtr.base};
	x->gdtr = (struct hv_table_register){.limit = sizeof(kernel.vp_table.vps->gdt) - 1,
					     .base = (uint64_t)kernel.vp_table.vps->gdt};
	x->efer = EFER_LME | EFER_LMA;
	x->cr0 = cpu_read_cr0();
	x->cr3 = cpu_read_cr3();
	x->cr4 = cpu_read_cr4();
	x->pat = PAT_RESET;
}

void start_vp_prepare(void)
{
	const struct hypervisor *h = &kernel.hypervisor;

	if (h->kind != TRACE_HV_HYPERV)
		fail("smp=hvcall: the hypervisor is not Hyper-V");
	if (!(h->hyperv_privileges_high & HV_START_VIRTUAL_PROCESSOR))
		fail("smp=hvcall: no privilege to start VPs by hypercall");
	if (!h->hypercall_ready)
		fail("smp=hvcall: no hypercall page");
	if (hypervisor_page_has_vmcall(h) && !kernel.options.vmcall)
		fail("smp=hvcall: the hypercall page holds VMCALL or VMMCALL, and no vmcall=ok was "
		     "given");
}

void start_vp_find_indices(void)
{
	struct hv_input_start_vp *first = (void *)page;
	struct hv_input_apic_ids *in = (void *)page;
	uint32_t *id = (uint32_t *)(in + 1), *index = (uint32_t *)(page + OUTPUT_OFFSET);
	struct vp *vp = kernel.vp_table.vps + 1, *end = kernel.vp_table.vps + kernel.vp_table.count;
	uint32_t reps, i;
	uint64_t result;

	*in = (struct hv_input_apic_ids){.partition_id = HV_PARTITION_ID_SELF};
	for (; vp < end; vp += reps) {
		reps = end - vp < IDS_PER_CALL ? (uint32_t)(end - vp) : IDS_PER_CALL;
		for (i = 0; i < reps; i++)
			id[i] = vp[i].apic_id;
		result = call(HVCALL_GET_VP_ID_FROM_APIC_ID |
			      (uint64_t)reps << HV_HYPERCALL_REP_COMP_OFFSET);
		if (result != (uint64_t)reps << HV_HYPERCALL_REP_COMP_OFFSET)
			fail("smp=hvcall: VP indices of APIC IDs: result %lx", result);
		for (i = 0; i < reps; i++)
			vp[i].hv_vp_index = index[i];
	}
	memset(first, 0, sizeof(*first));
	first->partition_id = HV_PARTITION_ID_SELF;
	start_vp_context(&first->context);
	first->context.rip = (uint64_t)start_vp_entry;
}

void start_vp(const struct vp *vp)
{
	struct hv_input_start_vp *in = (void *)page;
	uint64_t result;

	in->vp_index = vp->hv_vp_index;
	result = call(HVCALL_START_VP);
	if (result != HV_STATUS_SUCCESS)
		fail("smp=hvcall: VP %u does not start: result %lx", vp->hv_vp_index, result);
}
