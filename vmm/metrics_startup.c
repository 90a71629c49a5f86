/* SPDX-License-Identifier: MIT */
/* The way from the start of vpup to the last VP online, step by step. */
#include "vmm/metrics_startup.h"

#define STEPS 11

static void set(struct metrics *m, enum metric id, double value)
{
	m->have[id] = true;
	m->value[id] = value;
}

static double ms_of(const struct run_record *r, uint64_t cycles)
{
	return (double)cycles / (double)r->tsc_khz;
}

/* How many of the steps were stamped, each not before the one ahead of it. */
static unsigned steps_in_order(const uint64_t *end_tsc, uint64_t start_tsc)
{
	unsigned n = 0;

	for (; n < STEPS && end_tsc[n] && end_tsc[n] >= start_tsc; n++)
		start_tsc = end_tsc[n];
	return n;
}

static void set_steps(struct metrics *m, const struct run_record *r)
{
	static const enum metric step[STEPS] = {
		METRIC_STARTUP_OPEN_MS,    METRIC_STARTUP_VM_MS,      METRIC_STARTUP_MEMORY_MS,
		METRIC_STARTUP_IRQCHIP_MS, METRIC_STARTUP_DEVICES_MS, METRIC_STARTUP_LOAD_MS,
		METRIC_STARTUP_VPS_MS,     METRIC_STARTUP_THREAD_MS,  METRIC_STARTUP_ENTRY_MS,
		METRIC_STARTUP_GUEST_MS,   METRIC_STARTUP_BRINGUP_MS,
	};
	const uint64_t online_tsc = metrics_all_online_tsc(r);
	const uint64_t end_tsc[STEPS] = {
		r->opened_tsc,
		r->vm_tsc,
		r->memory_tsc,
		r->vm_created_tsc,
		r->devices_tsc,
		r->loaded_tsc,
		r->vps_created_tsc,
		r->vp[0].thread_tsc,
		r->vp[0].first_entry_tsc,
		online_tsc ? run_host_tsc(r, r->guest.info.smp_begin_tsc) : 0,
		online_tsc,
	};
	const unsigned host_steps = STEPS - 2; /* those that a guest of another kind has too */
	unsigned n = steps_in_order(end_tsc, r->start_tsc);

	if (n < host_steps)
		return;
	set(m, METRIC_STARTUP_HOST_MS, ms_of(r, end_tsc[host_steps - 1] - r->start_tsc));
	if (n < STEPS)
		n = host_steps;
	for (unsigned i = 0; i < n; i++)
		set(m, step[i], ms_of(r, end_tsc[i] - (i ? end_tsc[i - 1] : r->start_tsc)));
}

/* The VPs' threads are made while the boot VP runs already: this lies beside the steps. */
static void set_all_threads(struct metrics *m, const struct run_record *r)
{
	uint64_t last_tsc = r->vps_created_tsc;

	for (uint32_t i = 0; i < r->vps; i++) {
		if (r->vp[i].thread_tsc == 0 || r->vps_created_tsc == 0)
			return;
		if (r->vp[i].thread_tsc > last_tsc)
			last_tsc = r->vp[i].thread_tsc;
	}
	set(m, METRIC_STARTUP_ALL_THREADS_MS, ms_of(r, last_tsc - r->vps_created_tsc));
}

static void set_ratio(struct metrics *m, enum metric id, enum metric over, enum metric under)
{
	if (m->have[over] && m->have[under] && m->value[under] > 0)
		set(m, id, m->value[over] / m->value[under]);
}

void metrics_startup(struct metrics *m, const struct run_record *r)
{
	if (!r->vp || r->vps == 0 || r->tsc_khz == 0)
		return;
	set_steps(m, r);
	set_all_threads(m, r);
	if (r->exec_cpu_ns)
		set(m, METRIC_STARTUP_EXEC_CPU_MS, (double)r->exec_cpu_ns / 1e6);
	if (r->floor.online_cycles == 0)
		return;
	set(m, METRIC_STARTUP_FLOOR_MS, ms_of(r, r->floor.online_cycles));
	set(m, METRIC_STARTUP_FLOOR_HOST_MS, ms_of(r, r->floor.entry_cycles));
	set_ratio(m, METRIC_STARTUP_OVER_FLOOR, METRIC_STARTUP_MS, METRIC_STARTUP_FLOOR_MS);
	set_ratio(m, METRIC_STARTUP_HOST_OVER_FLOOR, METRIC_STARTUP_HOST_MS,
		  METRIC_STARTUP_FLOOR_HOST_MS);
}
