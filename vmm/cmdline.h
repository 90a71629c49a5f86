/* SPDX-License-Identifier: MIT */
/* The guest's command line: what was asked for, and what vpup adds to it. */
#ifndef VPUP_VMM_CMDLINE_H
#define VPUP_VMM_CMDLINE_H

#include <stdint.h>

#include "vmm/config.h"
#include "vmm/err.h"

/*
 * Returns cfg->append with what cfg->lpj asks for, malloc'ed; NULL with e set when out of memory.
 * hz is the kernel's, where LPJ_AUTO needs it; tsc_khz the guest's TSC frequency.
 */
char *cmdline_build(const struct vm_config *cfg, unsigned hz, uint64_t tsc_khz, struct err *e);

/* Loops per jiffy of a delay loop that counts TSC cycles. */
uint64_t cmdline_lpj(uint64_t tsc_khz, unsigned hz);

#endif
