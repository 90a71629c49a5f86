/* SPDX-License-Identifier: MIT */
/*
 * The virtio-mmio transport, version 2 (virtio 1.2, 4.2): registers, negotiation, queue set-up. It
 * knows no thread and no lock: its owner serialises all calls, but for the interrupt status.
 */
#ifndef VPUP_DEVICES_VIRTIO_MMIO_H
#define VPUP_DEVICES_VIRTIO_MMIO_H

#include <stdatomic.h>

#include "devices/virtio/queue.h"

#define VIRTIO_MMIO_SIZE   0x1000
#define VIRTIO_MMIO_NOTIFY 0x50 /* QueueNotify: the queue's number is written here */

#define VIRTIO_QUEUES_MAX 4

#define VIRTIO_F_INDIRECT_DESC (1ull << 28)
#define VIRTIO_F_EVENT_IDX     (1ull << 29)
#define VIRTIO_F_VERSION_1     (1ull << 32)

#define VIRTIO_STATUS_ACKNOWLEDGE 1u
#define VIRTIO_STATUS_DRIVER      2u
#define VIRTIO_STATUS_DRIVER_OK   4u
#define VIRTIO_STATUS_FEATURES_OK 8u
#define VIRTIO_STATUS_NEEDS_RESET 0x40u
#define VIRTIO_STATUS_FAILED      0x80u

#define VIRTIO_INTERRUPT_USED   1u
#define VIRTIO_INTERRUPT_CONFIG 2u

enum virtio_id {
	VIRTIO_ID_NET = 1,
	VIRTIO_ID_BLOCK = 2,
	VIRTIO_ID_CONSOLE = 3,
	VIRTIO_ID_ENTROPY = 4,
	VIRTIO_ID_FS = 26,
};

/* What a kind of device is to the transport. */
struct virtio_kind {
	const char *name;
	enum virtio_id id;
	unsigned queues;
	/* Reads device-specific configuration into dst, which is zero, as far as there is any. */
	void (*config_read)(void *dev, unsigned off, void *dst, unsigned size_bytes);
	/* NULL: it is all read-only, and writes are ignored. */
	void (*config_write)(void *dev, unsigned off, const void *src, unsigned size_bytes);
	/*
	 * The driver made buffers available in this queue; called while the device is live. NULL:
	 * the queues are served elsewhere.
	 */
	void (*serve)(void *dev, unsigned queue);
	/* The driver is ready (DRIVER_OK), or it reset the device; each may be NULL. */
	void (*start)(void *dev);
	void (*reset)(void *dev);
};

struct virtio_mmio {
	const struct virtio_kind *kind;
	void *dev;
	struct guest_memory mem;
	void (*interrupt)(void *ctx); /* pulses the line */
	void *ctx;

	uint64_t device_features; /* those of the transport included */
	uint64_t driver_features;
	uint32_t device_features_sel;
	uint32_t driver_features_sel;
	uint32_t queue_sel;
	uint32_t status;
	uint32_t config_generation;
	atomic_uint interrupt_status;
	struct virtq queue[VIRTIO_QUEUES_MAX];
};

/*
 * Makes a device as it is after power-on. features are those of its kind (the transport adds its
 * own); dev is handed to the functions of kind, ctx to interrupt().
 */
void virtio_mmio_init(struct virtio_mmio *v, const struct virtio_kind *kind, uint64_t features,
		      void *dev, const struct guest_memory *mem, void (*interrupt)(void *ctx),
		      void *ctx);

/*
 * An access of size_bytes (1, 2, 4 or 8). Registers below 0x100 take 4 bytes alone (4.2.2.2); other
 * accesses to them read 0 and write nothing. A notification is returned by
 * virtio_mmio_write() as the number of the queue, -1 for every other write.
 */
uint64_t virtio_mmio_read(struct virtio_mmio *v, unsigned off, unsigned size_bytes);
int virtio_mmio_write(struct virtio_mmio *v, unsigned off, unsigned size_bytes, uint64_t val);

/* Serves config_read() from a structure: bytes of dst past its end stay as they are. */
void virtio_config_copy(void *dst, unsigned size_bytes, unsigned off, const void *config,
			size_t config_bytes);

/* Was the feature (a mask of one bit) negotiated? */
bool virtio_mmio_has(const struct virtio_mmio *v, uint64_t feature);

/* May the device use its queues: DRIVER_OK and not in need of a reset? */
bool virtio_mmio_is_live(const struct virtio_mmio *v);

/* Lets the device serve a queue, if it is live and the queue ready. */
void virtio_mmio_serve(struct virtio_mmio *v, unsigned queue);

/*
 * Takes the next chain of a queue. False when there is none: of the next one the driver tells;
 * or when the driver broke a rule: the device then asks for a reset.
 */
bool virtio_mmio_take(struct virtio_mmio *v, unsigned queue, struct virtq_chain *c);

/* Gives a chain back, without an interrupt yet. */
void virtio_mmio_give(struct virtio_mmio *v, unsigned queue, const struct virtq_chain *c,
		      size_t written_bytes);

/* Tells the driver that buffers were given back, by whoever serves the queues elsewhere. */
void virtio_mmio_used(struct virtio_mmio *v);

/* Interrupts the driver for what was given back, if it wants that. */
void virtio_mmio_signal(struct virtio_mmio *v, unsigned queue);

/* Tells the driver that the configuration changed. */
void virtio_mmio_config_changed(struct virtio_mmio *v);

/* The driver broke the protocol: asks it for a reset (2.1.2). Nothing is served before that. */
void virtio_mmio_needs_reset(struct virtio_mmio *v);

#endif
