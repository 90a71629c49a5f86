/* SPDX-License-Identifier: MIT */
/* What a run's counters say about the guest: things that cost it time, and what to do about them. */
#ifndef VPUP_VMM_HINTS_H
#define VPUP_VMM_HINTS_H

#include <stdio.h>

#include "vmm/machine.h"

/* Prints a line for each that applies, or nothing. m's VPs have stopped. */
void hints_print(const struct machine *m, FILE *out);

#endif
