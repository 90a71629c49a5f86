/* SPDX-License-Identifier: MIT */
/* Guest RAM: one host mapping, seen by the guest below and above the 32-bit hole. */
#ifndef VPUP_VMM_MEM_H
#define VPUP_VMM_MEM_H

#include <stdbool.h>
#include <stddef.h>

#include "vmm/err.h"
#include "vmm/gpa.h"

struct mem_region {
	gpa_t base;
	uint64_t size_bytes;
	uint8_t *host; /* owned by struct mem; for KVM memory slots, else use mem_ptr() */
};

struct mem {
	uint64_t size_bytes;
	bool is_shared;        /* fd is there */
	int fd;                /* the memfd behind it */
	unsigned region_count; /* 1, or 2 when there is RAM above 4 GiB */
	struct mem_region region[2];
};

/*
 * Maps size_bytes (a multiple of 4 KiB) of zeroed RAM, not yet backed by pages. Returns 0, or
 * -ENOMEM with e set. m owns the mapping until mem_fini().
 */
int mem_init(struct mem *m, uint64_t size_bytes, struct err *e);

/* The same, of RAM that another process can map: m->fd, which m owns. */
int mem_init_shared(struct mem *m, uint64_t size_bytes, struct err *e);

/* Unmaps. Safe on a zeroed struct and after a failed mem_init(). */
void mem_fini(struct mem *m);

/*
 * The only way from a guest address to a host pointer. Returns NULL unless [g, g + len) lies wholly
 * inside one region (wrap-around, holes and len 0 past the end included). The guest may change the
 * bytes at any time: copy once, check, then use the copy.
 */
void *mem_ptr(const struct mem *m, gpa_t g, uint64_t len);

/* Copies into guest RAM. Returns 0, or -EFAULT (nothing written) if the range is not RAM. */
int mem_write(const struct mem *m, gpa_t g, const void *src, uint64_t len);

/* Copies out of guest RAM. Returns 0, or -EFAULT (dst untouched) if the range is not RAM. */
int mem_read(const struct mem *m, gpa_t g, void *dst, uint64_t len);

/* First address past the RAM below 4 GiB. */
gpa_t mem_low_end(const struct mem *m);

#endif
