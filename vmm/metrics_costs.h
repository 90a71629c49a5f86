/* SPDX-License-Identifier: MIT */
/* What the guest's measure=exits found, beside bare exits. */
#ifndef VPUP_VMM_METRICS_COSTS_H
#define VPUP_VMM_METRICS_COSTS_H

#include "vmm/metrics.h"

/* Sets the cost.* and timer.* metrics. Returns 0 or -ENOMEM. */
int metrics_costs(struct metrics *m, const struct run_record *r);

#endif
