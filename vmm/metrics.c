/* SPDX-License-Identifier: MIT */
/* Computes a run's metrics from its record. */
#include "vmm/metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/metrics_costs.h"
#include "vmm/metrics_linux.h"
#include "vmm/metrics_startup.h"
#include "vmm/quantile.h"

struct span {
	uint64_t from_tsc;
	uint64_t to_tsc;
};

static const struct {
	const char *name;
	const char *unit;
} metric_defs[METRIC_COUNT] = {
#define METRIC_DEF(id, name, unit) {name, unit},
	METRICS_X(METRIC_DEF)
#undef METRIC_DEF
};

const char *metric_name(enum metric id)
{
	return metric_defs[id].name;
}

const char *metric_unit(const char *name)
{
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		if (strcmp(metric_defs[i].name, name) == 0)
			return metric_defs[i].unit;
	}
	return "";
}

/* A time between two stamps, if both are there and in order. */
static void metric_set_ms(struct metrics *m, enum metric id, const struct run_record *r,
			  uint64_t from_tsc, uint64_t to_tsc)
{
	if (r->tsc_khz && from_tsc && to_tsc >= from_tsc)
		metric_set(m, id, run_ms(r, from_tsc, to_tsc));
}

uint64_t metrics_lpj_reference(const struct run_record *r)
{
	uint32_t hz = r->guest.have_info ? r->guest.info.hz : 0;

	if (hz == 0 || r->tsc_khz > UINT64_MAX / 1000)
		return 0;
	return r->tsc_khz * 1000 / hz;
}

uint64_t metrics_all_online_tsc(const struct run_record *r)
{
	const uint64_t logged_tsc = r->klog.mark[KLOG_SMP_END].host_tsc;
	uint64_t tsc;

	if (logged_tsc)
		return logged_tsc;
	if (!r->guest.complete || !r->guest.have_info || r->guest.info.smp_end_tsc == 0)
		return 0;
	tsc = run_host_tsc(r, r->guest.info.smp_end_tsc);
	return tsc >= r->start_tsc && tsc <= r->end_tsc ? tsc : 0;
}

static int span_compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->from_tsc > y->from_tsc) - (x->from_tsc < y->from_tsc);
}

/* Length of the union of the spans, in cycles. Sorts them. */
static uint64_t spans_union(struct span *span, size_t count)
{
	uint64_t total = 0, covered_to = 0;

	qsort(span, count, sizeof(*span), span_compare);
	for (size_t i = 0; i < count; i++) {
		uint64_t from = span[i].from_tsc > covered_to ? span[i].from_tsc : covered_to;

		if (span[i].to_tsc <= from)
			continue;
		total += span[i].to_tsc - from;
		covered_to = span[i].to_tsc;
	}
	return total;
}

