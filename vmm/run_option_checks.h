/* SPDX-License-Identifier: MIT */
/* What options of `vpup run` ask of one another. */
#ifndef VPUP_VMM_RUN_OPTION_CHECKS_H
#define VPUP_VMM_RUN_OPTION_CHECKS_H

#include "vmm/config.h"

/* Do all that were given go together? 0, or VPUP_EXIT_USAGE with a line printed. */
int run_options_check(const struct vm_config *cfg);

/* Sets what follows from others: the time that a faulty run has, and a stdout that is a result's alone. */
void run_options_complete(struct vm_config *cfg);

#endif
