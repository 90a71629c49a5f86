/* SPDX-License-Identifier: MIT */
/*
 * The device's side of a split virtqueue (virtio 1.2, 2.7), with indirect descriptors and event
 * indices. The driver is hostile: every index, address and length is copied once and checked, and a
 * queue that breaks a rule stays broken until it is reset.
 */
#ifndef VPUP_DEVICES_VIRTIO_QUEUE_H
#define VPUP_DEVICES_VIRTIO_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "devices/guest_memory.h"

#define VIRTQ_SIZE_MAX 256 /* entries; also the longest chain, as 2.7.5.3.1 has it for the driver */

struct virtq_desc {
	uint64_t addr;
	uint32_t len;
	uint16_t flags;
	uint16_t next;
};

#define VIRTQ_DESC_F_NEXT     1u
#define VIRTQ_DESC_F_WRITE    2u
#define VIRTQ_DESC_F_INDIRECT 4u

#define VIRTQ_AVAIL_F_NO_INTERRUPT 1u

struct virtq_avail {
	uint16_t flags;
	uint16_t idx;
	uint16_t ring[]; /* [size], then used_event */
};

struct virtq_used_elem {
	uint32_t id;
	uint32_t len;
};

struct virtq_used {
	uint16_t flags;
	uint16_t idx;
	struct virtq_used_elem ring[]; /* [size], then avail_event, 16 bits wide */
};

struct virtq {
	/* What the driver programs while the queue is not ready. */
	uint32_t size;
	uint64_t desc_gpa;
	uint64_t avail_gpa; /* "driver area" */
	uint64_t used_gpa;  /* "device area" */

	bool ready;
	bool broken;
	bool event_idx;      /* VIRTIO_F_EVENT_IDX was negotiated */
	uint16_t avail_next; /* of the avail ring: the next one to take */
	uint16_t used_next;
	uint16_t used_signalled; /* used_next when the driver was last interrupted */

	/* Host addresses; valid while ready. */
	const struct virtq_desc *desc;
	struct virtq_avail *avail;
	struct virtq_used *used;
};

/* One request: what the device reads comes first in iov, then what it writes. */
struct virtq_chain {
	uint16_t head;
	unsigned readable; /* entries of iov */
	unsigned writable; /* behind them */
	size_t readable_bytes;
	size_t writable_bytes;
	struct iovec iov[VIRTQ_SIZE_MAX];
};

/*
 * Makes the queue ready with what the driver programmed. -EINVAL, and the queue stays not ready, if
 * the size is no power of two from 1 to size_max, or a ring is misaligned or not in RAM.
 */
int virtq_start(struct virtq *q, const struct guest_memory *mem, uint32_t size_max, bool event_idx);

/* Back to its state after a device reset. */
void virtq_reset(struct virtq *q);

/*
 * Takes the next available chain. Returns 1 with *c; 0 when there is none; -EPROTO when the driver
 * broke a rule, now or earlier (2.1.2: the device then needs a reset).
 */
int virtq_pop(struct virtq *q, const struct guest_memory *mem, struct virtq_chain *c);

/* Gives a chain back with the number of bytes written to it. */
void virtq_push(struct virtq *q, uint16_t head, uint32_t written_bytes);

/*
 * Asks to be notified of the next available chain (2.7.10). Returns true if one came meanwhile, for
 * which no notification will come.
 */
bool virtq_rearm(struct virtq *q);

/* Does the driver want an interrupt for what was pushed since this was last asked (2.7.7)? */
bool virtq_wants_interrupt(struct virtq *q);

/* Copies up to size_bytes of what the device reads, from offset on. Returns how many there were. */
size_t virtq_read(const struct virtq_chain *c, size_t offset, void *dst, size_t size_bytes);

/* Copies up to size_bytes into what the device writes, from offset on. Returns how many fitted. */
size_t virtq_write(const struct virtq_chain *c, size_t offset, const void *src, size_t size_bytes);

/*
 * The part [offset, offset + size_bytes) of iov[0..count) as another list in part[VIRTQ_SIZE_MAX].
 * Returns its number of entries; less is covered where iov ends early.
 */
unsigned virtq_slice(const struct iovec *iov, unsigned count, size_t offset, size_t size_bytes,
		     struct iovec *part);

_Static_assert(sizeof(struct virtq_desc) == 16, "virtio 1.2, 2.7.5");
_Static_assert(sizeof(struct virtq_used_elem) == 8, "virtio 1.2, 2.7.8");

#endif
