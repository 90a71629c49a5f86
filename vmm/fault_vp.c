/* SPDX-License-Identifier: MIT */
/* `--fault`: what happens to VPs: INIT and SIPI that come late or never, TSCs that are off. */
#include "vmm/fault.h"

#include "vmm/hold.h"
#include "vmm/machine.h"
#include "vmm/vp.h"

static bool concerns(const struct fault *f, enum fault_kind kind, uint32_t vp)
{
	if (f->kind != kind)
		return false;
	return f->vps.count ? id_list_has(&f->vps, vp) : vp != 0;
}

int faults_skew_tsc(struct machine *m, struct err *e)
{
	int ret = 0;

	for (unsigned i = 0; i < m->faults.count; i++) {
		const struct fault *f = &m->faults.fault[i];
		int64_t cycles =
			(int64_t)((__int128)f->time_ns * (int64_t)m->record->tsc_khz / 1000000);

		for (uint32_t vp = 0; ret == 0 && vp < m->topology.vps; vp++) {
			if (concerns(f, FAULT_TSC_SKEW, vp))
				ret = kvm_vp_add_tsc_offset(&m->kvm, &m->vp[vp].kvm, cycles, e);
		}
	}
	return ret;
}

/*
 * Forgets the SIPIs that have come, and waits for the next one. KVM drops those that are pending for
 * a VP that waits for INIT when it is asked for the VP's state.
 */
static int forget_sipis(struct vp *vp, struct err *e)
{
	struct kvm *k = &vp->m->kvm;
	uint32_t state;
	int ret = kvm_vp_set_mp_state(k, &vp->kvm, KVM_MP_STATE_UNINITIALIZED, e);

	if (ret == 0)
		ret = kvm_vp_get_mp_state(k, &vp->kvm, &state, e);
	return ret ? ret : kvm_vp_set_mp_state(k, &vp->kvm, KVM_MP_STATE_INIT_RECEIVED, e);
}

/*
 * KVM keeps INIT and SIPI for a VP whose thread is not in KVM_RUN, so that a held thread is a late
 * SIPI.
 */
bool faults_on_wake(struct vp *vp, struct err *e)
{
	const struct faults *f = &vp->m->faults;

	for (unsigned i = 0; i < f->count; i++) {
		const struct fault *x = &f->fault[i];

		if (concerns(x, FAULT_SIPI_DELAY, vp->index)) {
			hold_vp(vp, hold_clock_ns() + (uint64_t)x->time_ns);
		} else if (concerns(x, FAULT_SIPI_DROP, vp->index)) {
			if (x->time_ns == 0)
				return false;
			hold_vp(vp, hold_clock_ns() + (uint64_t)x->time_ns);
			if (forget_sipis(vp, e))
				return false;
		}
	}
	return true;
}
