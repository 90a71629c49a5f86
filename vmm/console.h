/* SPDX-License-Identifier: MIT */
/* Where the guest's serial console goes: the terminal, a pseudo-terminal, a socket, a file, nowhere. */
#ifndef VPUP_VMM_CONSOLE_H
#define VPUP_VMM_CONSOLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmm/config.h"
#include "vmm/console_keys.h"
#include "vmm/err.h"
#include "vmm/outcome.h"

struct console {
	int in_fd;     /* or -1: no input. The main thread's */
	int listen_fd; /* a socket that waits for the one peer; or -1 */
	int hold_fd;   /* the other side of a pseudo-terminal, kept open; or -1 */
	int timer_fd;  /* readable when a line without its end has waited long enough; or -1 */
	bool owns_out;
	bool lossy;        /* who does not read loses output, instead of stopping the guest */
	bool escapes;      /* a person types: keys is looked at */
	bool is_pipe;      /* the input ends with the end of a file, not with a person */
	char *socket_path; /* to be removed; owned */
	struct console_keys keys;
	size_t typed_size; /* what vpup itself types: goes ahead of what is read */
	uint8_t typed[64];
	struct outcome *outcome;
	pthread_mutex_t lock; /* over what follows */
	int out_fd;           /* or -1: output is dropped */
	size_t used;
	uint8_t buffer[4096];
};

/*
 * Opens the console of COM1 that cfg asks for. A terminal on stdin is put into character mode without echo;
 * with a kernel of the user's, whose keys Ctrl-C and the like are, Ctrl-a x ends vpup instead.
 * Returns 0 or -errno with e naming the file. c is valid for console_fini(), which flushes and puts
 * the terminal back, in either case.
 */
int console_init(struct console *c, const struct vm_config *cfg, struct outcome *o, struct err *e);

/* Opens another one, which is not the terminal. Likewise. */
int console_init_other(struct console *c, const struct console_config *cfg, struct outcome *o,
		       struct err *e);
void console_fini(struct console *c);

/* Types something for the person; dropped when there is too much of it. The main thread. */
void console_type(struct console *c, const void *data, size_t size);

/* A peer is at the socket, and there is no input yet. The main thread. */
void console_accept(struct console *c);

/* The input has ended or failed: the peer is gone, or there will be none. The main thread. */
void console_input_end(struct console *c);

/*
 * Takes output from any thread. It is written out line by line, or when console_flush() is called,
 * as the owner does when timer_fd becomes readable. A failed write ends the run.
 */
void console_write(struct console *c, const uint8_t *data, size_t size);
void console_flush(struct console *c);

#endif
