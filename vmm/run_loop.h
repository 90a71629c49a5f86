/* SPDX-License-Identifier: MIT */
/* What the main thread does while the VPs run: console input, timeout, signals, the end. */
#ifndef VPUP_VMM_RUN_LOOP_H
#define VPUP_VMM_RUN_LOOP_H

#include "vmm/err.h"
#include "vmm/machine.h"

/*
 * Blocks the signals that end a run (SIGINT, SIGTERM, SIGHUP, SIGQUIT) in this thread and those it
 * starts, ignores SIGPIPE, and returns a signalfd for them, or -errno with e set. Before any thread.
 */
int run_loop_signals(struct err *e);

/* Serves the running machine until its outcome is set. signal_fd is run_loop_signals()'s. */
void run_loop(struct machine *m, int signal_fd);

#endif
