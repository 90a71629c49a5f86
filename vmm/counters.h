/* SPDX-License-Identifier: MIT */
/* The table that `vpup run --counters` prints: what the guest touched, and how often. */
#ifndef VPUP_VMM_COUNTERS_H
#define VPUP_VMM_COUNTERS_H

#include <stdio.h>

#include "vmm/machine.h"

/* Prints per port range, MMIO range, MSR and Hyper-V MSR; rows that were not used are left out. */
void counters_print(const struct machine *m, FILE *out);

#endif
