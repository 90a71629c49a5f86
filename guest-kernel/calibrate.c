/* SPDX-License-Identifier: MIT */
/* Delay loop calibration against the timer tick, for kernels that know no TSC frequency. */
#include "guest-kernel/calibrate.h"

#include "guest-kernel/cpu.h"

#include <stdbool.h>

#define CALIBRATE_TOLERANCE 8 /* 1/8: 12.5 % */

struct samples {
	uint64_t cycles_per_tick[CALIBRATE_ROUNDS];
	unsigned count;
};

/* A moment between two readings of the TSC. */
struct moment {
	uint64_t before;
	uint64_t after;
};

/* Spins until jiffies reaches `jiffy`. Returns false if that takes more than limit cycles. */
static bool wait_for_jiffy(const struct tick *t, uint64_t jiffy, uint64_t limit, struct moment *m)
{
	uint64_t start = cpu_rdtsc();

	m->before = start;
	m->after = start;
	while (tick_jiffies(t) < jiffy) {
		m->before = m->after;
		m->after = cpu_rdtsc();
		if (m->after - start > limit)
			return false;
	}
	m->after = cpu_rdtsc();
	return true;
}

/*
 * One interval of `ticks` ticks. The estimate lies between its bounds. It is no good where these
 * are too far apart, as when the VP did not run around one of its ends. Returns false if no tick
 * comes.
 */
static bool measure(const struct tick *t, uint64_t ticks, uint64_t limit, uint64_t *estimate,
		    bool *good)
{
	uint64_t first = tick_jiffies(t) + 2, least, most;
	struct moment start, end;

	if (!wait_for_jiffy(t, first, 2 * limit, &start) ||
	    !wait_for_jiffy(t, first + ticks, ticks * limit, &end))
		return false;
	most = end.after - start.before;
	least = end.before > start.after ? end.before - start.after : 0;
	*estimate = (least + most) / 2 / ticks;
	*good = most - least < most / CALIBRATE_TOLERANCE;
	return true;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The mean of the samples, and which of them is farthest from it. */
static uint64_t mean_of(const struct samples *s, unsigned *farthest)
{
	uint64_t sum = 0, mean;
	unsigned i;

	for (i = 0; i < s->count; i++)
		sum += s->cycles_per_tick[i];
	mean = sum / s->count;
	*farthest = 0;
	for (i = 1; i < s->count; i++) {
		if (distance(s->cycles_per_tick[i], mean) >
		    distance(s->cycles_per_tick[*farthest], mean))
			*farthest = i;
	}
	return mean;
}

static bool agree(const struct samples *s, uint64_t mean)
{
	uint64_t least = UINT64_MAX, most = 0;
	unsigned i;

	for (i = 0; i < s->count; i++) {
		if (s->cycles_per_tick[i] < least)
			least = s->cycles_per_tick[i];
		if (s->cycles_per_tick[i] > most)
			most = s->cycles_per_tick[i];
	}
	return most - least < mean / CALIBRATE_TOLERANCE;
}

/*
 * Drops the sample farthest from the mean until the others agree; one that is left alone is taken
 * as it is.
 */
static uint64_t settle(struct samples *s, uint32_t *dropped)
{
	unsigned farthest;
	uint64_t mean = mean_of(s, &farthest);

	while (s->count > 1 && !agree(s, mean)) {
		s->cycles_per_tick[farthest] = s->cycles_per_tick[--s->count];
		++*dropped;
		mean = mean_of(s, &farthest);
	}
	return mean;
}

struct calibration calibrate(const struct tick *t, uint32_t hz, uint64_t tsc_khz)
{
	uint64_t ticks = hz / 100 > 0 ? hz / 100 : 1;
	uint64_t limit = tsc_khz * 1000, estimate, smallest = UINT64_MAX;
	struct samples s = {.count = 0};
	struct calibration c = {.lpj = 0};
	bool good;
	int i;

	for (i = 0; i < CALIBRATE_ROUNDS; i++) {
		if (!measure(t, ticks, limit, &estimate, &good))
			return c;
		if (estimate < smallest)
			smallest = estimate;
		if (good)
			s.cycles_per_tick[s.count++] = estimate;
		else
			c.dropped++;
	}
	/* With no good interval at all the smallest is the one that was disturbed least. */
	c.lpj = s.count > 0 ? settle(&s, &c.dropped) : smallest;
	return c;
}
