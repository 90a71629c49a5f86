/* SPDX-License-Identifier: MIT */
/* A made-up run for the tests of what is made of runs. */
#ifndef VPUP_TESTS_UNIT_RUN_FIXTURE_H
#define VPUP_TESTS_UNIT_RUN_FIXTURE_H

#include "vmm/metrics.h"
#include "vmm/run_record.h"

/* At 1000 kHz a cycle is a microsecond. */
#define RUN_FIXTURE_TSC_KHZ 1000
#define RUN_FIXTURE_START   1000000u
#define RUN_FIXTURE_OFFSET  (UINT64_MAX - 499999) /* the guest's clock is 500 ms behind */

/*
 * vps VPs, brought up one after the other from 100 ms on, 10 ms each: kicked at 0, started at 1,
 * initialised at 3, calibrating from 3 to 8, online at 9. Clocks are as above; lpj is 4000 at
 * 250 Hz, which is right. r is for run_fixture_fini().
 */
void run_fixture_init(struct run_record *r, uint32_t vps);
void run_fixture_fini(struct run_record *r);

/* Guest TSC of a time in ms since the start of the run. */
uint64_t run_fixture_guest_tsc(double ms);

/* One more event, at a time in ms since the start of the run. There is room for 8 of a VP. */
void run_fixture_add_event(struct run_record *r, uint32_t vp, uint16_t event, double ms);

/* The first event of this kind and VP. */
struct trace_event *run_fixture_event(struct run_record *r, uint32_t vp, uint16_t event);

/* The run's metrics. */
struct metrics run_fixture_metrics(const struct run_record *r);

/* Fails unless the metric is there and has this value, but for rounding. */
void run_fixture_check(const struct metrics *m, enum metric id, double value);

#endif
