/* SPDX-License-Identifier: MIT */
/* Timers of the Hyper-V partition on the host's clock. */
#include "vmm/hv_timer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S      1000000000ull
#define EVENTS_A_CALL 64
#define NEVER         UINT64_MAX

static int shards_init(struct hv_timers *t, uint32_t vps, uint32_t shards)
{
	uint32_t *heap = t->heaps;

	for (; t->shards < shards; t->shards++) {
		struct hv_timer_shard *s = &t->shard[t->shards];

		*s = (struct hv_timer_shard){.fd = -1, .set_ns = NEVER, .heap = heap};
		if (pthread_mutex_init(&s->lock, NULL))
			return -ENOMEM;
		/* Shard i has VPs i, i + shards, i + 2 * shards ... */
		heap += (size_t)((vps - t->shards + shards - 1) / shards) * HV_TIMER_PER_VP;
	}
	return 0;
}

int hv_timers_init(struct hv_timers *t, uint32_t vps, struct err *e)
{
	size_t timers = (size_t)vps * HV_TIMER_PER_VP;
	uint32_t shards = vps < HV_TIMER_SHARDS_MAX ? vps : HV_TIMER_SHARDS_MAX;

	*t = (struct hv_timers){.epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
	if (t->epoll_fd < 0)
		return err_set(e, errno, "can't create an epoll descriptor: %s", strerror(errno));
	t->timer = calloc(timers, sizeof(*t->timer));
	t->heaps = calloc(timers, sizeof(*t->heaps));
	t->shard = aligned_alloc(_Alignof(struct hv_timer_shard), shards * sizeof(*t->shard));
	if (!t->timer || !t->heaps || !t->shard || shards_init(t, vps, shards))
		return err_set(e, ENOMEM, "out of memory for timers");
	return 0;
}

void hv_timers_fini(struct hv_timers *t)
{
	for (uint32_t i = 0; i < t->shards; i++) {
		if (t->shard[i].fd >= 0)
			close(t->shard[i].fd);
		pthread_mutex_destroy(&t->shard[i].lock);
	}
	free(t->shard);
	free(t->heaps);
	free(t->timer);
	if (t->epoll_fd >= 0)
		close(t->epoll_fd);
	*t = (struct hv_timers){.epoll_fd = -1};
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* The functions from here to settle() are called with the shard's lock held. */

static uint64_t due_at(const struct hv_timers *t, const struct hv_timer_shard *s, uint32_t at)
{
	return t->timer[s->heap[at - 1]].due_ns;
}

static void put(struct hv_timers *t, struct hv_timer_shard *s, uint32_t at, uint32_t index)
{
	s->heap[at - 1] = index;
	t->timer[index].at = at;
}

/* Moves the timer at `at` to where it belongs, up or down. Children of n are 2n and 2n + 1. */
static void sift(struct hv_timers *t, struct hv_timer_shard *s, uint32_t at)
{
	const uint32_t index = s->heap[at - 1];
	const uint64_t due_ns = t->timer[index].due_ns;
	uint32_t child;

	for (; at > 1 && due_at(t, s, at / 2) > due_ns; at /= 2)
		put(t, s, at, s->heap[at / 2 - 1]);
	for (; (child = 2 * at) <= s->count; at = child) {
		if (child < s->count && due_at(t, s, child + 1) < due_at(t, s, child))
			child++;
		if (due_at(t, s, child) >= due_ns)
			break;
		put(t, s, at, s->heap[child - 1]);
	}
	put(t, s, at, index);
}

static void take_out(struct hv_timers *t, struct hv_timer_shard *s, uint32_t index)
{
	uint32_t at = t->timer[index].at, last = s->heap[s->count - 1];

	t->timer[index].at = 0;
	s->count--;
	if (last == index)
		return;
	put(t, s, at, last);
	sift(t, s, at);
}

static int make_fd(const struct hv_timers *t, struct hv_timer_shard *s)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)(s - t->shard)};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), ret;

	if (fd < 0)
		return -errno;
	if (epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0) {
		ret = -errno;
		close(fd);
		return ret;
	}
	s->fd = fd;
	return 0;
}

