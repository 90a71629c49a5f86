/* SPDX-License-Identifier: MIT */
/* The table that `vpup run --counters` prints: what the guest touched, and how often. */
#ifndef VPUP_VMM_COUNTERS_H
#define VPUP_VMM_COUNTERS_H

#include <stdio.h>

#include "vmm/machine.h"

/* Exits of all VPs for one reason (below EXIT_REASONS). */
uint64_t counters_exits(const struct machine *m, uint32_t reason);

/*
 * Prints per port range, MMIO range, MSR, Hyper-V MSR, hypercall and exit reason; rows that were not
 * used are left out. Hints that follow from them stand below. m's VPs have stopped.
 */
void counters_print(struct machine *m, FILE *out);

#endif
