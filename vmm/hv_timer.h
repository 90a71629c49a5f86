/* SPDX-License-Identifier: MIT */
/*
 * Timers of the Hyper-V partition on the host's clock. VPs are dealt out over shards, each with a
 * lock, a heap of what is due and one timerfd, so that no lock is shared by all VPs, and 1000 VPs need
 * no more descriptors than 64 do. One epoll descriptor tells which shards have something due.
 */
#ifndef VPUP_VMM_HV_TIMER_H
#define VPUP_VMM_HV_TIMER_H

#include <pthread.h>
#include <stdint.h>

#include "vmm/err.h"

/* A VP's slots: its four synthetic timers, and one for trying an injection again. */
#define HV_TIMER_RETRY  4
#define HV_TIMER_PER_VP 5

#define HV_TIMER_SHARDS_MAX 64

struct hv_timer {
	uint64_t due_ns; /* CLOCK_MONOTONIC */
	uint32_t at;     /* place in its shard's heap, counted from 1; 0: it is not armed */
};

struct hv_timer_shard {
	_Alignas(64) pthread_mutex_t lock;
	int fd;          /* timerfd, made when the first timer is armed; or -1 */
	uint64_t set_ns; /* what fd is set to, never later than the first of heap; or never */
	uint32_t count;
	uint32_t *heap; /* [count] indices of timers, the first one due at heap[0] */
};

struct hv_timers {
	int epoll_fd; /* readable when a timer may be due; or -1 */
	uint32_t shards;
	struct hv_timer *timer; /* [vps * HV_TIMER_PER_VP] */
	uint32_t *heaps;        /* likewise: those of all shards, one behind the other */
	struct hv_timer_shard *shard;
};

/* Returns 0 or -errno with e set; t is fit for hv_timers_fini() in any case. */
int hv_timers_init(struct hv_timers *t, uint32_t vps, struct err *e);
void hv_timers_fini(struct hv_timers *t);

/*
 * Makes the timer due delay_ns from now (0: at once), instead of when it was due before. Any
 * thread; calls for one slot must not run beside each other. Returns 0 or -errno.
 */
int hv_timers_arm(struct hv_timers *t, uint32_t vp, unsigned slot, uint64_t delay_ns);
void hv_timers_disarm(struct hv_timers *t, uint32_t vp, unsigned slot);

/*
 * Calls fn for each timer that is due, which then is armed no longer. To be called when epoll_fd is
 * readable; does not wait. fn may arm and disarm.
 */
void hv_timers_serve(struct hv_timers *t, void (*fn)(void *ctx, uint32_t vp, unsigned slot),
		     void *ctx);

#endif
