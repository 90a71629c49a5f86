/* SPDX-License-Identifier: MIT */
/* measure=exits: what it costs to leave the guest, by the reason for it. */
#ifndef VPUP_GUEST_MEASURE_H
#define VPUP_GUEST_MEASURE_H

#include <stdint.h>

#include "guest-kernel/abi/trace.h"
#include "guest-kernel/hypervisor.h"

#define MEASURE_KINDS      6 /* enum trace_cost_id */
#define MEASURE_BATCHES    32
#define MEASURE_OPERATIONS 64

struct measure {
	uint32_t batches;
	struct trace_cost batch[MEASURE_KINDS * MEASURE_BATCHES];
};

/*
 * Times batches of every kind in turn, so that a host that changes its pace does so for them all.
 * What this hypervisor has not is left out. Prints nothing.
 */
void measure_exits(struct measure *m, const struct hypervisor *h);

#endif
