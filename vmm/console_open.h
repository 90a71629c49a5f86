/* SPDX-License-Identifier: MIT */
/* The kinds of console that are opened by name. */
#ifndef VPUP_VMM_CONSOLE_OPEN_H
#define VPUP_VMM_CONSOLE_OPEN_H

#include "vmm/console.h"

/* Each fills in c's descriptors. Returns 0 or -errno with e naming the file. */
int console_open_file(struct console *c, const char *path, struct err *e);
int console_open_pty(struct console *c, struct err *e);
int console_open_socket(struct console *c, const char *path, struct err *e);

#endif
