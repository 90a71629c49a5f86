/* SPDX-License-Identifier: MIT */
/* Stand-ins for what bring-up costs on a real machine and not here, spent asleep. */
#include "guest-kernel/stand_in.h"

#include "guest-kernel/kernel.h"

/*
 * Until `us` microseconds have passed. The local APIC timer ends the sleep; another interrupt may
 * too, and the timer's count is rounded, so that the TSC decides.
 */
static void sleep_us(uint32_t us)
{
	const struct clock *c = &kernel.clock;
	const uint64_t end = cpu_rdtsc() + us * c->tsc_khz / 1000;
	uint64_t now, left_us, count;

	while ((now = cpu_rdtsc()) < end) {
		left_us = (end - now) * 1000 / c->tsc_khz + 1;
		count = left_us * (c->apic_timer_hz / 1000) / 1000 + 1;
		apic_timer_start_once(&kernel.apic,
				      count < UINT32_MAX ? (uint32_t)count : UINT32_MAX,
				      VECTOR_WAKE);
		cpu_sleep();
	}
}

/* Its end is the event that follows it. */
static void spend(struct vp *vp, uint32_t us, enum trace_event_id event)
{
	if (us == 0)
		return;
	vp_mark(vp, event);
	sleep_us(us);
	vp_mark(vp, event + 1);
}

static void wake(const struct vp *vp)
{
	apic_send_ipi(&kernel.apic, vp->apic_id, VECTOR_WAKE);
}

static void load_microcode(struct vp *vp)
{
	const struct vp *first = &kernel.vp_table.vps[vp->core];

	if (kernel.options.ucode_us == 0 || first->index == 0)
		return;
	if (first == vp) {
		spend(vp, kernel.options.ucode_us, TRACE_VP_UCODE);
		topology_for_siblings(&kernel.topology, vp, wake);
	} else if (!vp_reached(first, TRACE_VP_UCODE_END)) {
		vp_mark(vp, TRACE_VP_SIBLING);
		while (!vp_reached(first, TRACE_VP_UCODE_END))
			cpu_sleep();
		vp_mark(vp, TRACE_VP_SIBLING_END);
	}
}

bool stand_in_any(void)
{
	const struct options *o = &kernel.options;

	return o->ucode_us || o->identify_us || o->tscsync_us || o->online_us;
}

void stand_in_init(struct vp *vp)
{
	load_microcode(vp);
	spend(vp, kernel.options.identify_us, TRACE_VP_IDENTIFY);
}

void stand_in_online(struct vp *vp)
{
	if (vp->package == vp->index)
		spend(vp, kernel.options.tscsync_us, TRACE_VP_TSCSYNC);
	spend(vp, kernel.options.online_us, TRACE_VP_ONLINE_WORK);
}

void stand_in_announce(void)
{
	const struct options *o = &kernel.options;

	console_info(
		"smp: modelled costs: microcode %u us a core, identify %u us a CPU, TSC sync %u "
		"us a package, online %u us a CPU",
		o->ucode_us, o->identify_us, o->tscsync_us, o->online_us);
}
