/* SPDX-License-Identifier: MIT */
/* A shared directory: the virtio file system device with virtiofsd behind it. */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "devices/virtio/fs.h"
#include "vmm/share.h"
#include "vmm/vhost_user.h"
#include "vmm/virtio_slot.h"

struct share_dev {
	struct virtio_slot slot;
	struct virtio_fs core;
	struct share *share; /* the machine's */
	int call_fd;         /* virtiofsd gave buffers back */
	bool has_failed;
};

static void failed(struct share_dev *d, const struct err *e)
{
	d->has_failed = true;
	outcome_set(&d->slot.glue.m->outcome, OUTCOME_HOST_ERROR, 0, "--share %s: %s",
		    d->share->tag, e->text);
}

static void start(void *ctx)
{
	struct share_dev *d = ctx;
	struct virtio_mmio *v = &d->core.transport;
	int fd = d->share->socket, ret;
	struct err e;

	d->share->was_used = true;
	ret = vhost_user_set_up(fd, v->driver_features, &d->slot.glue.m->mem, &e);
	for (unsigned i = 0; ret == 0 && i < VIRTIO_FS_QUEUES; i++)
		if (v->queue[i].ready)
			ret = vhost_user_start_ring(fd, i, &v->queue[i], d->slot.kick_fd[i],
						    d->call_fd, &e);
	if (ret)
		failed(d, &e);
}

static void stop(void *ctx)
{
	struct share_dev *d = ctx;
	int ret = 0;
	struct err e;

	for (unsigned i = 0; ret == 0 && i < VIRTIO_FS_QUEUES; i++)
		if (d->core.transport.queue[i].ready)
			ret = vhost_user_stop_ring(d->share->socket, i, &e);
	if (ret)
		failed(d, &e);
}

/* The daemon says nothing on its socket that it was not asked for: what comes is its end. */
static unsigned prepare(void *dev, struct pollfd *fds, unsigned room, int *timeout_ms)
{
	struct share_dev *d = dev;

	(void)room;
	(void)timeout_ms;
	fds[0] = (struct pollfd){.fd = d->call_fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = d->share->socket, .events = POLLRDHUP};
	return d->has_failed ? 1 : 2;
}

static void ready(void *dev, const struct pollfd *fds, unsigned count)
{
	struct share_dev *d = dev;
	eventfd_t calls;

	if (fds[0].revents && eventfd_read(d->call_fd, &calls) == 0)
		virtio_mmio_used(&d->core.transport);
	if (count > 1 && fds[1].revents)
		failed(d, &(struct err){"virtiofsd ended while the guest was running"});
}

static const struct virtio_source share_source = {.prepare = prepare, .ready = ready};

static void release(void *dev)
{
	struct share_dev *d = dev;

	if (d->call_fd >= 0)
		close(d->call_fd);
}

int share_dev_make(struct machine *m, unsigned index, void **state, struct err *e)
{
	struct share_dev *d = glue_new(sizeof(*d), m, state, e);
	const struct virtio_fs_env env = {.start = start, .stop = stop, .ctx = d};
	struct guest_memory mem = glue_memory(m);

	if (!d)
		return -ENOMEM;
	d->share = &m->share[index];
	d->slot.release = release;
	d->call_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->call_fd < 0)
		return err_set(e, errno, "can't create an eventfd: %s", strerror(errno));
	virtio_fs_init(&d->core, &env, d->share->features, d->share->tag, &mem,
		       virtio_slot_interrupt, &d->slot);
	return virtio_slot_init(&d->slot, &d->core.transport, &share_source, e);
}
