/* SPDX-License-Identifier: MIT */
/* What an exit costs with nothing behind it: the least that any VMM on this KVM can do. */
#ifndef VPUP_VMM_BARE_EXIT_H
#define VPUP_VMM_BARE_EXIT_H

#include "vmm/err.h"

/*
 * Runs the bundled guest's loop of RDMSR in a VM of its own, in long mode as there, and answers
 * each exit with a constant. Sets *cycles to the TSC cycles of one, the median of as many batches
 * as the guest makes. Returns 0 or -errno with e set.
 */
int bare_exit_measure(double *cycles, struct err *e);

#endif
