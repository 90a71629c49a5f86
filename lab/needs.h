/* SPDX-License-Identifier: MIT */
/* What COMMAND needs in L1 beside the files that its words name. */
#ifndef VPUP_LAB_NEEDS_H
#define VPUP_LAB_NEEDS_H

#include "lab/files.h"
#include "vmm/err.h"

/*
 * Adds it: the kernels that lab:VERSION stands for, in COMMAND's words or in a scenario that they name, with the
 * modules for vpup's devices; the programs of --exec; the libraries and the daemon that vpup's options call
 * for. What this host does not have is left out: vpup in L1 will say so. Returns 0, or -errno with e
 * set.
 */
int needs_add(struct files *f, char *const *command, struct err *e);

#endif
