/* SPDX-License-Identifier: MIT */
/* Where the guest's serial console goes: the terminal, a file, or nowhere. */
#ifndef VPUP_VMM_CONSOLE_H
#define VPUP_VMM_CONSOLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "vmm/config.h"
#include "vmm/err.h"
#include "vmm/outcome.h"

struct console {
	int in_fd;    /* or -1: no input */
	int out_fd;   /* or -1: output is dropped */
	int timer_fd; /* readable when a line without its end has waited long enough; or -1 */
	bool owns_out;
	bool raw; /* the terminal's settings were changed and are in `saved` */
	struct termios saved;
	struct outcome *outcome;
	pthread_mutex_t lock; /* over what follows */
	size_t used;
	uint8_t buffer[4096];
};

/*
 * Opens the console that cfg asks for. A terminal on stdin is put into character mode without echo;
 * Ctrl-C still interrupts vpup. Returns 0 or -errno with e naming the file. c is valid for
 * console_fini(), which flushes and puts the terminal back, in either case.
 */
int console_init(struct console *c, const struct vm_config *cfg, struct outcome *o, struct err *e);
void console_fini(struct console *c);

/*
 * Takes output from any thread. It is written out line by line, or when console_flush() is called,
 * as the owner does when timer_fd becomes readable. A failed write ends the run.
 */
void console_write(struct console *c, const uint8_t *data, size_t size);
void console_flush(struct console *c);

#endif
