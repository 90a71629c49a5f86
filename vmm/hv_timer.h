/* SPDX-License-Identifier: MIT */
/*
 * Timers of the Hyper-V partition on the host's clock: a timerfd each, made when it is first armed,
 * so that no lock is shared by all VPs. One epoll descriptor tells which are due.
 */
#ifndef VPUP_VMM_HV_TIMER_H
#define VPUP_VMM_HV_TIMER_H

#include <stdatomic.h>
#include <stdint.h>

#include "vmm/err.h"

/* A VP's slots: its four synthetic timers, and one for trying an injection again. */
#define HV_TIMER_RETRY  4
#define HV_TIMER_PER_VP 5

struct hv_timers {
	int epoll_fd; /* readable when a timer is due; or -1 */
	uint32_t vps;
	atomic_int *fd; /* [vps * HV_TIMER_PER_VP]: descriptor + 1, or 0 */
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

/* Calls fn for each timer that is due. To be called when epoll_fd is readable; does not wait. */
void hv_timers_serve(struct hv_timers *t, void (*fn)(void *ctx, uint32_t vp, unsigned slot),
		     void *ctx);

#endif
