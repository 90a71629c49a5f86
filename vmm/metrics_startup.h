/* SPDX-License-Identifier: MIT */
/* The way from the start of vpup to the last VP online, step by step. */
#ifndef VPUP_VMM_METRICS_STARTUP_H
#define VPUP_VMM_METRICS_STARTUP_H

#include "vmm/metrics.h"

/*
 * Sets the startup.* metrics, after METRIC_STARTUP_MS was. Steps follow each other without a gap, so
 * that all of them together are startup_ms. If one was not stamped there are none.
 */
void metrics_startup(struct metrics *m, const struct run_record *r);

#endif
