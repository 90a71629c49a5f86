/* SPDX-License-Identifier: MIT */
/* The one way to write an output file: the old file stays whole until the new one is. */
#ifndef VPUP_VMM_OUTFILE_H
#define VPUP_VMM_OUTFILE_H

#include <stddef.h>
#include <stdio.h>

#include "vmm/err.h"

struct outfile {
	FILE *f;         /* to write to; errors are found by outfile_commit() */
	char *path;      /* for messages */
	char *final;     /* what the temporary is renamed to; NULL: written in place */
	char *temporary; /* NULL: written in place */
};

/*
 * Opens path for writing. A regular or new file is written as a temporary beside it. "-" is stdout;
 * what exists and is not a regular file (a device, a pipe) is written in place.
 * Returns 0, or -errno with e naming the path; then o needs no call.
 */
int outfile_open(struct outfile *o, const char *path, struct err *e);

/*
 * Puts the file in its place. Returns 0, or -errno with e set, the temporary gone and the old file
 * as it was. o is finished in either case.
 */
int outfile_commit(struct outfile *o, struct err *e);

/* Drops what was written. Does nothing to an o that is zero or finished. */
void outfile_abort(struct outfile *o);

/* Could it be written now? Leaves it as it is. Better known before a run than after it. Returns as outfile_open(). */
int outfile_check(const char *path, struct err *e);

/* The three in one, for data that is there as a whole. Returns 0, or -errno with e set. */
int outfile_write(const char *path, const void *data, size_t size_bytes, struct err *e);

#endif
