/* SPDX-License-Identifier: MIT */
/* The directory in which vpup was started, for the command of --exec. */
#ifndef VPUP_VMM_EXEC_SHARE_H
#define VPUP_VMM_EXEC_SHARE_H

#include "vmm/config.h"
#include "vmm/err.h"

/*
 * Adds this directory to the shares of a run with --exec, read-only, where --share-cwd or what this
 * host can do says so. Returns 0; 1 with e saying why it was left out; or -errno with e set where it was
 * asked for and can't be. cfg->cwd is set where it was added: malloc'ed, as is its share.
 */
int exec_share_add(struct vm_config *cfg, struct err *e);

/* Frees what exec_share_add() added. */
void exec_share_fini(struct vm_config *cfg);

#endif
