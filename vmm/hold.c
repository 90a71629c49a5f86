/* SPDX-License-Identifier: MIT */
/* Keeps a VP out of the guest for a time. */
#include "vmm/hold.h"

#include <sys/prctl.h>
#include <time.h>

#include "vmm/machine.h"
#include "vmm/vp.h"

#define NAP_NS         20000000u
#define TIMER_SLACK_NS 1ul /* the default of 50 us is half of a short time */

uint64_t hold_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* In naps, as a kick that comes between the look and the nap would be missed. */
void hold_vp(const struct vp *vp, uint64_t until_ns)
{
	uint64_t now_ns;

	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	while (!atomic_load(&vp->m->stopping) && (now_ns = hold_clock_ns()) < until_ns) {
		uint64_t nap_ns = until_ns - now_ns < NAP_NS ? until_ns : now_ns + NAP_NS;
		const struct timespec until = {.tv_sec = (time_t)(nap_ns / NS_PER_S),
					       .tv_nsec = (long)(nap_ns % NS_PER_S)};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	}
}
