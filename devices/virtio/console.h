/* SPDX-License-Identifier: MIT */
/* virtio console (virtio 1.2, 5.3): one port, with its size. */
#ifndef VPUP_DEVICES_VIRTIO_CONSOLE_H
#define VPUP_DEVICES_VIRTIO_CONSOLE_H

#include "devices/virtio/mmio.h"

#define VIRTIO_CONSOLE_RX 0
#define VIRTIO_CONSOLE_TX 1

struct virtio_console {
	struct virtio_mmio transport;
	void (*output)(void *ctx, const void *data, size_t size_bytes);
	/* The driver gave room for input; after virtio_console_input() took less than all. */
	void (*room)(void *ctx);
	void *output_ctx;
	uint16_t columns;
	uint16_t rows;
};

void virtio_console_init(struct virtio_console *t,
			 void (*output)(void *ctx, const void *data, size_t size_bytes),
			 void (*room)(void *ctx), void *output_ctx, const struct guest_memory *mem,
			 void (*interrupt)(void *ctx), void *ctx);

/* Input for the guest. Returns how many bytes it had room for. */
size_t virtio_console_input(struct virtio_console *t, const void *data, size_t size_bytes);

/* Tells the guest the size of the terminal. */
void virtio_console_resize(struct virtio_console *t, uint16_t columns, uint16_t rows);

#endif
