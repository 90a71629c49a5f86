/* SPDX-License-Identifier: MIT */
/* The metrics of a run with a Linux guest, from what it logged. */
#ifndef VPUP_VMM_METRICS_LINUX_H
#define VPUP_VMM_METRICS_LINUX_H

#include "vmm/metrics.h"

/*
 * Sets METRIC_SMP_BRINGUP_MS by the stamps of Linux's own log, and the METRIC_LPJ_ ones where
 * /proc/cpuinfo was read, to within the rounding of its BogoMIPS. Nothing without such a log.
 */
void metrics_linux(struct metrics *m, const struct run_record *r);

#endif
