/* SPDX-License-Identifier: MIT */
/* What every VP does on its way online, and what a secondary VP does besides. */
#include "guest-kernel/ap.h"

#include "guest-kernel/calibrate.h"
#include "guest-kernel/kernel.h"
#include "guest-kernel/stand_in.h"
#include "guest-kernel/trap.h"

/* Not done by a VP that is brought up in the plain way: kept out of the way of one that is. */
#define RARE __attribute__((noinline, cold))

/* Does the first VP of each package measure, and the others take its value? */
static bool copies_in_package(void)
{
	return kernel.options.lpj == TRACE_LPJ_KNOWN && kernel.clock.invariant_tsc;
}

bool ap_calibrate_measures(const struct vp *vp)
{
	switch (kernel.options.lpj) {
	case TRACE_LPJ_CALIBRATE:
		return true;
	case TRACE_LPJ_FINE:
		return vp->index != 0;
	case TRACE_LPJ_KNOWN:
		return vp->index != 0 && (vp->package == vp->index || !copies_in_package());
	default:
		return false;
	}
}

/* Those of vp's package that may be asleep until it has its value. */
static RARE void wake_package(const struct vp *vp)
{
	const struct vp *other = vp + 1, *end = kernel.vp_table.vps + kernel.vp_table.count;

	for (; other < end; other++) {
		if (other->package == vp->index)
			smp_wake(other);
	}
}

/* The value of the first VP of vp's package, once it has one. */
static uint64_t copied_lpj(const struct vp *vp)
{
	const struct vp *first = &kernel.vp_table.vps[vp->package];

	while (!vp_reached(first, TRACE_VP_CALIBRATED))
		cpu_sleep();
	return first->lpj;
}

/* Where not every VP takes the same value without a look. */
static RARE void find_lpj(struct vp *vp)
{
	struct calibration c;

	if (ap_calibrate_measures(vp)) {
		c = calibrate(&kernel.tick, kernel.options.hz, kernel.clock.tsc_khz);
		vp->lpj = c.lpj;
		vp->lpj_dropped = c.dropped;
		vp->lpj_measured = 1;
	} else if (copies_in_package() && vp->index != 0) {
		vp->lpj = copied_lpj(vp);
	}
}

void ap_calibrate(struct vp *vp)
{
	vp_mark(vp, TRACE_VP_CALIBRATE);
	vp->lpj = kernel.lpj;
	vp->lpj_dropped = 0;
	vp->lpj_measured = 0;
	if (kernel.options.lpj != TRACE_LPJ_PRESET)
		find_lpj(vp);
	vp_mark(vp, TRACE_VP_CALIBRATED);
}

static RARE void wait_for_turn(struct vp *vp)
{
	vp_mark(vp, TRACE_VP_WAIT);
	smp_wait_for_turn(vp, &kernel.smp.released);
	vp_mark(vp, TRACE_VP_RELEASED);
}

/* A sleep needs an interrupt to end it: so much is set up earlier than it would be otherwise. */
static RARE void wait_at_entry(struct vp *vp)
{
	cpu_lidt(&idtr);
	apic_enable(&kernel.apic);
	wait_for_turn(vp);
}

static RARE void stay(struct vp *vp)
{
	if (kernel.options.test)
		conf_serve(vp);
	if (kernel.options.synic != TRACE_SYNIC_OFF)
		synic_serve(vp);
	if (kernel.options.checks)
		checks_serve(vp);
	if (kernel.options.measure == OPTION_MEASURE_EXITS && vp->index == 1)
		measure_serve();
}

void ap_main(struct vp *vp, uint64_t start_tsc)
{
	struct smp *s = &kernel.smp;
	const uint32_t hooks = s->hooks;

	vp_mark_at(vp, TRACE_VP_START, start_tsc);
	if (hooks & SMP_WAIT_AT_ENTRY)
		wait_at_entry(vp);
	vp_load_tables(vp);
	apic_enable(&kernel.apic);
	if (hooks & SMP_STAND_INS)
		stand_in_init(vp);
	vp_mark(vp, TRACE_VP_INIT);
	if (hooks & SMP_WAIT_AFTER_INIT)
		wait_for_turn(vp);
	vp->hv_vp_index = hypervisor_vp_index(&kernel.hypervisor);
	ap_calibrate(vp);
	if (hooks & SMP_WAKE_PACKAGE && vp->lpj_measured)
		wake_package(vp);
	if (hooks & SMP_STAND_INS)
		stand_in_online(vp);
	vp_mark(vp, TRACE_VP_ONLINE);
	if (__atomic_add_fetch(&s->online, 1, __ATOMIC_RELEASE) == s->wake_at)
		smp_wake_boot_vp();
	if (hooks & SMP_STAY)
		stay(vp);
}
