/* SPDX-License-Identifier: MIT */
/* COMMAND one level down: as it is, or wrapped into another `vpup lab` that L1 is to run. */
#ifndef VPUP_LAB_LEVELS_H
#define VPUP_LAB_LEVELS_H

#include "lab/files.h"
#include "lab/l1_kernel.h"
#include "lab/lab_options.h"
#include "vmm/err.h"

#define LEVELS_MEMORY_MIN (256ull << 20) /* of a Linux at any level */

/*
 * The file in which L1's vpup is to leave its timeline, when o asks for that of all levels: COMMAND's own, or
 * o's if COMMAND is `run` or a level lies between. NULL: there is none. o's memory.
 */
const char *levels_timeline(const struct lab_options *o);

/*
 * The command for L1's vpup: a NULL-terminated list, malloc'ed as a whole; the words are o's or live as
 * long as the program. Returns 0 or -ENOMEM.
 */
int levels_command(char ***command, const struct lab_options *o, struct err *e);

/* Adds the kernel for the next level, if there is one. 0 or -ENOMEM with e set. */
int levels_add_files(struct files *f, const struct lab_options *o, const struct l1_kernel *k,
		     struct err *e);

#endif
