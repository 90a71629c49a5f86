/* SPDX-License-Identifier: MIT */
/* Interrupts that need no EOI, injected past the local APIC. */
#include "vmm/hv_auto_eoi.h"

#include "vmm/hv_host.h"
#include "vmm/machine.h"

#define RFLAGS_IF 0x200u
#define APIC_PPR  0xa0
#define RETRY_NS  100000u
#define WORD_BITS 64

void hv_auto_eoi_raise(struct vp *vp, uint8_t vector)
{
	atomic_fetch_or(&vp->auto_eoi[vector / WORD_BITS], 1ull << (vector % WORD_BITS));
	vp_request(vp, VP_REQUEST_AUTO_EOI);
}

/* The highest vector that waits, or -1. */
static int highest(struct vp *vp)
{
	for (int i = 256 / WORD_BITS - 1; i >= 0; i--) {
		uint64_t word = atomic_load(&vp->auto_eoi[i]);

		if (word)
			return i * WORD_BITS + WORD_BITS - 1 - __builtin_clzll(word);
	}
	return -1;
}

/* Interruptible as SDM 3A 6.8 and 10.8.3 have it: IF, no shadow, priority above the processor's. */
static int can_take(struct vp *vp, uint8_t vector, const struct kvm_vcpu_events *v, bool *yes,
		    struct err *e)
{
	struct kvm *k = &vp->m->kvm;
	struct kvm_lapic_state apic;
	struct kvm_regs regs;
	int ret = kvm_vp_get_regs(k, &vp->kvm, &regs, e);

	if (ret == 0)
		ret = kvm_vp_get_lapic(k, &vp->kvm, &apic, e);
	if (ret)
		return ret;
	*yes = regs.rflags & RFLAGS_IF && !v->interrupt.injected && !v->interrupt.shadow &&
	       !v->exception.injected && !v->exception.pending && !v->nmi.injected &&
	       vector >> 4 > (uint8_t)apic.regs[APIC_PPR] >> 4;
	return 0;
}

static int inject(struct vp *vp, uint8_t vector, struct kvm_vcpu_events *v, struct err *e)
{
	struct kvm *k = &vp->m->kvm;
	uint32_t state;
	int ret;

	v->interrupt.injected = 1;
	v->interrupt.nr = vector;
	v->interrupt.soft = 0;
	v->flags = 0;
	ret = kvm_vp_set_events(k, &vp->kvm, v, e);
	if (ret == 0)
		ret = kvm_vp_get_mp_state(k, &vp->kvm, &state, e);
	if (ret == 0 && state == KVM_MP_STATE_HALTED)
		ret = kvm_vp_set_mp_state(k, &vp->kvm, KVM_MP_STATE_RUNNABLE, e);
	return ret;
}

int hv_auto_eoi_inject(struct vp *vp, struct err *e)
{
	int vector = highest(vp);
	struct kvm_vcpu_events v;
	bool yes = false;
	int ret;

	if (vector < 0)
		return 0;
	ret = vp_complete_exit(vp, e);
	if (ret == 0)
		ret = kvm_vp_get_events(&vp->m->kvm, &vp->kvm, &v, e);
	if (ret == 0)
		ret = can_take(vp, (uint8_t)vector, &v, &yes, e);
	if (ret)
		return ret;
	if (yes) {
		atomic_fetch_and(&vp->auto_eoi[vector / WORD_BITS],
				 ~(1ull << (vector % WORD_BITS)));
		ret = inject(vp, (uint8_t)vector, &v, e);
	}
	if (ret == 0 && highest(vp) >= 0)
		hv_host_retry(vp, RETRY_NS);
	return ret;
}
