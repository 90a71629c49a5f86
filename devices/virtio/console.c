/* SPDX-License-Identifier: MIT */
/* virtio console. */
#include "devices/virtio/console.h"

#define VIRTIO_CONSOLE_F_SIZE (1ull << 0)

/* 5.3.4, as far as the offered features reach. */
struct console_config {
	uint16_t cols;
	uint16_t rows;
};

static void config_read(void *dev, unsigned off, void *dst, unsigned size_bytes)
{
	const struct virtio_console *t = dev;
	const struct console_config c = {.cols = t->columns, .rows = t->rows};

	virtio_config_copy(dst, size_bytes, off, &c, sizeof(c));
}

static void serve(void *dev, unsigned queue)
{
	struct virtio_console *t = dev;
	struct virtq_chain c;

	if (queue == VIRTIO_CONSOLE_RX) {
		t->room(t->output_ctx);
		return;
	}
	while (virtio_mmio_take(&t->transport, queue, &c)) {
		for (unsigned i = 0; i < c.readable; i++)
			t->output(t->output_ctx, c.iov[i].iov_base, c.iov[i].iov_len);
		virtio_mmio_give(&t->transport, queue, &c, 0);
	}
	virtio_mmio_signal(&t->transport, queue);
}

size_t virtio_console_input(struct virtio_console *t, const void *data, size_t size_bytes)
{
	struct virtq_chain c;
	size_t done = 0;

	while (done < size_bytes && virtio_mmio_take(&t->transport, VIRTIO_CONSOLE_RX, &c)) {
		size_t n = virtq_write(&c, 0, (const uint8_t *)data + done, size_bytes - done);

		done += n;
		virtio_mmio_give(&t->transport, VIRTIO_CONSOLE_RX, &c, n);
	}
	virtio_mmio_signal(&t->transport, VIRTIO_CONSOLE_RX);
	return done;
}

void virtio_console_resize(struct virtio_console *t, uint16_t columns, uint16_t rows)
{
	t->columns = columns;
	t->rows = rows;
	virtio_mmio_config_changed(&t->transport);
}

static const struct virtio_kind console_kind = {
	.name = "virtio-console",
	.id = VIRTIO_ID_CONSOLE,
	.queues = 2,
	.config_read = config_read,
	.serve = serve,
};

void virtio_console_init(struct virtio_console *t,
			 void (*output)(void *ctx, const void *data, size_t size_bytes),
			 void (*room)(void *ctx), void *output_ctx, const struct guest_memory *mem,
			 void (*interrupt)(void *ctx), void *ctx)
{
	*t = (struct virtio_console){.output = output, .room = room, .output_ctx = output_ctx};
	virtio_mmio_init(&t->transport, &console_kind, VIRTIO_CONSOLE_F_SIZE, t, mem, interrupt,
			 ctx);
}
