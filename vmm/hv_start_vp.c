/* SPDX-License-Identifier: MIT */
/* VPs started by HvCallStartVirtualProcessor: the initial context in KVM's terms. */
#include "vmm/hv_start_vp.h"

#include "vmm/hv_host.h"
#include "vmm/machine.h"

#define MSR_IA32_CR_PAT 0x277

uint16_t hv_start_vp(struct vp *vp, const struct hv_vp_context *context)
{
	bool waiting = false;

	if (!atomic_compare_exchange_strong(&vp->started, &waiting, true))
		return HV_STATUS_INVALID_VP_STATE;
	*hv_host_context(vp->m->hv, vp->index) = *context;
	vp_request(vp, VP_REQUEST_START);
	return HV_STATUS_SUCCESS;
}

static struct kvm_segment segment(const struct hv_segment_register *r)
{
	return (struct kvm_segment){
		.base = r->base,
		.limit = r->limit,
		.selector = r->selector,
		.type = r->attributes & 0xf,
		.s = r->attributes >> 4 & 1,
		.dpl = r->attributes >> 5 & 3,
		.present = r->attributes >> 7 & 1,
		.avl = r->attributes >> 12 & 1,
		.l = r->attributes >> 13 & 1,
		.db = r->attributes >> 14 & 1,
		.g = r->attributes >> 15 & 1,
		.unusable = !(r->attributes >> 7 & 1),
	};
}

static void fill_sregs(struct kvm_sregs *s, const struct hv_vp_context *c)
{
	s->cs = segment(&c->cs);
	s->ds = segment(&c->ds);
	s->es = segment(&c->es);
	s->fs = segment(&c->fs);
	s->gs = segment(&c->gs);
	s->ss = segment(&c->ss);
	s->tr = segment(&c->tr);
	s->ldt = segment(&c->ldtr);
	s->gdt = (struct kvm_dtable){.base = c->gdtr.base, .limit = c->gdtr.limit};
	s->idt = (struct kvm_dtable){.base = c->idtr.base, .limit = c->idtr.limit};
	s->cr0 = c->cr0;
	s->cr3 = c->cr3;
	s->cr4 = c->cr4;
	s->efer = c->efer;
}

int hv_start_vp_apply(struct vp *vp, struct err *e)
{
	const struct hv_vp_context *c = hv_host_context(vp->m->hv, vp->index);
	struct kvm_regs regs = {.rip = c->rip, .rsp = c->rsp, .rflags = c->rflags | 2};
	struct kvm *k = &vp->m->kvm;
	struct kvm_sregs s;
	uint32_t state;
	int ret = kvm_vp_get_mp_state(k, &vp->kvm, &state, e);

	/* A SIPI was faster: the VP runs where that says. */
	if (ret || (state != KVM_MP_STATE_UNINITIALIZED && state != KVM_MP_STATE_INIT_RECEIVED))
		return ret;
	ret = kvm_vp_get_sregs(k, &vp->kvm, &s, e);
	if (ret)
		return ret;
	fill_sregs(&s, c);
	/* What KVM refuses here the guest asked for: its VP stays where it is, as after a bad SIPI. */
	if (kvm_vp_set_sregs(k, &vp->kvm, &s, NULL) ||
	    kvm_vp_set_msr(k, &vp->kvm, MSR_IA32_CR_PAT, c->pat, NULL))
		return 0;
	ret = kvm_vp_set_regs(k, &vp->kvm, &regs, e);
	return ret ? ret : kvm_vp_set_mp_state(k, &vp->kvm, KVM_MP_STATE_RUNNABLE, e);
}