/*
 * Sees to it that the descriptor becomes readable no later than the first timer is due. It may do
 * so earlier, after that timer was put off: one wake-up in vain costs less than a call each time.
 */
static int settle(const struct hv_timers *t, struct hv_timer_shard *s)
{
	struct itimerspec due = {0};
	uint64_t first_ns;
	int ret = 0;

	if (s->count == 0 || due_at(t, s, 1) >= s->set_ns)
		return 0;
	if (s->fd < 0)
		ret = make_fd(t, s);
	if (ret)
		return ret;
	first_ns = due_at(t, s, 1);
	due.it_value.tv_sec = (time_t)(first_ns / NS_PER_S);
	due.it_value.tv_nsec = (long)(first_ns % NS_PER_S);
	if (timerfd_settime(s->fd, TFD_TIMER_ABSTIME, &due, NULL) < 0)
		return -errno;
	s->set_ns = first_ns;
	return 0;
}

static struct hv_timer_shard *shard_of(const struct hv_timers *t, uint32_t vp)
{
	return &t->shard[vp % t->shards];
}

int hv_timers_arm(struct hv_timers *t, uint32_t vp, unsigned slot, uint64_t delay_ns)
{
	uint32_t index = vp * HV_TIMER_PER_VP + slot;
	struct hv_timer_shard *s = shard_of(t, vp);
	struct hv_timer *timer = &t->timer[index];
	uint64_t due_ns;
	int ret;

	if (__builtin_add_overflow(now_ns(), delay_ns, &due_ns))
		due_ns = NEVER - 1;
	pthread_mutex_lock(&s->lock);
	timer->due_ns = due_ns;
	if (timer->at == 0)
		put(t, s, ++s->count, index);
	sift(t, s, timer->at);
	ret = settle(t, s);
	if (ret)
		take_out(t, s, index);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

void hv_timers_disarm(struct hv_timers *t, uint32_t vp, unsigned slot)
{
	uint32_t index = vp * HV_TIMER_PER_VP + slot;
	struct hv_timer_shard *s = shard_of(t, vp);

	pthread_mutex_lock(&s->lock);
	if (t->timer[index].at)
		take_out(t, s, index);
	pthread_mutex_unlock(&s->lock);
}

static void serve_shard(struct hv_timers *t, struct hv_timer_shard *s,
			void (*fn)(void *ctx, uint32_t vp, unsigned slot), void *ctx)
{
	uint64_t count;

	pthread_mutex_lock(&s->lock);
	/* Nothing to read: it was set anew meanwhile, and is readable again when that is due. */
	if (read(s->fd, &count, sizeof(count)) == sizeof(count))
		s->set_ns = NEVER;
	while (s->count && due_at(t, s, 1) <= now_ns()) {
		uint32_t index = s->heap[0];

		take_out(t, s, index);
		/* fn takes locks under which others arm timers. */
		pthread_mutex_unlock(&s->lock);
		fn(ctx, index / HV_TIMER_PER_VP, index % HV_TIMER_PER_VP);
		pthread_mutex_lock(&s->lock);
	}
	settle(t, s); /* can't fail: the descriptor is there */
	pthread_mutex_unlock(&s->lock);
}

void hv_timers_serve(struct hv_timers *t, void (*fn)(void *ctx, uint32_t vp, unsigned slot),
		     void *ctx)
{
	struct epoll_event event[EVENTS_A_CALL];
	int n = epoll_wait(t->epoll_fd, event, EVENTS_A_CALL, 0);

	for (int i = 0; i < n; i++)
		serve_shard(t, &t->shard[event[i].data.u32], fn, ctx);
}
