/* SPDX-License-Identifier: MIT */
/* What L1's init is to do, as JSON in L1's file system. */
#ifndef VPUP_LAB_JOB_H
#define VPUP_LAB_JOB_H

#include <jansson.h>
#include <stdint.h>

#include "lab/words.h"
#include "vmm/err.h"

struct job {
	json_t *json; /* owned */
	char **argv;  /* owned, "vpup" and COMMAND; its strings belong to json */
	const char *cwd;
};

/* The document's text, malloc'ed: {"argv": [...], "cwd": "...", "paths": [...]}. 0 or -ENOMEM. */
int job_text(char *const *argv, const char *cwd, const struct words *w, char **text, struct err *e);

/* Reads L1_JOB. Returns 0, or -errno with e set. */
int job_read(struct job *j, struct err *e);
void job_fini(struct job *j);

/* The paths that COMMAND may write. */
size_t job_paths(const struct job *j);
const char *job_path(const struct job *j, size_t i);

#endif
