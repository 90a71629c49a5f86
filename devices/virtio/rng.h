/* SPDX-License-Identifier: MIT */
/* virtio entropy device (virtio 1.2, 5.4). */
#ifndef VPUP_DEVICES_VIRTIO_RNG_H
#define VPUP_DEVICES_VIRTIO_RNG_H

#include "devices/virtio/mmio.h"

struct virtio_rng {
	struct virtio_mmio transport;
	/* Fills dst with random bytes; returns how many, 0 on failure. */
	size_t (*fill)(void *dst, size_t size_bytes);
};

void virtio_rng_init(struct virtio_rng *r, size_t (*fill)(void *dst, size_t size_bytes),
		     const struct guest_memory *mem, void (*interrupt)(void *ctx), void *ctx);

#endif
