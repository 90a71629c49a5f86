/* SPDX-License-Identifier: MIT */
/* Runs an engine with L1 in it, to the end of COMMAND: output live, files back, all ended. */
#ifndef VPUP_LAB_RIG_H
#define VPUP_LAB_RIG_H

#include <stddef.h>
#include <stdint.h>

#include "lab/engine.h"
#include "lab/words.h"
#include "vmm/err.h"

#define RIG_STOPPED   (-1)
#define RIG_MARKS_MAX 32

/* A step of L1 that has ended. */
struct rig_mark {
	char name[40];
	uint64_t l1_tsc;
	uint64_t host_tsc; /* when the host was told */
	double s;          /* from the engine's start until then */
};

struct rig_blob {
	const uint8_t *data;
	size_t size_bytes;
};

struct rig {
	const struct engine *engine;
	const struct engine_config *machine;
	struct rig_blob kernel, initrd;
	const struct words *words; /* what L1 may write */
	double timeout_s;          /* 0: none, but L1 must begin to run COMMAND some time */
	int stop_fd;               /* when readable, all is ended */
	const char *log_path;      /* where L1's log is kept: always; NULL: nowhere */
	const char *failure_log;   /* where it is kept only if L1 fails */

	/* Out. */
	uint64_t start_tsc; /* at the engine's start */
	uint64_t end_tsc;   /* when it had been ended */
	double run_s;       /* between these two */
	struct rig_mark mark[RIG_MARKS_MAX];
	size_t marks;
};

/*
 * Returns COMMAND's exit status (128 + n for a signal), or RIG_STOPPED, or VPUP_EXIT_HOST, _USAGE or
 * _TIMEOUT after one line on stderr about what went wrong, with L1's last lines beneath it.
 */
int rig_run(struct rig *r);

#endif
