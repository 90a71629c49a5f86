/* SPDX-License-Identifier: MIT */
/* A second console: the virtio console device with a pseudo-terminal, a socket or a file behind it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "devices/virtio/console.h"
#include "vmm/virtio_slot.h"

struct hvc_dev {
	struct virtio_slot slot;
	struct virtio_console core;
	struct console *console; /* the machine's; this device's thread is its only reader */
	size_t held;             /* input for which the guest had no room yet */
	uint8_t input[256];
};

static void output(void *ctx, const void *data, size_t size_bytes)
{
	struct hvc_dev *d = ctx;

	console_write(d->console, data, size_bytes);
}

static void push(void *ctx)
{
	struct hvc_dev *d = ctx;
	size_t taken = d->held ? virtio_console_input(&d->core, d->input, d->held) : 0;

	d->held -= taken;
	memmove(d->input, d->input + taken, d->held);
}

enum { FD_LISTEN, FD_TIMER, FD_INPUT, FDS };

/* While the guest has no room, nothing is read. */
static unsigned prepare(void *dev, struct pollfd *fds, unsigned room, int *timeout_ms)
{
	struct hvc_dev *d = dev;
	struct console *c = d->console;

	(void)room;
	(void)timeout_ms;
	fds[FD_LISTEN] = (struct pollfd){c->in_fd < 0 ? c->listen_fd : -1, POLLIN, 0};
	fds[FD_TIMER] = (struct pollfd){c->timer_fd, POLLIN, 0};
	fds[FD_INPUT] = (struct pollfd){d->held ? -1 : c->in_fd, POLLIN, 0};
	return FDS;
}

static void read_input(struct hvc_dev *d)
{
	ssize_t n = read(d->console->in_fd, d->input, sizeof(d->input));

	if (n > 0) {
		d->held = (size_t)n;
		push(d);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		console_input_end(d->console);
	}
}

static void ready(void *dev, const struct pollfd *fds, unsigned count)
{
	struct hvc_dev *d = dev;
	uint64_t expirations;

	(void)count;
	if (fds[FD_LISTEN].revents)
		console_accept(d->console);
	if (fds[FD_TIMER].revents && read(fds[FD_TIMER].fd, &expirations, sizeof(expirations)) > 0)
		console_flush(d->console);
	if (fds[FD_INPUT].revents)
		read_input(d);
}

static const struct virtio_source source = {.prepare = prepare, .ready = ready};

int hvc_dev_make(struct machine *m, unsigned index, void **state, struct err *e)
{
	struct hvc_dev *d = glue_new(sizeof(*d), m, state, e);
	struct guest_memory mem = glue_memory(m);

	(void)index;
	if (!d)
		return -ENOMEM;
	d->console = &m->hvc;
	virtio_console_init(&d->core, output, push, d, &mem, virtio_slot_interrupt, &d->slot);
	return virtio_slot_init(&d->slot, &d->core.transport, &source, e);
}
