/* SPDX-License-Identifier: MIT */
/* A network interface: the virtio network device with a backend behind it. */
#include <errno.h>

#include "devices/virtio/net.h"
#include "vmm/net_backend.h"
#include "vmm/virtio_slot.h"

struct net_dev {
	struct virtio_slot slot;
	struct virtio_net core;
	struct net_backend *backend; /* the machine's */
};

static void on_send(void *ctx, const struct iovec *frame, unsigned count, size_t size_bytes)
{
	struct net_dev *d = ctx;

	d->backend->ops->send(d->backend, frame, count, size_bytes);
}

static void on_room(void *ctx)
{
	struct net_dev *d = ctx;

	d->backend->ops->room(d->backend);
}

static bool deliver(void *ctx, const void *frame, size_t size_bytes)
{
	struct net_dev *d = ctx;

	return virtio_net_deliver(&d->core, frame, size_bytes);
}

static unsigned prepare(void *dev, struct pollfd *fds, unsigned room, int *timeout_ms)
{
	struct net_dev *d = dev;

	return d->backend->ops->prepare(d->backend, fds, room, timeout_ms);
}

static void ready(void *dev, const struct pollfd *fds, unsigned count)
{
	struct net_dev *d = dev;

	d->backend->ops->ready(d->backend, fds, count);
}

static const struct virtio_source net_source = {.prepare = prepare, .ready = ready};

int net_dev_make(struct machine *m, unsigned index, void **state, struct err *e)
{
	/* Locally administered, as QEMU's; one guest on the network has one interface. */
	static const uint8_t mac[VIRTIO_NET_MAC_BYTES] = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56};
	struct net_dev *d = glue_new(sizeof(*d), m, state, e);
	struct guest_memory mem = glue_memory(m);

	(void)index;
	if (!d)
		return -ENOMEM;
	d->backend = m->net;
	d->backend->deliver = deliver;
	d->backend->deliver_ctx = d;
	virtio_net_init(&d->core, mac, on_send, on_room, d, &mem, virtio_slot_interrupt, &d->slot);
	return virtio_slot_init(&d->slot, &d->core.transport, &net_source, e);
}
