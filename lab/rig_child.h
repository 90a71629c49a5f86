/* SPDX-License-Identifier: MIT */
/* The engine's process: its start, its pipes, its end. */
#ifndef VPUP_LAB_RIG_CHILD_H
#define VPUP_LAB_RIG_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "lab/rig.h"
#include "vmm/err.h"

struct rig_child {
	pid_t pid;
	int log_fd, channel_fd, err_fd; /* to read from; -1: closed */
	int wait_status;                /* once it has been ended */
};

/*
 * Starts the engine in a process group of its own, which ends when we do, however we do. Returns 0;
 * -ENOENT if the program is missing, or another -errno, with e set.
 */
int rig_child_start(struct rig_child *c, const struct rig *r, struct err *e);

/* Has it ended by itself? It stays to be reaped, so that its ID stays its own. */
bool rig_child_has_ended(const struct rig_child *c);

/* Ends what is left of the group, and reaps the child. */
void rig_child_end(struct rig_child *c);

#endif
