/* SPDX-License-Identifier: MIT */
/* virtio network device (virtio 1.2, 5.1): one pair of queues, no offloads. */
#ifndef VPUP_DEVICES_VIRTIO_NET_H
#define VPUP_DEVICES_VIRTIO_NET_H

#include "devices/virtio/mmio.h"

#define VIRTIO_NET_RX        0
#define VIRTIO_NET_TX        1
#define VIRTIO_NET_MAC_BYTES 6
#define VIRTIO_NET_FRAME_MAX 65536

struct virtio_net {
	struct virtio_mmio transport;
	/* Takes one Ethernet frame of the guest, of 1 to VIRTIO_NET_FRAME_MAX bytes. */
	void (*send)(void *ctx, const struct iovec *frame, unsigned count, size_t size_bytes);
	/* The driver gave room for frames; after virtio_net_deliver() said there was none. */
	void (*room)(void *ctx);
	void *send_ctx;
	uint8_t mac[VIRTIO_NET_MAC_BYTES];
	uint64_t dropped; /* frames of either direction that were not passed on */
};

void virtio_net_init(struct virtio_net *n, const uint8_t mac[VIRTIO_NET_MAC_BYTES],
		     void (*send)(void *ctx, const struct iovec *frame, unsigned count,
				  size_t size_bytes),
		     void (*room)(void *ctx), void *send_ctx, const struct guest_memory *mem,
		     void (*interrupt)(void *ctx), void *ctx);

/*
 * Hands the guest a frame. Returns false when it has no buffer for it now (the caller may keep the
 * frame until room()); a frame that is longer than the guest's buffer is dropped.
 */
bool virtio_net_deliver(struct virtio_net *n, const void *frame, size_t size_bytes);

#endif
