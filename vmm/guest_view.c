/* SPDX-License-Identifier: MIT */
/* Sorts the guest's trace by VP. */
#include "vmm/guest_view.h"

#include <stdlib.h>

static const struct {
	enum trace_event_id from;
	enum trace_event_id to;
} stages[GUEST_STAGES] = {
#define GUEST_STAGE_DEF(id, name, from, to) {from, to},
	GUEST_STAGES_X(GUEST_STAGE_DEF)
#undef GUEST_STAGE_DEF
};

static const char *const mark_names[GUEST_MARKS] = {
	[TRACE_VP_KICK] = "kick",
	[TRACE_VP_START] = "start",
	[TRACE_VP_INIT] = "init",
	[TRACE_VP_CALIBRATE] = "calibrate",
	[TRACE_VP_CALIBRATED] = "calibrated",
	[TRACE_VP_ONLINE] = "online",
	[TRACE_VP_WAIT] = "wait",
	[TRACE_VP_RELEASED] = "released",
	[TRACE_VP_UCODE] = "ucode",
	[TRACE_VP_UCODE_END] = "ucode_end",
	[TRACE_VP_SIBLING] = "sibling",
	[TRACE_VP_SIBLING_END] = "sibling_end",
	[TRACE_VP_IDENTIFY] = "identify",
	[TRACE_VP_IDENTIFY_END] = "identify_end",
	[TRACE_VP_TSCSYNC] = "tscsync",
	[TRACE_VP_TSCSYNC_END] = "tscsync_end",
	[TRACE_VP_ONLINE_WORK] = "online_work",
	[TRACE_VP_ONLINE_WORK_END] = "online_work_end",
	[TRACE_VP_SYNIC] = "synic",
	[TRACE_VP_SYNIC_END] = "synic_end",
};

static void views_take_kick(struct vp_view *view, uint32_t vps, uint64_t tsc)
{
	for (uint32_t i = 1; i < vps; i++) {
		if (view[i].mark[TRACE_VP_KICK] == 0)
			view[i].mark[TRACE_VP_KICK] = tsc;
	}
}

struct vp_view *guest_view_new(const struct guest_trace *t, uint32_t vps)
{
	struct vp_view *view = vps ? calloc(vps, sizeof(*view)) : NULL;
	uint64_t broadcast_tsc = 0;

	if (!view)
		return NULL;
	for (size_t i = 0; i < t->vp_count; i++) {
		const struct trace_vp *vp = &t->vp[i];

		if (vp->vp < vps && !view[vp->vp].told)
			view[vp->vp].told = vp;
	}
	for (size_t i = 0; i < t->event_count; i++) {
		const struct trace_event *e = &t->event[i];
		bool is_broadcast = e->event == TRACE_VP_KICK && (e->vp == 0 || e->vp >= vps);

		if (is_broadcast && broadcast_tsc == 0)
			broadcast_tsc = e->tsc;
		if (is_broadcast || e->vp >= vps || e->event == 0 || e->event >= GUEST_MARKS)
			continue;
		if (view[e->vp].mark[e->event] == 0)
			view[e->vp].mark[e->event] = e->tsc;
	}
	if (broadcast_tsc)
		views_take_kick(view, vps, broadcast_tsc);
	return view;
}

static bool waits_at_entry(const struct vp_view *v)
{
	return v->mark[TRACE_VP_WAIT] && v->mark[TRACE_VP_RELEASED] &&
	       v->mark[TRACE_VP_WAIT] < v->mark[TRACE_VP_INIT];
}

bool guest_stage_span(const struct vp_view *v, enum guest_stage stage, uint64_t *from_tsc,
		      uint64_t *to_tsc)
{
	uint64_t from = v->mark[stages[stage].from], to = v->mark[stages[stage].to];

	if (stage == GUEST_STAGE_KICK && waits_at_entry(v))
		to = v->mark[TRACE_VP_WAIT];
	if (stage == GUEST_STAGE_INIT && waits_at_entry(v))
		from = v->mark[TRACE_VP_RELEASED];
	if (from == 0 || to == 0 || to < from)
		return false;
	*from_tsc = from;
	*to_tsc = to;
	return true;
}

const char *guest_mark_name(unsigned mark)
{
	return mark < GUEST_MARKS ? mark_names[mark] : NULL;
}

/* NULL for a number that is none of the names'. */
static const char *name_of(const char *const *names, size_t count, uint32_t number)
{
	return number < count ? names[number] : NULL;
}

#define NAME_OF(names, number) name_of(names, sizeof(names) / sizeof((names)[0]), number)

const char *guest_smp_name(uint32_t smp)
{
	static const char *const names[] = {
		[TRACE_SMP_SERIAL] = "serial", [TRACE_SMP_FULL] = "full",
		[TRACE_SMP_KICK] = "kick",     [TRACE_SMP_INIT] = "init",
		[TRACE_SMP_HVCALL] = "hvcall",
	};

	return NAME_OF(names, smp);
}

const char *guest_lpj_name(uint32_t lpj)
{
	static const char *const names[] = {
		[TRACE_LPJ_CALIBRATE] = "calibrate", [TRACE_LPJ_FINE] = "fine",
		[TRACE_LPJ_PRESET] = "preset",       [TRACE_LPJ_KNOWN] = "known",
		[TRACE_LPJ_GIVEN] = "given",
	};

	return NAME_OF(names, lpj);
}

const char *guest_synic_name(uint32_t synic)
{
	static const char *const names[] = {
		[TRACE_SYNIC_OFF] = "off",
		[TRACE_SYNIC_SERIAL] = "serial",
		[TRACE_SYNIC_PARALLEL] = "parallel",
	};

	return NAME_OF(names, synic);
}

bool guest_is_modelled(const struct guest_trace *t)
{
	const struct trace_info *i = &t->info;

	return t->have_info && (i->ucode_us || i->identify_us || i->tscsync_us || i->online_us);
}
