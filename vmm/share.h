/* SPDX-License-Identifier: MIT */
/* A directory of the host for the guest: the system's virtiofsd, started and watched. */
#ifndef VPUP_VMM_SHARE_H
#define VPUP_VMM_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "vmm/err.h"

struct share {
	char *directory; /* owned */
	char *tag;       /* owned; what the guest mounts */
	bool read_only;
	bool is_open;
	bool was_used; /* the guest's driver came */
	int socket;    /* vhost-user; -1: not started */
	pid_t pid;     /* of the daemon; 0: none */
	uint64_t features;
};

#define SHARE_PACKAGES "Debian 12: qemu-system-common; later: virtiofsd" /* that have it */

/* The path of this host's virtiofsd; NULL: it has none. */
const char *share_daemon(void);

/*
 * Reads "DIR=TAG[,ro]", and starts a daemon for it. It dies with vpup. Returns 0, or -errno with e
 * naming what is wrong: no such directory, no daemon on this host, or one that does not start. s, of
 * zeroes, is valid for share_close() in any case.
 */
int share_open(struct share *s, const char *spec, struct err *e);

/* Ends the daemon. */
void share_close(struct share *s);

#endif
