/* SPDX-License-Identifier: MIT */
/* The mirrors that this machine's own apt uses. */
#ifndef VPUP_LAB_APT_SOURCES_H
#define VPUP_LAB_APT_SOURCES_H

#include <stddef.h>

#include "vmm/err.h"

struct apt_mirror {
	char *uri;       /* owned */
	char *signed_by; /* owned; a keyring's path, or NULL */
};

/* Start with zeroes. */
struct apt_mirrors {
	struct apt_mirror *mirror;
	size_t count;
};

/*
 * Adds the mirrors of Debian's main archive (their URI ends in "/debian") that the text of a file of
 * sources names: in the one-line style, or deb822 (sources.list(5)). 0 or -ENOMEM.
 */
int apt_mirrors_parse(struct apt_mirrors *m, const char *text, int deb822, struct err *e);

/* Those in etc/sources.list and etc/sources.list.d (etc is "/etc/apt"). Returns 0 or -ENOMEM. */
int apt_mirrors_read(struct apt_mirrors *m, const char *etc, struct err *e);

void apt_mirrors_fini(struct apt_mirrors *m);

#endif
