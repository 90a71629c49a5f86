/* SPDX-License-Identifier: MIT */
/* Bump allocator over the largest free piece of RAM behind the kernel image. */
#ifndef VPUP_GUEST_MEMORY_H
#define VPUP_GUEST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "guest-kernel/pvh.h"

struct memory {
	uint64_t next;
	uint64_t end;
};

/*
 * Picks the largest piece of ram that starts behind the kernel image, ends below 3 GiB (above that
 * the boot page tables do not cache) and has nothing of `reserved` in it.
 */
void memory_init(struct memory *m, const struct range_list *ram, const struct range_list *reserved);

/*
 * size bytes, aligned to align (a power of two), never to be given back; contents are whatever RAM
 * held. Returns NULL when there is no room.
 */
void *memory_alloc(struct memory *m, size_t size, size_t align);

/* Bytes that are left. */
uint64_t memory_left(const struct memory *m);

#endif
