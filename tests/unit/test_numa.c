/* SPDX-License-Identifier: MIT */
/* Unit tests of the split of RAM into nodes. */
#include <check.h>

#include "tests/unit/suites.h"
#include "tests/unit/suites.h"
#include "tests/unit/vm_fixture.h"
#include "vmm/numa.h"

#define MIB 0x100000ull
#define GIB 0x40000000ull

static const struct {
	uint64_t size_bytes;
	uint32_t nodes;
	size_t count;
	struct numa_range range[5];
} splits[] = {
	{512 * MIB, 1, 1, {{{0}, 512 * MIB, 0}}},
	{3 * GIB, 1, 1, {{{0}, 3 * GIB, 0}}},
	{4 * GIB, 1, 2, {{{0}, 3 * GIB, 0}, {{4 * GIB}, GIB, 0}}},
	{512 * MIB, 2, 2, {{{0}, 256 * MIB, 0}, {{256 * MIB}, 256 * MIB, 1}}},
	/* Thirds of 512 MiB are no multiples of 2 MiB; the last node takes what is left. */
	{512 * MIB,
	 3,
	 3,
	 {{{0}, 170 * MIB, 0}, {{170 * MIB}, 170 * MIB, 1}, {{340 * MIB}, 172 * MIB, 2}}},
	/* The hole stands inside node 1, then exactly between two nodes. */
	{4 * GIB, 2, 3, {{{0}, 2 * GIB, 0}, {{2 * GIB}, GIB, 1}, {{4 * GIB}, GIB, 1}}},
	{6 * GIB, 2, 2, {{{0}, 3 * GIB, 0}, {{4 * GIB}, 3 * GIB, 1}}},
	{6 * GIB,
	 4,
	 4,
	 {{{0}, 3 * GIB / 2, 0},
	  {{3 * GIB / 2}, 3 * GIB / 2, 1},
	  {{4 * GIB}, 3 * GIB / 2, 2},
	  {{11 * GIB / 2}, 3 * GIB / 2, 3}}},
	/* Less than a granule each: some nodes go without. */
	{4 * MIB, 4, 2, {{{0}, 2 * MIB, 1}, {{2 * MIB}, 2 * MIB, 3}}},
	{MIB, 2, 1, {{{0}, MIB, 1}}},
	{5 * MIB, 2, 2, {{{0}, 2 * MIB, 0}, {{2 * MIB}, 3 * MIB, 1}}},
};

START_TEST(splits_evenly)
{
	struct mem m = ram_of(splits[_i].size_bytes);
	struct numa_range r;
	struct numa_iter it;

	numa_iter_init(&it, &m, splits[_i].nodes);
	for (size_t i = 0; i < splits[_i].count; i++) {
		const struct numa_range *want = &splits[_i].range[i];

		ck_assert(numa_iter_next(&it, &r));
		ck_assert_uint_eq(r.base.v, want->base.v);
		ck_assert_uint_eq(r.size_bytes, want->size_bytes);
		ck_assert_uint_eq(r.node, want->node);
	}
	ck_assert(!numa_iter_next(&it, &r));
	ck_assert(!numa_iter_next(&it, &r));
}
END_TEST

/* Whatever the numbers, each byte of RAM is in one range, in order, and no other byte is. */
START_TEST(covers_all_ram_once)
{
	static const uint64_t sizes[] = {MIB, 7 * MIB, 3 * GIB - 4096, 3 * GIB + 4096,
					 1024 * GIB + 12288};
	static const uint32_t nodes[] = {1, 2, 3, 7, 64, 1024};

	for (size_t s = 0; s < 5; s++) {
		for (size_t n = 0; n < 6; n++) {
			struct mem m = ram_of(sizes[s]);
			uint64_t next = 0, sum = 0;
			size_t count = 0;
			struct numa_range r;
			struct numa_iter it;

			numa_iter_init(&it, &m, nodes[n]);
			while (numa_iter_next(&it, &r)) {
				if (next == LAYOUT_LOW_RAM_MAX)
					next = LAYOUT_HIGH_RAM_BASE;
				ck_assert_uint_eq(r.base.v, next);
				ck_assert_uint_gt(r.size_bytes, 0);
				next += r.size_bytes;
				sum += r.size_bytes;
				count++;
			}
			ck_assert_uint_eq(sum, sizes[s]);
			ck_assert_uint_eq(r.node, nodes[n] - 1);
			ck_assert_uint_le(count, numa_ranges_max(nodes[n]));
		}
	}
}
END_TEST

Suite *numa_suite(void)
{
	Suite *s = suite_create("numa");
	TCase *t = tcase_create("numa");

	tcase_add_loop_test(t, splits_evenly, 0, sizeof(splits) / sizeof(splits[0]));
	tcase_add_test(t, covers_all_ram_once);
	suite_add_tcase(s, t);
	return s;
}
