/* SPDX-License-Identifier: MIT */
/* When a neighbour takes the processor from a VP: a schedule that follows from its seed. */
#include "vmm/steal.h"

#define GOLDEN_GAMMA 0x9e3779b97f4a7c15ull /* 2^64 over the golden ratio, odd */
#define MILLION      1000000u

enum draw { DRAW_LENGTH, DRAW_PLACE, DRAW_PHASE };

/*
 * The output function of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
 * Generators, 2014; constants of Stafford's variant 13): a bijection that mixes all bits.
 */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

uint64_t steal_random(uint64_t seed, uint32_t vp, uint64_t index, uint32_t draw)
{
	uint64_t x = mix(seed + GOLDEN_GAMMA);

	x = mix((x ^ vp) + GOLDEN_GAMMA);
	x = mix((x ^ index) + GOLDEN_GAMMA);
	return mix((x ^ draw) + GOLDEN_GAMMA);
}

/* The random number as one from 0 to limit. */
static uint64_t up_to(uint64_t limit, uint64_t random)
{
	return (uint64_t)((unsigned __int128)random * ((unsigned __int128)limit + 1) >> 64);
}

struct steal_interval steal_interval(const struct steal_spec *s, uint32_t vp, uint64_t index)
{
	uint64_t period = (uint64_t)s->period_ns, jitter = (uint64_t)s->jitter_ppm;
	uint64_t mean = period * (uint64_t)s->duty_ppm / MILLION;
	/* As much shorter as longer, so that the mean stays; never beyond 0 or the period. */
	uint64_t reach = (mean < period - mean ? mean : period - mean) * jitter / MILLION;
	uint64_t length =
		mean - reach + up_to(2 * reach, steal_random(s->seed, vp, index, DRAW_LENGTH));
	uint64_t slack = (period - length) * jitter / MILLION;
	uint64_t phase = up_to(period - 1, steal_random(s->seed, vp, 0, DRAW_PHASE));

	return (struct steal_interval){
		.begin_ns = index * period + phase +
			    up_to(slack, steal_random(s->seed, vp, index, DRAW_PLACE)),
		.length_ns = length,
	};
}
