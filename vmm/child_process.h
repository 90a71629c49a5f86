/* SPDX-License-Identifier: MIT */
/* Starts another program (posix_spawn(3)). */
#ifndef VPUP_VMM_CHILD_PROCESS_H
#define VPUP_VMM_CHILD_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct child_start {
	const char *exe;
	char *const *argv;
	int out_fd; /* its stdout and stderr; these stay open here */
	int err_fd;
	bool in_path;   /* exe is looked up in $PATH where it has no '/' */
	bool own_group; /* a process group of its own, which the terminal's signals do not reach */
};

/* A program that could not be executed may show as this exit status (POSIX, posix_spawn()). */
#define CHILD_NOT_EXECUTED 127

/*
 * Starts it with /dev/null as stdin, no signal blocked, and those that end a program as they are by default.
 * Returns 0 with *pid, or a positive errno value.
 */
int child_start(const struct child_start *s, pid_t *pid);

#endif
