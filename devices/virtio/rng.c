/* SPDX-License-Identifier: MIT */
/* virtio entropy device. */
#include "devices/virtio/rng.h"

/* Of one request: a driver that asks for more gets less, which 5.4.6.2 allows. */
#define FILL_MAX 65536

static void config_read(void *dev, unsigned off, void *dst, unsigned size_bytes)
{
	(void)dev, (void)off, (void)dst, (void)size_bytes;
}

static size_t fill_chain(const struct virtio_rng *r, const struct virtq_chain *c)
{
	size_t done = 0;

	for (unsigned i = c->readable; i < c->readable + c->writable && done < FILL_MAX; i++) {
		size_t want = c->iov[i].iov_len, got;

		if (want > FILL_MAX - done)
			want = FILL_MAX - done;
		got = r->fill(c->iov[i].iov_base, want);
		done += got;
		if (got < want)
			break;
	}
	return done;
}

static void serve(void *dev, unsigned queue)
{
	struct virtio_rng *r = dev;
	struct virtq_chain c;

	while (virtio_mmio_take(&r->transport, queue, &c)) {
		virtio_mmio_give(&r->transport, queue, &c, fill_chain(r, &c));
		virtio_mmio_signal(&r->transport, queue);
	}
}

static const struct virtio_kind rng_kind = {
	.name = "virtio-rng",
	.id = VIRTIO_ID_ENTROPY,
	.queues = 1,
	.config_read = config_read,
	.serve = serve,
};

void virtio_rng_init(struct virtio_rng *r, size_t (*fill)(void *dst, size_t size_bytes),
		     const struct guest_memory *mem, void (*interrupt)(void *ctx), void *ctx)
{
	r->fill = fill;
	virtio_mmio_init(&r->transport, &rng_kind, 0, r, mem, interrupt, ctx);
}
