/* SPDX-License-Identifier: MIT */
/* Signals that end a command which has children to end first. */
#ifndef VPUP_BENCH_STOP_H
#define VPUP_BENCH_STOP_H

#include <signal.h>

#include "vmm/err.h"

struct stop {
	sigset_t signals; /* SIGINT, SIGTERM, SIGHUP: blocked, and read from fd */
	int fd;           /* a signalfd; -1: not open */
};

/* Blocks the signals and opens fd. Returns 0, or -errno with e set. */
int stop_open(struct stop *s, struct err *e);
void stop_close(struct stop *s);

/*
 * Ends as the signal that made fd readable would have ended us, so that a shell's loop around us
 * ends too. Returns if there is none.
 */
void stop_die(struct stop *s);

#endif
