/* SPDX-License-Identifier: MIT */
/* Unit tests of what measure=exits comes down to: medians, tails, and pairs of batches. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/run_fixture.h"
#include "tests/unit/suites.h"
#include "vmm/metrics.h"

/* At 1000 kHz a cycle is a microsecond. */
static void init(struct run_record *r, const struct trace_cost *costs, size_t count)
{
	run_fixture_init(r, 1);
	r->guest.cost = calloc(count, sizeof(*costs));
	ck_assert_ptr_nonnull(r->guest.cost);
	memcpy(r->guest.cost, costs, count * sizeof(*costs));
	r->guest.cost_count = count;
}

static void add_bare(struct run_record *r, uint64_t cycles, uint32_t operations)
{
	r->bare.batch[r->bare.count].tsc_cycles = cycles;
	r->bare.batch[r->bare.count++].operations = operations;
}

START_TEST(test_medians)
{
	static const struct trace_cost costs[] = {
		{TRACE_COST_MSR_READ, 10, 120}, {TRACE_COST_PORT_OUT, 4, 8},
		{TRACE_COST_MSR_READ, 10, 900}, {TRACE_COST_MSR_READ, 10, 110},
		{TRACE_COST_PORT_OUT, 4, 16},   {TRACE_COST_MSR_WRITE, 0, 5},
		{UINT32_MAX, 1, UINT64_MAX},    {TRACE_COST_IPI_LAPIC, 2, 10},
	};
	struct run_record r;
	struct metrics m;

	init(&r, costs, sizeof(costs) / sizeof(costs[0]));
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_COST_MSR_READ_US, 12); /* of 11, 12 and 90 */
	run_fixture_check(&m, METRIC_COST_PORT_OUT_US, 3);  /* between 2 and 4 */
	run_fixture_check(&m, METRIC_COST_IPI_LAPIC_US, 5);
	ck_assert(!m.have[METRIC_COST_MSR_WRITE_US] && !m.have[METRIC_COST_HYPERCALL_US]);
	ck_assert(!m.have[METRIC_COST_BARE_MSR_US] && !m.have[METRIC_COST_MSR_OVER_BARE]);
	r.guest.complete = false;
	m = run_fixture_metrics(&r);
	ck_assert(!m.have[METRIC_COST_MSR_READ_US]);
	run_fixture_fini(&r);
}
END_TEST

/* A host that slows down tenfold between two rounds does so for both of a pair. */
START_TEST(test_pairs)
{
	static const struct trace_cost costs[] = {
		{TRACE_COST_MSR_READ, 10, 110},
		{TRACE_COST_MSR_READ, 10, 1100},
		{TRACE_COST_MSR_READ, 10, 2000},
	};
	struct run_record r;
	struct metrics m;

	init(&r, costs, sizeof(costs) / sizeof(costs[0]));
	add_bare(&r, 90, 10);
	add_bare(&r, 110, 10);
	add_bare(&r, 500, 5);
	add_bare(&r, 1000, 10);
	add_bare(&r, 1000, 10);
	add_bare(&r, 1000, 10);
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_COST_MSR_OVER_BARE, 1.1); /* of 1.1, 1.1 and 2 */
	run_fixture_check(&m, METRIC_COST_BARE_MSR_US, 100);
	r.bare.count--; /* a batch is missing: nobody knows which belongs to which */
	m = run_fixture_metrics(&r);
	ck_assert(m.have[METRIC_COST_BARE_MSR_US] && !m.have[METRIC_COST_MSR_OVER_BARE]);
	run_fixture_fini(&r);
}
END_TEST

/* A guest can have bare exits made without measuring anything itself. */
START_TEST(test_bare_alone)
{
	struct run_record r;
	struct metrics m;

	run_fixture_init(&r, 1);
	add_bare(&r, 80, 10);
	m = run_fixture_metrics(&r);
	ck_assert(!m.have[METRIC_COST_BARE_MSR_US]);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_timers)
{
	struct trace_cost costs[101];
	struct run_record r;
	struct metrics m;

	for (unsigned i = 0; i < 101; i++)
		costs[i] = (struct trace_cost){TRACE_COST_TIMER_DIRECT_LATE, 1, 100 - i};
	init(&r, costs, 101);
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_TIMER_DIRECT_LATE_US, 50);
	run_fixture_check(&m, METRIC_TIMER_DIRECT_LATE_P99_US, 99);
	ck_assert(!m.have[METRIC_TIMER_MESSAGE_LATE_US]);
	run_fixture_fini(&r);
}
END_TEST

Suite *costs_suite(void)
{
	Suite *s = suite_create("costs");
	TCase *c = tcase_create("costs");

	tcase_add_test(c, test_medians);
	tcase_add_test(c, test_pairs);
	tcase_add_test(c, test_bare_alone);
	tcase_add_test(c, test_timers);
	suite_add_tcase(s, c);
	return s;
}
