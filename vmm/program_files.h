/* SPDX-License-Identifier: MIT */
/* The files that a program of this host needs to run elsewhere: itself, its loader, its libraries. */
#ifndef VPUP_VMM_PROGRAM_FILES_H
#define VPUP_VMM_PROGRAM_FILES_H

#include <stddef.h>

#include "vmm/err.h"

/* Absolute paths, each once; owned. Start with zeroes. */
struct file_list {
	char **path;
	size_t count;
};

/* Adds path unless it is there. 0 or -ENOMEM with e set. */
int file_list_add(struct file_list *l, const char *path, struct err *e);
void file_list_fini(struct file_list *l);

/*
 * Finds name in $PATH, or takes it as a path where it has a '/'. Returns a malloc'ed absolute path,
 * or NULL when there is no such program.
 */
char *program_find(const char *name);

/*
 * Adds the program at path, and what it needs: the libraries that its dynamic loader names (which is
 * asked, the program itself is not run), or a script's interpreter with its own needs.
 * Returns 0 or -errno with e set.
 */
int program_files_add(struct file_list *l, const char *path, struct err *e);

/* Adds each program that a word of the shell command names. Words that name none are none. */
int program_files_add_words(struct file_list *l, const char *command, struct err *e);

#endif