/* Metrics of one stage from the spans that VPs were in it, of which there is at least one. */
static void metrics_stage(struct metrics *m, const struct run_record *r, enum guest_stage stage,
			  struct span *span, size_t count)
{
	static const struct {
		enum metric ms, sum_ms, span_ms;
	} ids[GUEST_STAGES] = {
#define STAGE_METRIC_IDS(id, name, from, to)                                      \
	[GUEST_STAGE_##id] = {METRIC_STAGE_##id##_MS, METRIC_STAGE_##id##_SUM_MS, \
			      METRIC_STAGE_##id##_SPAN_MS},
		GUEST_STAGES_X(STAGE_METRIC_IDS)
#undef STAGE_METRIC_IDS
	};
	static const enum metric cycles_ids[] = {METRIC_STAGE_KICK_CYCLES, METRIC_STAGE_INIT_CYCLES,
						 METRIC_STAGE_CALIBRATE_CYCLES,
						 METRIC_STAGE_ONLINE_CYCLES};
	double sum = 0, in_stage = (double)spans_union(span, count), khz = (double)r->tsc_khz;
	uint64_t last_tsc = 0;

	for (size_t i = 0; i < count; i++) {
		sum += (double)(span[i].to_tsc - span[i].from_tsc);
		if (span[i].to_tsc > last_tsc)
			last_tsc = span[i].to_tsc;
	}
	metric_set(m, ids[stage].ms, in_stage / khz);
	metric_set(m, ids[stage].sum_ms, sum / khz);
	metric_set(m, ids[stage].span_ms, (double)(last_tsc - span[0].from_tsc) / khz);
	if (stage < sizeof(cycles_ids) / sizeof(cycles_ids[0]))
		metric_set(m, cycles_ids[stage], in_stage);
}

/* The boot VP is left out: it was up before bring-up began. */
static int metrics_stages(struct metrics *m, const struct run_record *r, const struct vp_view *view)
{
	struct span *span;

	if (!view || r->vps < 2 || r->tsc_khz == 0)
		return 0;
	span = calloc(r->vps, sizeof(*span));
	if (!span)
		return -ENOMEM;
	for (int s = 0; s < GUEST_STAGES; s++) {
		size_t count = 0;

		for (uint32_t i = 1; i < r->vps; i++)
			count += guest_stage_span(&view[i], (enum guest_stage)s,
						  &span[count].from_tsc, &span[count].to_tsc);
		if (count)
			metrics_stage(m, r, (enum guest_stage)s, span, count);
	}
	free(span);
	return 0;
}

static void metrics_lpj(struct metrics *m, const struct run_record *r, const struct vp_view *view)
{
	uint64_t reference = metrics_lpj_reference(r), min = UINT64_MAX, max = 0;
	double low, high;

	for (uint32_t i = 0; view && i < r->vps; i++) {
		uint64_t lpj = view[i].told && view[i].told->online ? view[i].told->lpj : 0;

		if (lpj && lpj < min)
			min = lpj;
		if (lpj > max)
			max = lpj;
	}
	if (max == 0)
		return;
	metric_set(m, METRIC_LPJ_MIN, (double)min);
	metric_set(m, METRIC_LPJ_MAX, (double)max);
	if (reference == 0)
		return;
	low = fabs((double)min - (double)reference);
	high = fabs((double)max - (double)reference);
	metric_set(m, METRIC_LPJ_ERROR_PPM, fmax(low, high) * 1e6 / (double)reference);
}

double metrics_quantile(double *value, size_t n, double q)
{
	quantile_sort(value, n);
	return quantile(value, n, q);
}

double metrics_median(double *value, size_t n)
{
	return metrics_quantile(value, n, 0.5);
}

/* SynICs: from the first to the last, the boot VP's among them, and what one takes. */
static int metrics_synic(struct metrics *m, const struct run_record *r, const struct vp_view *view)
{
	const struct trace_info *info = &r->guest.info;
	double *us, khz = (double)r->tsc_khz;
	size_t n = 0;

	metric_set_ms(m, METRIC_SYNIC_INIT_MS, r, info->synic_begin_tsc, info->synic_end_tsc);
	if (!view || r->tsc_khz == 0)
		return 0;
	us = calloc(r->vps, sizeof(*us));
	if (!us)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->vps; i++) {
		uint64_t from = view[i].mark[TRACE_VP_SYNIC], to = view[i].mark[TRACE_VP_SYNIC_END];

		if (from && to >= from)
			us[n++] = (double)(to - from) * 1000 / khz;
	}
	if (n) {
		metric_set(m, METRIC_SYNIC_VP_US, metrics_median(us, n));
		metric_set(m, METRIC_SYNIC_VP_MAX_US, us[n - 1]);
	}
	free(us);
	return 0;
}

/* How many VPs measured their lpj. */
static void metrics_calibrations(struct metrics *m, const struct run_record *r,
				 const struct vp_view *view)
{
	uint32_t n = 0;

	for (uint32_t i = 0; view && i < r->vps; i++)
		n += view[i].told && view[i].told->flags & TRACE_VP_MEASURED_LPJ;
	metric_set(m, METRIC_CALIBRATIONS, n);
}

/* What --noise did, all VPs together. */
static void metrics_noise(struct metrics *m, const struct run_record *r)
{
	uint64_t cycles = 0;

	for (uint32_t i = 0; r->stolen && i < r->vps; i++)
		cycles += r->stolen[i].stolen_cycles;
	if (r->stolen && r->tsc_khz)
		metric_set(m, METRIC_STOLEN_MS, (double)cycles / (double)r->tsc_khz);
	if (r->neighbour_ns)
		metric_set(m, METRIC_NEIGHBOUR_CPU_MS, (double)r->neighbour_ns / 1e6);
}

int metrics_compute(struct metrics *m, const struct run_record *r, const struct vp_view *view)
{
	const struct trace_info *info = &r->guest.info;
	uint64_t exits = 0;

	*m = (struct metrics){0};
	metric_set_ms(m, METRIC_STARTUP_MS, r, r->start_tsc, metrics_all_online_tsc(r));
	metric_set_ms(m, METRIC_CREATE_MS, r, r->start_tsc, r->vps_created_tsc);
	metrics_startup(m, r);
	for (uint32_t i = 0; r->vp && i < r->vps; i++)
		exits += r->vp[i].exits;
	if (exits)
		metric_set(m, METRIC_EXITS, (double)exits);
	if (r->rss_kib)
		metric_set(m, METRIC_RSS_KIB, (double)r->rss_kib);
	if (r->mark_ms > 0)
		metric_set(m, METRIC_MARK_MS, r->mark_ms);
	metrics_noise(m, r);
	metrics_linux(m, r);
	if (!r->guest.complete || !r->guest.have_info)
		return 0;
	metric_set_ms(m, METRIC_SMP_BRINGUP_MS, r, info->smp_begin_tsc, info->smp_end_tsc);
	metrics_lpj(m, r, view);
	metrics_calibrations(m, r, view);
	if (metrics_costs(m, r) || metrics_synic(m, r, view))
		return -ENOMEM;
	return metrics_stages(m, r, view);
}
