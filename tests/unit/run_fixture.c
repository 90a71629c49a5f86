/* SPDX-License-Identifier: MIT */
/* A made-up run for the tests of what is made of runs. */
#include "tests/unit/run_fixture.h"

#include <check.h>
#include <stdlib.h>

#define EVENTS_PER_VP 6
#define EVENTS_ADDED  8

static uint64_t host_tsc(double ms)
{
	return RUN_FIXTURE_START + (uint64_t)(ms * RUN_FIXTURE_TSC_KHZ);
}

uint64_t run_fixture_guest_tsc(double ms)
{
	return host_tsc(ms) + RUN_FIXTURE_OFFSET;
}

static void add_event(struct guest_trace *t, uint32_t vp, uint16_t event, double ms)
{
	t->event[t->event_count++] = (struct trace_event){
		.tsc = run_fixture_guest_tsc(ms),
		.vp = vp,
		.event = event,
	};
}

static void add_vp(struct run_record *r, uint32_t vp)
{
	static const double stage_ms[EVENTS_PER_VP] = {0, 1, 3, 3, 8, 9};
	struct guest_trace *t = &r->guest;
	double ms = 100 + 10.0 * (vp - 1);

	r->vp[vp] = (struct vp_times){
		.created_tsc = host_tsc(3),
		.thread_tsc = host_tsc(6),
		.first_entry_tsc = host_tsc(7),
		.wake_tsc = vp ? host_tsc(ms + 0.5) : 0,
		.first_hv_tsc = vp ? host_tsc(ms + 2) : host_tsc(20),
		.exits = 10 + vp,
	};
	t->vp[t->vp_count++] = (struct trace_vp){
		.vp = vp,
		.apic_id = 2 * vp,
		.node = vp / 2,
		.online = 1,
		.hv_vp_index = vp,
		.lpj = 4000,
	};
	for (uint16_t i = 0; vp && i < EVENTS_PER_VP; i++)
		add_event(t, vp, i + 1, ms + stage_ms[i]);
}

void run_fixture_init(struct run_record *r, uint32_t vps)
{
	double end_ms = 100 + 10.0 * (vps - 1);

	*r = (struct run_record){
		.invtsc = true,
		.start_tsc = RUN_FIXTURE_START,
		.vm_created_tsc = host_tsc(2),
		.vps_created_tsc = host_tsc(4),
		.loaded_tsc = host_tsc(5),
		.end_tsc = host_tsc(end_ms + 50),
		.tsc_khz = RUN_FIXTURE_TSC_KHZ,
		.tsc_offset = RUN_FIXTURE_OFFSET,
		.vps = vps,
		.rss_kib = 2048,
	};
	r->vp = calloc(vps, sizeof(*r->vp));
	r->guest.vp = calloc(vps, sizeof(*r->guest.vp));
	r->guest.event = calloc(vps * (EVENTS_PER_VP + EVENTS_ADDED), sizeof(*r->guest.event));
	ck_assert(r->vp && r->guest.vp && r->guest.event);
	r->guest.have_info = true;
	r->guest.complete = true;
	r->guest.info = (struct trace_info){
		.vps_found = vps,
		.vps_online = vps,
		.nodes = 1,
		.hz = 250,
		.smp = TRACE_SMP_SERIAL,
		.lpj = TRACE_LPJ_CALIBRATE,
		.tsc_khz = RUN_FIXTURE_TSC_KHZ,
		.entry_tsc = run_fixture_guest_tsc(10),
		.smp_begin_tsc = run_fixture_guest_tsc(100),
		.smp_end_tsc = run_fixture_guest_tsc(end_ms),
	};
	for (uint32_t i = 0; i < vps; i++)
		add_vp(r, i);
}

void run_fixture_add_event(struct run_record *r, uint32_t vp, uint16_t event, double ms)
{
	ck_assert_uint_lt(r->guest.event_count, r->vps * (EVENTS_PER_VP + EVENTS_ADDED));
	add_event(&r->guest, vp, event, ms);
}

void run_fixture_fini(struct run_record *r)
{
	free(r->vp);
	guest_trace_fini(&r->guest);
}

struct trace_event *run_fixture_event(struct run_record *r, uint32_t vp, uint16_t event)
{
	for (size_t i = 0; i < r->guest.event_count; i++) {
		if (r->guest.event[i].vp == vp && r->guest.event[i].event == event)
			return &r->guest.event[i];
	}
	ck_abort_msg("no such event");
}

struct metrics run_fixture_metrics(const struct run_record *r)
{
	struct vp_view *view = guest_view_new(&r->guest, r->vps);
	struct metrics m;

	ck_assert_ptr_nonnull(view);
	ck_assert_int_eq(metrics_compute(&m, r, view), 0);
	free(view);
	return m;
}

void run_fixture_check(const struct metrics *m, enum metric id, double value)
{
	ck_assert_msg(m->have[id], "%s is missing", metric_name(id));
	ck_assert_double_eq_tol(m->value[id], value, 1e-9);
}
