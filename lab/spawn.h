/* SPDX-License-Identifier: MIT */
/* Short-lived helper programs: run to their end, their output taken as a whole. */
#ifndef VPUP_LAB_SPAWN_H
#define VPUP_LAB_SPAWN_H

#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"

/*
 * Runs argv[0] (looked up in PATH) with /dev/null as stdin, to its end. *out is its stdout,
 * malloc'ed, with a NUL behind it. Returns 0; -ENOENT if there is no such program, -EIO if it
 * failed, with its last line of stderr in e; or -errno with e set.
 */
int spawn_output(char *const *argv, char **out, size_t *out_bytes, struct err *e);

#endif
