/* SPDX-License-Identifier: MIT */
/* What the guest's measure=exits found, beside bare exits. */
#include "vmm/metrics_costs.h"

#include <errno.h>
#include <stdlib.h>

/* Which batches make which metric: their median, or another quantile of them. */
static const struct {
	enum metric id;
	enum trace_cost_id what;
	double quantile;
} costs[] = {
	{METRIC_COST_MSR_READ_US, TRACE_COST_MSR_READ, 0.5},
	{METRIC_COST_MSR_WRITE_US, TRACE_COST_MSR_WRITE, 0.5},
	{METRIC_COST_PORT_OUT_US, TRACE_COST_PORT_OUT, 0.5},
	{METRIC_COST_DEBUGCON_OUT_US, TRACE_COST_DEBUGCON_OUT, 0.5},
	{METRIC_COST_HYPERCALL_UNKNOWN_US, TRACE_COST_HYPERCALL_UNKNOWN, 0.5},
	{METRIC_COST_HYPERCALL_US, TRACE_COST_HYPERCALL, 0.5},
	{METRIC_COST_IPI_LAPIC_US, TRACE_COST_IPI_LAPIC, 0.5},
	{METRIC_COST_IPI_HYPERCALL_US, TRACE_COST_IPI_HYPERCALL, 0.5},
	{METRIC_COST_MESSAGE_US, TRACE_COST_MESSAGE, 0.5},
	{METRIC_COST_ECHO_US, TRACE_COST_ECHO, 0.5},
	{METRIC_TIMER_DIRECT_LATE_US, TRACE_COST_TIMER_DIRECT_LATE, 0.5},
	{METRIC_TIMER_DIRECT_LATE_P99_US, TRACE_COST_TIMER_DIRECT_LATE, 0.99},
	{METRIC_TIMER_MESSAGE_LATE_US, TRACE_COST_TIMER_MESSAGE_LATE, 0.5},
	{METRIC_TIMER_MESSAGE_LATE_P99_US, TRACE_COST_TIMER_MESSAGE_LATE, 0.99},
};

/* Cycles of one operation in each of the batches of a kind. Returns how many there are. */
static size_t collect(const struct run_record *r, enum trace_cost_id what, double *cycles)
{
	size_t n = 0;

	for (size_t i = 0; i < r->guest.cost_count; i++) {
		const struct trace_cost *c = &r->guest.cost[i];

		if (c->what == what && c->operations)
			cycles[n++] = (double)c->tsc_cycles / c->operations;
	}
	return n;
}

static void set(struct metrics *m, enum metric id, double value)
{
	m->have[id] = true;
	m->value[id] = value;
}

static double bare_cycles(const struct bare_batches *b, uint32_t i)
{
	return (double)b->batch[i].tsc_cycles / b->batch[i].operations;
}

/*
 * Each of the guest's batches stood between two of bare exits, which are what it is held against, as
 * the host's pace changes. room is for as many values as there are batches of either.
 */
static void set_bare(struct metrics *m, const struct run_record *r, double *room)
{
	const struct bare_batches *b = &r->bare;
	size_t n;

	for (uint32_t i = 0; i < b->count; i++)
		room[i] = bare_cycles(b, i);
	if (b->count)
		set(m, METRIC_COST_BARE_MSR_US,
		    metrics_quantile(room, b->count, 0.5) * 1000 / (double)r->tsc_khz);
	n = collect(r, TRACE_COST_MSR_READ, room);
	if (n == 0 || b->count != 2 * n)
		return;
	for (uint32_t i = 0; i < n; i++)
		room[i] *= 2 / (bare_cycles(b, 2 * i) + bare_cycles(b, 2 * i + 1));
	set(m, METRIC_COST_MSR_OVER_BARE, metrics_quantile(room, n, 0.5));
}

int metrics_costs(struct metrics *m, const struct run_record *r)
{
	double *room;

	if (r->guest.cost_count == 0 || r->tsc_khz == 0)
		return 0;
	room = calloc(r->guest.cost_count + BARE_BATCHES_MAX, sizeof(*room));
	if (!room)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		size_t n = collect(r, costs[i].what, room);

		if (n)
			set(m, costs[i].id,
			    metrics_quantile(room, n, costs[i].quantile) * 1000 /
				    (double)r->tsc_khz);
	}
	set_bare(m, r, room);
	free(room);
	return 0;
}
