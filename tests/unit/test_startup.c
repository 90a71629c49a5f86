/* SPDX-License-Identifier: MIT */
/* Unit tests of the start-up's split: steps that add up, stamps that are missing, and the floor. */
#include <check.h>
#include <stdlib.h>

#include "tests/unit/run_fixture.h"
#include "tests/unit/suites.h"
#include "vmm/metrics.h"

#define STEPS 11

static const enum metric steps[STEPS] = {
	METRIC_STARTUP_OPEN_MS,    METRIC_STARTUP_VM_MS,      METRIC_STARTUP_MEMORY_MS,
	METRIC_STARTUP_IRQCHIP_MS, METRIC_STARTUP_DEVICES_MS, METRIC_STARTUP_LOAD_MS,
	METRIC_STARTUP_VPS_MS,     METRIC_STARTUP_THREAD_MS,  METRIC_STARTUP_ENTRY_MS,
	METRIC_STARTUP_GUEST_MS,   METRIC_STARTUP_BRINGUP_MS,
};

/* The fixture's VPs have threads at 6 ms, the first entry at 7; SMP begins at 100, ends at 110. */
static void init(struct run_record *r)
{
	const uint64_t ms = RUN_FIXTURE_TSC_KHZ;

	run_fixture_init(r, 2);
	r->opened_tsc = r->start_tsc + ms;
	r->vm_tsc = r->start_tsc + 3 * ms / 2;
	r->memory_tsc = r->vm_tsc;
	r->vm_created_tsc = r->start_tsc + 2 * ms;
	r->devices_tsc = r->start_tsc + 5 * ms / 2;
	r->loaded_tsc = r->start_tsc + 3 * ms;
	r->vps_created_tsc = r->start_tsc + 4 * ms;
}

static unsigned count_steps(const struct metrics *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < STEPS; i++)
		n += m->have[steps[i]];
	return n;
}

START_TEST(test_sum)
{
	struct run_record r;
	struct metrics m;
	double sum = 0;

	init(&r);
	m = run_fixture_metrics(&r);
	ck_assert_uint_eq(count_steps(&m), STEPS);
	for (unsigned i = 0; i < STEPS; i++)
		sum += m.value[steps[i]];
	run_fixture_check(&m, METRIC_STARTUP_MS, sum);
	run_fixture_check(&m, METRIC_STARTUP_OPEN_MS, 1);
	run_fixture_check(&m, METRIC_STARTUP_MEMORY_MS, 0);
	run_fixture_check(&m, METRIC_STARTUP_THREAD_MS, 2);
	run_fixture_check(&m, METRIC_STARTUP_ENTRY_MS, 1);
	run_fixture_check(&m, METRIC_STARTUP_GUEST_MS, 93);
	run_fixture_check(&m, METRIC_STARTUP_BRINGUP_MS, 10);
	run_fixture_check(&m, METRIC_STARTUP_HOST_MS, 7);
	run_fixture_check(&m, METRIC_STARTUP_ALL_THREADS_MS, 2);
	ck_assert(!m.have[METRIC_STARTUP_FLOOR_MS] && !m.have[METRIC_STARTUP_EXEC_CPU_MS]);
	run_fixture_fini(&r);
}
END_TEST

/* A kernel that tells nothing has the host's steps. */
START_TEST(test_other_guest)
{
	struct run_record r;
	struct metrics m;

	init(&r);
	r.guest.complete = false;
	m = run_fixture_metrics(&r);
	ck_assert_uint_eq(count_steps(&m), STEPS - 2);
	run_fixture_check(&m, METRIC_STARTUP_HOST_MS, 7);
	ck_assert(!m.have[METRIC_STARTUP_GUEST_MS]);
	run_fixture_fini(&r);
}
END_TEST

/* A guest that claims to have begun before it ran, and stamps that are missing or out of order. */
START_TEST(test_no_order)
{
	struct run_record r;
	struct metrics m;

	init(&r);
	r.guest.info.smp_begin_tsc = run_fixture_guest_tsc(6);
	m = run_fixture_metrics(&r);
	ck_assert_uint_eq(count_steps(&m), STEPS - 2);
	r.guest.info.smp_begin_tsc = run_fixture_guest_tsc(100);
	r.memory_tsc = 0;
	m = run_fixture_metrics(&r);
	ck_assert_uint_eq(count_steps(&m), 0);
	ck_assert(!m.have[METRIC_STARTUP_HOST_MS]);
	r.memory_tsc = r.vm_tsc - 1;
	m = run_fixture_metrics(&r);
	ck_assert_uint_eq(count_steps(&m), 0);
	r.vp[1].thread_tsc = 0;
	m = run_fixture_metrics(&r);
	ck_assert(!m.have[METRIC_STARTUP_ALL_THREADS_MS]);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_floor)
{
	struct run_record r;
	struct metrics m;

	init(&r);
	r.floor = (struct bare_startup){.entry_cycles = 2 * RUN_FIXTURE_TSC_KHZ,
					.online_cycles = 11 * RUN_FIXTURE_TSC_KHZ};
	r.exec_cpu_ns = 1500000;
	m = run_fixture_metrics(&r);
	run_fixture_check(&m, METRIC_STARTUP_FLOOR_MS, 11);
	run_fixture_check(&m, METRIC_STARTUP_FLOOR_HOST_MS, 2);
	run_fixture_check(&m, METRIC_STARTUP_OVER_FLOOR, 10);
	run_fixture_check(&m, METRIC_STARTUP_HOST_OVER_FLOOR, 3.5);
	run_fixture_check(&m, METRIC_STARTUP_EXEC_CPU_MS, 1.5);
	r.guest.complete = false;
	m = run_fixture_metrics(&r);
	ck_assert(m.have[METRIC_STARTUP_FLOOR_MS] && !m.have[METRIC_STARTUP_OVER_FLOOR]);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_no_clock)
{
	struct run_record r;
	struct metrics m;

	init(&r);
	r.tsc_khz = 0;
	m = run_fixture_metrics(&r);
	ck_assert_uint_eq(count_steps(&m), 0);
	run_fixture_fini(&r);
}
END_TEST

Suite *startup_suite(void)
{
	Suite *s = suite_create("startup");
	TCase *c = tcase_create("startup");

	tcase_add_test(c, test_sum);
	tcase_add_test(c, test_other_guest);
	tcase_add_test(c, test_no_order);
	tcase_add_test(c, test_floor);
	tcase_add_test(c, test_no_clock);
	suite_add_tcase(s, c);
	return s;
}
