/* SPDX-License-Identifier: MIT */
/* What every VP does on its way online, and what a secondary VP does besides. */
#include "guest-kernel/ap.h"

#include "guest-kernel/calibrate.h"
#include "guest-kernel/kernel.h"

bool ap_calibrate_measures(const struct vp *vp)
{
	return kernel.options.lpj == TRACE_LPJ_CALIBRATE ||
	       (kernel.options.lpj == TRACE_LPJ_FINE && vp->index != 0);
}

void ap_calibrate(struct vp *vp)
{
	struct calibration c;

	vp_mark(vp, TRACE_VP_CALIBRATE);
	if (ap_calibrate_measures(vp)) {
		c = calibrate(&kernel.tick, kernel.options.hz, kernel.clock.tsc_khz);
		vp->lpj = c.lpj;
		vp->lpj_dropped = c.dropped;
	} else {
		vp->lpj = kernel.lpj_reference;
		vp->lpj_dropped = 0;
	}
	vp_mark(vp, TRACE_VP_CALIBRATED);
}

void ap_main(struct vp *vp, uint64_t start_tsc)
{
	struct smp *s = &kernel.smp;

	vp_mark_at(vp, TRACE_VP_START, start_tsc);
	vp_load_tables(vp);
	apic_enable(&kernel.apic);
	vp_mark(vp, TRACE_VP_INIT);
	vp->hv_vp_index = hypervisor_vp_index(&kernel.hypervisor);
	ap_calibrate(vp);
	vp_mark(vp, TRACE_VP_ONLINE);
	if (__atomic_add_fetch(&s->online, 1, __ATOMIC_RELEASE) != s->wake_at)
		return;
	apic_send_ipi(&kernel.apic, s->boot_apic_id, VECTOR_WAKE);
	/* Looked at here, as it costs the others nothing: for tests each VP wakes the boot VP. */
	if (kernel.options.test)
		conf_serve(vp);
}
