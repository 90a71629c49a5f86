/* SPDX-License-Identifier: MIT */
/* virtio network device. */
#include "devices/virtio/net.h"

#include <string.h>

#define VIRTIO_NET_F_MAC    (1ull << 5)
#define VIRTIO_NET_F_STATUS (1ull << 16)

#define VIRTIO_NET_S_LINK_UP 1u

/* 5.1.6: with VIRTIO_F_VERSION_1 always of this size. */
struct net_header {
	uint8_t flags;
	uint8_t gso_type;
	uint16_t hdr_len;
	uint16_t gso_size;
	uint16_t csum_start;
	uint16_t csum_offset;
	uint16_t num_buffers;
};

/* 5.1.4, as far as the offered features reach. */
struct net_config {
	uint8_t mac[VIRTIO_NET_MAC_BYTES];
	uint16_t status;
};

_Static_assert(sizeof(struct net_header) == 12, "virtio 1.2, 5.1.6");
_Static_assert(sizeof(struct net_config) == 8, "virtio 1.2, 5.1.4");

static void config_read(void *dev, unsigned off, void *dst, unsigned size_bytes)
{
	const struct virtio_net *n = dev;
	struct net_config c = {.status = VIRTIO_NET_S_LINK_UP};

	memcpy(c.mac, n->mac, sizeof(c.mac));
	virtio_config_copy(dst, size_bytes, off, &c, sizeof(c));
}

/* A driver that was offered no offload sends none: the header says nothing that matters. */
static void send_frame(struct virtio_net *n, const struct virtq_chain *c)
{
	struct iovec part[VIRTQ_SIZE_MAX];
	size_t size;
	unsigned count;

	if (c->readable_bytes <= sizeof(struct net_header) ||
	    c->readable_bytes - sizeof(struct net_header) > VIRTIO_NET_FRAME_MAX) {
		n->dropped++;
		return;
	}
	size = c->readable_bytes - sizeof(struct net_header);
	count = virtq_slice(c->iov, c->readable, sizeof(struct net_header), size, part);
	n->send(n->send_ctx, part, count, size);
}

static void serve(void *dev, unsigned queue)
{
	struct virtio_net *n = dev;
	struct virtq_chain c;

	if (queue == VIRTIO_NET_RX) {
		n->room(n->send_ctx);
		return;
	}
	while (virtio_mmio_take(&n->transport, queue, &c)) {
		send_frame(n, &c);
		virtio_mmio_give(&n->transport, queue, &c, 0);
	}
	virtio_mmio_signal(&n->transport, queue);
}

bool virtio_net_deliver(struct virtio_net *n, const void *frame, size_t size_bytes)
{
	const struct net_header h = {.num_buffers = 1};
	struct virtq_chain c;

	if (!virtio_mmio_is_live(&n->transport)) {
		n->dropped++; /* nobody waits for it: there is no driver */
		return true;
	}
	if (!virtio_mmio_take(&n->transport, VIRTIO_NET_RX, &c))
		return false;
	if (c.writable_bytes < sizeof(h) + size_bytes) {
		n->dropped++;
		virtio_mmio_give(&n->transport, VIRTIO_NET_RX, &c, 0);
	} else {
		virtq_write(&c, 0, &h, sizeof(h));
		virtq_write(&c, sizeof(h), frame, size_bytes);
		virtio_mmio_give(&n->transport, VIRTIO_NET_RX, &c, sizeof(h) + size_bytes);
	}
	virtio_mmio_signal(&n->transport, VIRTIO_NET_RX);
	return true;
}

static const struct virtio_kind net_kind = {
	.name = "virtio-net",
	.id = VIRTIO_ID_NET,
	.queues = 2,
	.config_read = config_read,
	.serve = serve,
};

void virtio_net_init(struct virtio_net *n, const uint8_t mac[VIRTIO_NET_MAC_BYTES],
		     void (*send)(void *ctx, const struct iovec *frame, unsigned count,
				  size_t size_bytes),
		     void (*room)(void *ctx), void *send_ctx, const struct guest_memory *mem,
		     void (*interrupt)(void *ctx), void *ctx)
{
	*n = (struct virtio_net){.send = send, .room = room, .send_ctx = send_ctx};
	memcpy(n->mac, mac, sizeof(n->mac));
	virtio_mmio_init(&n->transport, &net_kind, VIRTIO_NET_F_MAC | VIRTIO_NET_F_STATUS, n, mem,
			 interrupt, ctx);
}
