/* SPDX-License-Identifier: MIT */
/* A virtio device in the machine. */
#include "vmm/virtio_slot.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "vmm/layout.h"

void virtio_slot_interrupt(void *ctx)
{
	struct virtio_slot *s = ctx;

	eventfd_write(s->irq_fd, 1);
}

/* Only notifications come here that KVM did not keep, as those with a queue that does not exist. */
static enum io_status access_registers(void *dev, struct io_access *a)
{
	struct virtio_slot *s = dev;
	int queue = -1;

	pthread_mutex_lock(&s->glue.lock);
	if (a->is_write)
		queue = virtio_mmio_write(s->transport, (unsigned)a->off, a->size, a->val);
	else
		a->val = virtio_mmio_read(s->transport, (unsigned)a->off, a->size);
	pthread_mutex_unlock(&s->glue.lock);
	if (queue >= 0)
		eventfd_write(s->kick_fd[queue], 1);
	return IO_OK;
}

static bool take_event(int fd)
{
	eventfd_t count;

	return eventfd_read(fd, &count) == 0;
}

/* One wait, and what came of it. False: the machine ends. */
static bool serve_once(struct virtio_slot *s)
{
	struct pollfd fds[1 + VIRTIO_QUEUES_MAX + VIRTIO_POLL_MAX];
	unsigned queues = s->transport->kind->queues, own = 1 + queues, others = 0;
	int timeout_ms = -1;

	fds[0] = (struct pollfd){.fd = s->stop_fd, .events = POLLIN};
	for (unsigned i = 0; i < queues; i++)
		fds[1 + i] = (struct pollfd){
			.fd = s->transport->kind->serve ? s->kick_fd[i] : -1,
			.events = POLLIN,
		};
	if (s->source) {
		pthread_mutex_lock(&s->glue.lock);
		others = s->source->prepare(s, fds + own, VIRTIO_POLL_MAX, &timeout_ms);
		pthread_mutex_unlock(&s->glue.lock);
	}
	if (poll(fds, own + others, timeout_ms) < 0)
		return errno == EINTR;
	if (fds[0].revents)
		return false;
	pthread_mutex_lock(&s->glue.lock);
	for (unsigned i = 0; i < queues; i++)
		if (fds[1 + i].revents && take_event(s->kick_fd[i]))
			virtio_mmio_serve(s->transport, i);
	if (s->source)
		s->source->ready(s, fds + own, others);
	pthread_mutex_unlock(&s->glue.lock);
	return true;
}

static void *serve(void *arg)
{
	struct virtio_slot *s = arg;

	while (serve_once(s))
		;
	return NULL;
}

static int open_event(int *fd, struct err *e)
{
	*fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return *fd < 0 ? err_set(e, errno, "can't create an eventfd: %s", strerror(errno)) : 0;
}

static int open_events(struct virtio_slot *s, struct err *e)
{
	int ret = open_event(&s->irq_fd, e);

	if (ret == 0)
		ret = open_event(&s->stop_fd, e);
	for (unsigned i = 0; ret == 0 && i < s->transport->kind->queues; i++)
		ret = open_event(&s->kick_fd[i], e);
	return ret;
}

static int connect_events(struct virtio_slot *s, struct err *e)
{
	struct kvm *k = &s->glue.m->kvm;
	uint64_t notify =
		LAYOUT_VIRTIO + s->index * (uint64_t)VIRTIO_MMIO_SIZE + VIRTIO_MMIO_NOTIFY;
	int ret = kvm_set_irqfd(k, LAYOUT_IRQ_VIRTIO + s->index, s->irq_fd, -1, e);

	for (unsigned i = 0; ret == 0 && i < s->transport->kind->queues; i++)
		ret = kvm_ioeventfd(k, s->kick_fd[i], notify, i, e);
	return ret;
}

static int claim(struct virtio_slot *s)
{
	uint64_t base = LAYOUT_VIRTIO + s->index * (uint64_t)VIRTIO_MMIO_SIZE;

	return bus_claim(&s->glue.m->mmio, &(struct io_range){
						   .name = s->transport->kind->name,
						   .base = base,
						   .last = base + VIRTIO_MMIO_SIZE - 1,
						   .fn = access_registers,
						   .dev = s,
					   });
}

int virtio_slot_init(struct virtio_slot *s, struct virtio_mmio *transport,
		     const struct virtio_source *source, struct err *e)
{
	struct machine *m = s->glue.m;
	int ret;

	s->transport = transport;
	s->source = source;
	s->irq_fd = s->stop_fd = -1;
	for (unsigned i = 0; i < VIRTIO_QUEUES_MAX; i++)
		s->kick_fd[i] = -1;
	s->index = m->virtio_slots++;
	ret = open_events(s, e);
	if (ret == 0)
		ret = connect_events(s, e);
	if (ret == 0)
		ret = claim(s);
	if (ret)
		return ret;
	ret = pthread_create(&s->thread, NULL, serve, s);
	if (ret)
		return err_set(e, ret, "can't start a thread: %s", strerror(ret));
	s->running = true;
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void virtio_slot_fini(struct virtio_slot *s)
{
	if (s->running) {
		eventfd_write(s->stop_fd, 1);
		pthread_join(s->thread, NULL);
		s->running = false;
	}
	if (s->release)
		s->release(s);
	if (!s->transport)
		return;
	close_fd(s->irq_fd);
	close_fd(s->stop_fd);
	for (unsigned i = 0; i < VIRTIO_QUEUES_MAX; i++)
		close_fd(s->kick_fd[i]);
}
