/* SPDX-License-Identifier: MIT */
/*
 * One bus type for ports, MMIO and MSRs. Ranges are claimed while the machine is put together; every
 * conflict is reported, then the bus is sealed and read by all VPs without a lock.
 */
#ifndef VPUP_VMM_BUS_H
#define VPUP_VMM_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmm/err.h"

enum io_status {
	IO_OK,
	IO_UNCLAIMED, /* no range there, or the device does not answer at that offset */
	IO_FAULT,     /* #GP for an MSR; all ones and ignored writes elsewhere */
};

struct io_access {
	uint64_t addr;
	uint64_t off; /* addr - base of the range that answers; set by bus_access() */
	uint64_t val; /* in for writes, out for reads; only the low `size` bytes count */
	uint8_t size; /* 1, 2, 4 or 8 bytes; 8 for MSRs */
	bool is_write;
	uint32_t vp;
};

typedef enum io_status (*io_fn)(void *dev, struct io_access *a);

/* Takes a string write (`rep outs`) of count elements of `size` bytes to the range's base; optional. */
typedef void (*io_string_fn)(void *dev, const uint8_t *data, uint32_t count, uint8_t size);

struct io_range {
	const char *name; /* static storage */
	uint64_t base;
	uint64_t last; /* inclusive, so that a range may end at 2^64 - 1 */
	io_fn fn;
	io_string_fn string;
	void *dev;
};

enum bus_kind { BUS_PIO, BUS_MMIO, BUS_MSR };

/* Counts of one range as seen by one VP: written by that VP's thread alone. */
struct io_count {
	uint64_t reads;
	uint64_t writes;
};

struct bus {
	enum bus_kind kind;
	unsigned count;
	unsigned capacity;
	struct io_range *range; /* sorted by base once sealed */
	unsigned vps;
	struct io_count *counts; /* [vp * (count + 1) + range]; the last column is "unclaimed" */
	unsigned *hint;          /* per VP: the range that answered last */
	bool sealed;
	bool conflict;
};

void bus_init(struct bus *b, enum bus_kind kind);
void bus_fini(struct bus *b);

/*
 * Adds a range. Returns 0, -EINVAL (empty, or past the address space), -EEXIST (overlaps a range
 * already there: both names are logged on stderr and bus_seal() will fail), -EBUSY (sealed) or
 * -ENOMEM. Callers that build a machine may go on after -EEXIST so that all conflicts are seen.
 */
int bus_claim(struct bus *b, const struct io_range *r);

/* Sorts, allocates counters for `vps` VPs and makes the bus read-only. -EEXIST after a conflict. */
int bus_seal(struct bus *b, unsigned vps, struct err *e);

/*
 * Serves one access. Unclaimed ports and MMIO read all ones and ignore writes (IO_UNCLAIMED is still
 * returned); an unclaimed MSR is IO_FAULT. On return a->val holds the read value, masked to the size.
 */
enum io_status bus_access(struct bus *b, struct io_access *a);

/*
 * Serves a string write of count elements. Uses the range's string handler where it has one, else
 * one access per element.
 */
void bus_write_string(struct bus *b, uint64_t addr, const uint8_t *data, uint32_t count,
		      uint8_t size, uint32_t vp);

/* Sum over VPs of a range's counters (index < b->count), or of the unclaimed ones (== b->count). */
struct io_count bus_count(const struct bus *b, unsigned index);

#endif
