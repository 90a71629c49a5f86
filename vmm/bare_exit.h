/* SPDX-License-Identifier: MIT */
/* What an exit costs with nothing behind it: the least that any VMM on this KVM can do. */
#ifndef VPUP_VMM_BARE_EXIT_H
#define VPUP_VMM_BARE_EXIT_H

#include <stdint.h>

#include "vmm/err.h"

/* A VM of one VP that runs the bundled guest's loop of RDMSR, in long mode as there. */
struct bare_exit;

/* Makes it. Returns 0 or -errno with e set and *out NULL; *out is for bare_exit_close(). */
int bare_exit_open(struct bare_exit **out, struct err *e);

/* NULL is harmless. */
void bare_exit_close(struct bare_exit *b);

/*
 * Answers `count` exits with a constant and sets *cycles to the TSC cycles that they took together,
 * after a few that are not counted. On any thread, one at a time. Returns 0 or -errno with e set.
 */
int bare_exit_batch(struct bare_exit *b, unsigned count, uint64_t *cycles, struct err *e);

#endif
