/* SPDX-License-Identifier: MIT */
/* The options of `vpup run`. */
#ifndef VPUP_VMM_RUN_OPTIONS_H
#define VPUP_VMM_RUN_OPTIONS_H

#include "vmm/config.h"

/*
 * Fills cfg from the command line, defaults included. Returns 0 to go on; else *status is the exit
 * status: help was printed, or one line about what is wrong.
 */
int run_options_parse(struct vm_config *cfg, int argc, char **argv, int *status);

#endif
