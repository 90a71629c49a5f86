/* SPDX-License-Identifier: MIT */
/* Programs with all that they need to run in L1: interpreters and shared libraries. */
#ifndef VPUP_LAB_LIBS_H
#define VPUP_LAB_LIBS_H

#include "lab/files.h"
#include "vmm/err.h"

/* Adds the host's program as path, and what it needs as it is here. 0, or -errno with e set. */
int libs_add_program(struct files *f, const char *path, const char *program, struct err *e);

/* Adds a shell, and the programs that the words of its command name, as they are here. Likewise. */
int libs_add_command(struct files *f, const char *command, struct err *e);

/* Adds a library by its name, and what it needs, if this host has it; it is for dlopen(). Likewise. */
int libs_add_library(struct files *f, const char *name, struct err *e);

#endif
