/* SPDX-License-Identifier: MIT */
/* Timers of the Hyper-V partition on the host's clock. */
#include "vmm/hv_timer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define NS_PER_S      1000000000ull
#define EVENTS_A_CALL 64

int hv_timers_init(struct hv_timers *t, uint32_t vps, struct err *e)
{
	t->vps = vps;
	t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (t->epoll_fd < 0)
		return err_set(e, errno, "can't create an epoll descriptor: %s", strerror(errno));
	t->fd = calloc((size_t)vps * HV_TIMER_PER_VP, sizeof(*t->fd));
	if (!t->fd)
		return err_set(e, ENOMEM, "out of memory for timers");
	return 0;
}

void hv_timers_fini(struct hv_timers *t)
{
	for (size_t i = 0; t->fd && i < (size_t)t->vps * HV_TIMER_PER_VP; i++)
		if (t->fd[i])
			close(t->fd[i] - 1);
	free(t->fd);
	if (t->epoll_fd >= 0)
		close(t->epoll_fd);
	*t = (struct hv_timers){.epoll_fd = -1};
}

static int make_timer(struct hv_timers *t, uint32_t index)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	int ret;

	if (fd < 0)
		return -errno;
	if (epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0) {
		ret = -errno;
		close(fd);
		return ret;
	}
	atomic_store(&t->fd[index], fd + 1);
	return fd;
}

int hv_timers_arm(struct hv_timers *t, uint32_t vp, unsigned slot, uint64_t delay_ns)
{
	uint32_t index = vp * HV_TIMER_PER_VP + slot;
	struct itimerspec due = {0};
	int fd = atomic_load(&t->fd[index]) - 1;

	if (fd < 0)
		fd = make_timer(t, index);
	if (fd < 0)
		return fd;
	due.it_value.tv_sec = (time_t)(delay_ns / NS_PER_S);
	due.it_value.tv_nsec = (long)(delay_ns % NS_PER_S);
	if (delay_ns == 0)
		due.it_value.tv_nsec = 1; /* 0 would disarm it */
	return timerfd_settime(fd, 0, &due, NULL) < 0 ? -errno : 0;
}

void hv_timers_disarm(struct hv_timers *t, uint32_t vp, unsigned slot)
{
	static const struct itimerspec never;
	int fd = atomic_load(&t->fd[vp * HV_TIMER_PER_VP + slot]) - 1;

	if (fd >= 0)
		timerfd_settime(fd, 0, &never, NULL);
}

void hv_timers_serve(struct hv_timers *t, void (*fn)(void *ctx, uint32_t vp, unsigned slot),
		     void *ctx)
{
	struct epoll_event event[EVENTS_A_CALL];
	int n = epoll_wait(t->epoll_fd, event, EVENTS_A_CALL, 0);

	for (int i = 0; i < n; i++) {
		uint32_t index = event[i].data.u32;
		uint64_t count;

		/* Nothing to read: it was armed anew or disarmed meanwhile. */
		if (read(atomic_load(&t->fd[index]) - 1, &count, sizeof(count)) == sizeof(count))
			fn(ctx, index / HV_TIMER_PER_VP, index % HV_TIMER_PER_VP);
	}
}
