/* SPDX-License-Identifier: MIT */
/*
 * The words of COMMAND that may name files: those that exist are copied into L1, and those that L1 has
 * written when COMMAND ends come back. No other path of the host is ever written.
 */
#ifndef VPUP_LAB_WORDS_H
#define VPUP_LAB_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lab/files.h"
#include "vmm/err.h"

struct word {
	char *path;     /* owned; as COMMAND has it: "r.json" of "--json=r.json" */
	bool is_output; /* by its option; what else exists on the host is read and never written */
	bool exists;
};

/* Start with zeroes. */
struct words {
	struct word *word;
	size_t count;
};

/* Finds them in a NULL-terminated COMMAND, whose first word is left out. 0 or -ENOMEM. */
int words_find(struct words *w, char *const *command, struct err *e);

/*
 * Adds the files that exist, at the paths that they have here, and the directories that outputs may go to. Returns 0, or
 * -ENOENT or another -errno with e naming an option's file that is missing or can't be read.
 */
int words_add_inputs(struct words *w, char *const *command, struct files *f, struct err *e);

/* May L1 write that path: is it an output or new, or below one that is? After words_add_inputs(). */
bool words_allow(const struct words *w, const char *path);

/* A path of COMMAND's as L1 has it: absolute, its links and dots as they are. To be freed; NULL: out of memory. */
char *words_absolute(const char *path, const char *cwd);

/*
 * The argument of a long option that command's word is: the next word, or what stands behind '='. NULL: it is
 * another word, or the last.
 */
const char *words_argument(const char *option, char *const *word);

void words_fini(struct words *w);

#endif
