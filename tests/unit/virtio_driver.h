/* SPDX-License-Identifier: MIT */
/* The guest's side of virtio in unit tests: some RAM, rings in it, and a driver that fills them. */
#ifndef VPUP_TESTS_UNIT_VIRTIO_DRIVER_H
#define VPUP_TESTS_UNIT_VIRTIO_DRIVER_H

#include "devices/virtio/mmio.h"

#define DRIVER_RAM_BASE  0x100000ull
#define DRIVER_RAM_BYTES 0x40000u
#define DRIVER_DATA      0x10000u /* offset in RAM of what tests may use as they like */

/* Where the rings of a queue stand in RAM, as offsets. */
#define DRIVER_DESC(q)  ((q)*0x4000u)
#define DRIVER_AVAIL(q) ((q)*0x4000u + 0x2000u)
#define DRIVER_USED(q)  ((q)*0x4000u + 0x3000u)

struct driver {
	uint8_t ram[DRIVER_RAM_BYTES] __attribute__((aligned(4096)));
	struct guest_memory mem;
	unsigned interrupts;
	uint32_t size[VIRTIO_QUEUES_MAX];
};

/* RAM of zeroes, and d->mem to give to a device, together with driver_interrupt() and d. */
void driver_init(struct driver *d);
void driver_interrupt(void *ctx);

uint64_t driver_gpa(uint32_t offset);
void *driver_ptr(struct driver *d, uint32_t offset);

/* The ring structures of a queue, to be read and spoilt. */
struct virtq_desc *driver_desc(struct driver *d, unsigned q);
struct virtq_avail *driver_avail(struct driver *d, unsigned q);
struct virtq_used *driver_used(struct driver *d, unsigned q);

/* Programs a queue whose rings stand in d's RAM, without a transport. */
void driver_program(struct driver *d, struct virtq *vq, unsigned q, uint32_t size);

/*
 * What a driver does at its start: reset, features (and VERSION_1), queues of this size, DRIVER_OK.
 * Returns the status register.
 */
uint32_t driver_bring_up(struct driver *d, struct virtio_mmio *v, uint64_t features, uint32_t size);

uint32_t driver_read32(struct virtio_mmio *v, unsigned reg);
void driver_write32(struct virtio_mmio *v, unsigned reg, uint32_t val);

/* Fills descriptor `index` of a queue. */
void driver_set_desc(struct driver *d, unsigned q, uint16_t index, uint64_t addr, uint32_t len,
		     uint16_t flags, uint16_t next);

/* Makes the chain that begins at head available. */
void driver_offer(struct driver *d, unsigned q, uint16_t head);

/* A buffer of a request; ends a list with len 0. */
struct driver_buf {
	uint32_t offset;
	uint32_t len;
	bool is_writable;
};

/* Lays the buffers out from descriptor `head` on, and offers them. */
void driver_request(struct driver *d, unsigned q, uint16_t head, const struct driver_buf *buf);

#endif
