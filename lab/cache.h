/* SPDX-License-Identifier: MIT */
/*
 * The lab's cache, $XDG_CACHE_HOME/vpup: whatever is in it can be made again. An entry's name tells
 * what it was made from and the checksum of what it holds, so that damage shows.
 */
#ifndef VPUP_LAB_CACHE_H
#define VPUP_LAB_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "lab/digest.h"
#include "vmm/err.h"

struct cache {
	char *dir;   /* owned */
	int lock_fd; /* -1: not locked */
};

/* Makes the directory if need be. Returns 0, or -errno with e set; then c needs no call. */
int cache_open(struct cache *c, struct err *e);
void cache_close(struct cache *c);

/* One process at a time makes entries; whoever waits finds them made. 0 or -errno with e set. */
int cache_lock(struct cache *c, struct err *e);
void cache_unlock(struct cache *c);

/*
 * The entry of that kind (a short word) made from what key is the digest of. *data is malloc'ed.
 * Returns 0, or -ENOENT if there is none; one that is damaged is removed and counts as none.
 */
int cache_get(struct cache *c, const char *kind, struct digest key, uint8_t **data,
	      size_t *size_bytes);

/* Adds an entry; the oldest of its kind go. Returns 0, or -errno with e naming the file. */
int cache_put(struct cache *c, const char *kind, struct digest key, const void *data,
	      size_t size_bytes, struct err *e);

/* DIR/name, malloc'ed; NULL: out of memory. */
char *cache_path(const struct cache *c, const char *name);

#endif
