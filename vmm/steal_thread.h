/* SPDX-License-Identifier: MIT */
/* Holds VPs back as their schedules say: one thread that asks, and the VPs' own that obey. */
#ifndef VPUP_VMM_STEAL_THREAD_H
#define VPUP_VMM_STEAL_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "vmm/err.h"
#include "vmm/steal.h"
#include "vmm/steal_log.h"

struct machine;
struct vp;

/* One VP's place in one schedule. */
struct steal_turn {
	const struct steal_spec *spec;
	uint32_t vp;
	uint64_t index;
	struct steal_interval next; /* the one with that index */
};

struct stealer {
	struct machine *m;
	struct steal_turn *turn; /* [turns], owned */
	size_t turns;
	struct steal_log *log; /* [vps], owned; NULL where nothing is stolen */
	uint64_t start_tsc;    /* host TSC at start_ns */
	uint64_t start_ns;     /* of all schedules, on CLOCK_MONOTONIC */
	pthread_t thread;
	bool running;
	bool stop; /* under lock */
	pthread_mutex_t lock;
	pthread_cond_t wake;
};

/* Adds spec's VPs, before the start. spec must outlive s. Returns 0 or -ENOMEM with e set. */
int stealer_add(struct stealer *s, const struct steal_spec *spec, uint32_t vps, struct err *e);

/* Starts the schedules now, if there are any. Once m's VPs exist, before they run. */
int stealer_start(struct stealer *s, struct machine *m, struct err *e);

/* No VP is held any more after this; the logs are final once the VPs' threads have ended. */
void stealer_stop(struct stealer *s);
void stealer_fini(struct stealer *s);

/* What VP_REQUEST_STEAL asks for: stays out of the guest until the interval's end. */
void steal_serve(struct vp *vp);

#endif
