/* SPDX-License-Identifier: MIT */
/* Sorts the guest's trace by VP. */
#include "vmm/guest_view.h"

#include <stdlib.h>

const struct guest_stage guest_stages[GUEST_STAGES] = {
	{"kick", TRACE_VP_KICK, TRACE_VP_START},
	{"init", TRACE_VP_START, TRACE_VP_INIT},
	{"calibrate", TRACE_VP_CALIBRATE, TRACE_VP_CALIBRATED},
	{"online", TRACE_VP_CALIBRATED, TRACE_VP_ONLINE},
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

bool guest_stage_span(const struct vp_view *v, const struct guest_stage *s, uint64_t *from_tsc,
		      uint64_t *to_tsc)
{
	uint64_t from = v->mark[s->from], to = v->mark[s->to];

	if (from == 0 || to == 0 || to < from)
		return false;
	*from_tsc = from;
	*to_tsc = to;
	return true;
}

const char *guest_smp_name(uint32_t smp)
{
	switch (smp) {
	case TRACE_SMP_SERIAL:
		return "serial";
	case TRACE_SMP_FULL:
		return "full";
	default:
		return NULL;
	}
}

const char *guest_lpj_name(uint32_t lpj)
{
	switch (lpj) {
	case TRACE_LPJ_CALIBRATE:
		return "calibrate";
	case TRACE_LPJ_FINE:
		return "fine";
	case TRACE_LPJ_PRESET:
		return "preset";
	default:
		return NULL;
	}
}
