/* SPDX-License-Identifier: MIT */
/* How many files the process may have open: each VP is one, and a default soft limit is 1024. */
#ifndef VPUP_VMM_FD_LIMIT_H
#define VPUP_VMM_FD_LIMIT_H

#include <stdint.h>

#include "vmm/err.h"

/* Raises the soft limit, if need be, to `files`. Returns 0 or -errno with e saying what to do. */
int fd_limit_raise(uint64_t files, struct err *e);

#endif
