/* SPDX-License-Identifier: MIT */
/*
 * A VMM seen from outside, whichever it is: how long from starting its process to a mark that its guest sets,
 * and how much memory it then takes.
 */
#ifndef VPUP_BENCH_PEER_H
#define VPUP_BENCH_PEER_H

#include <stdint.h>

#include "vmm/err.h"

enum peer_mark {
	PEER_ENTRY,  /* the first byte on the debug console: the kernel starts */
	PEER_INIT,   /* likewise: the /init of --exec is ready */
	PEER_ONLINE, /* "Brought up" on the serial port: the last VP is online */
};

/* Their names, in that order and NULL-terminated: "entry", "init", "online". */
extern const char *const peer_mark_names[];

/* A pipe for the guest's debug console, which the VMM opens by its path. */
struct peer_debugcon {
	int read_fd;
	int write_fd; /* the VMM inherits it */
	char path[32];
};

/* Returns 0 or -errno with e set; in either case d is valid for peer_debugcon_fini(). */
int peer_debugcon_init(struct peer_debugcon *d, struct err *e);
void peer_debugcon_fini(struct peer_debugcon *d);

struct peer_run {
	const char *exe;   /* looked up in $PATH where it has no '/' */
	char *const *argv; /* must send the serial port to stdout */
	enum peer_mark
		mark; /* all but PEER_ONLINE need the debug console to go to debugcon->path */
	struct peer_debugcon *debugcon;
	uint64_t ram_bytes; /* of the guest */
	double timeout_s;   /* 0: none */
};

struct peer_seen {
	double mark_ms;   /* from just before the process is started */
	uint64_t rss_kib; /* then, without the guest's RAM; 0: can't be read */
};

/*
 * Starts the VMM, waits for the mark, and kills it. Returns 0; or a positive exit status of vpup with e set: what
 * the VMM said last if it ended before, VPUP_EXIT_TIMEOUT, VPUP_EXIT_HOST if it can't be started. No child
 * is left behind.
 */
int peer_run(const struct peer_run *r, struct peer_seen *seen, struct err *e);

#endif
