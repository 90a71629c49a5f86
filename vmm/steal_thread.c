/* SPDX-License-Identifier: MIT */
/* Holds VPs back as their schedules say: one thread that asks, and the VPs' own that obey. */
#include "vmm/steal_thread.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "vmm/hold.h"
#include "vmm/machine.h"
#include "vmm/tsc.h"
#include "vmm/vp.h"

#define TIMER_SLACK_NS 1ul /* the default of 50 us is half of a short interval */
#define SPANS_AT_FIRST 64

static int add_turn(struct stealer *s, const struct steal_spec *spec, uint32_t vp)
{
	struct steal_turn *grown = realloc(s->turn, (s->turns + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	s->turn = grown;
	s->turn[s->turns++] = (struct steal_turn){
		.spec = spec,
		.vp = vp,
		.next = steal_interval(spec, vp, 0),
	};
	return 0;
}

int stealer_add(struct stealer *s, const struct steal_spec *spec, uint32_t vps, struct err *e)
{
	int ret = 0;

	if (!s->log)
		s->log = calloc(vps, sizeof(*s->log));
	if (!s->log)
		ret = -ENOMEM;
	for (uint32_t vp = 0; vp < vps && ret == 0; vp++) {
		if (spec->vps.count == 0 || id_list_has(&spec->vps, vp))
			ret = add_turn(s, spec, vp);
	}
	return ret ? err_set(e, ENOMEM, "out of memory for --noise steal") : 0;
}

/* Adds to the plan what the interval has that no other schedule of this VP has had. */
static void plan(struct steal_log *log, uint64_t begin_ns, uint64_t end_ns)
{
	if (begin_ns < log->planned_until_ns)
		begin_ns = log->planned_until_ns;
	if (end_ns <= begin_ns)
		return;
	log->planned_ns += end_ns - begin_ns;
	log->planned_until_ns = end_ns;
}

/* A VP that waits for INIT and SIPI has no processor that could be taken from it. */
static void take_turn(struct stealer *s, struct steal_turn *t, uint64_t now_ns)
{
	uint64_t begin_ns = s->start_ns + t->next.begin_ns, end_ns = begin_ns + t->next.length_ns;
	struct vp *vp = &s->m->vp[t->vp];

	if (atomic_load(&vp->started)) {
		plan(&s->log[t->vp], begin_ns, end_ns);
		if (end_ns > atomic_load(&vp->steal_until_ns))
			atomic_store(&vp->steal_until_ns, end_ns);
		if (now_ns < end_ns)
			vp_request(vp, VP_REQUEST_STEAL);
	}
	t->next = steal_interval(t->spec, t->vp, ++t->index);
}

/* Serves what is due and returns when the next one is. */
static uint64_t take_turns(struct stealer *s, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;

	for (size_t i = 0; i < s->turns; i++) {
		struct steal_turn *t = &s->turn[i];

		while (s->start_ns + t->next.begin_ns <= now_ns)
			take_turn(s, t, now_ns);
		if (s->start_ns + t->next.begin_ns < next_ns)
			next_ns = s->start_ns + t->next.begin_ns;
	}
	return next_ns;
}

/* On time even where the CPUs are busy, which is when noise is looked at. It runs for microseconds. */
static void be_punctual(void)
{
	const struct sched_param p = {.sched_priority = 1};

	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &p); /* if this process may */
}

static void *stealer_thread(void *arg)
{
	struct stealer *s = arg;

	be_punctual();
	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		uint64_t next_ns = take_turns(s, hold_clock_ns());
		const struct timespec due = {.tv_sec = (time_t)(next_ns / NS_PER_S),
					     .tv_nsec = (long)(next_ns % NS_PER_S)};

		pthread_cond_timedwait(&s->wake, &s->lock, &due);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int stealer_start(struct stealer *s, struct machine *m, struct err *e)
{
	pthread_condattr_t attr;
	int ret;

	if (s->turns == 0)
		return 0;
	s->m = m;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attr);
	pthread_condattr_destroy(&attr);
	for (size_t i = 0; i < s->turns; i++)
		m->vp[s->turn[i].vp].stolen = &s->log[s->turn[i].vp];
	s->start_ns = hold_clock_ns();
	s->start_tsc = tsc_now();
	ret = pthread_create(&s->thread, NULL, stealer_thread, s);
	if (ret)
		return err_set(e, ret, "can't start the thread of --noise steal: %s",
			       strerror(ret));
	s->running = true;
	return 0;
}

void stealer_stop(struct stealer *s)
{
	uint64_t now_ns;

	if (!s->running)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	s->running = false;
	now_ns = hold_clock_ns();
	for (uint32_t i = 0; i < s->m->topology.vps; i++) {
		if (s->log[i].planned_until_ns > now_ns)
			s->log[i].planned_ns -= s->log[i].planned_until_ns - now_ns;
	}
}

void stealer_fini(struct stealer *s)
{
	for (uint32_t i = 0; s->m && i < s->m->topology.vps; i++)
		free(s->log[i].span);
	free(s->log);
	free(s->turn);
	*s = (struct stealer){0};
}

/* The VP's own thread alone writes this part of the log. */
static void log_span(struct steal_log *log, struct steal_span span)
{
	log->stolen_cycles += span.to_tsc - span.from_tsc;
	if (log->spans == log->capacity) {
		size_t capacity = log->capacity ? 2 * log->capacity : SPANS_AT_FIRST;
		struct steal_span *grown = realloc(log->span, capacity * sizeof(*grown));

		if (!grown) {
			log->lost_spans++;
			return;
		}
		log->span = grown;
		log->capacity = capacity;
	}
	log->span[log->spans++] = span;
}

void steal_serve(struct vp *vp)
{
	struct steal_span span = {.from_tsc = tsc_now()};

	hold_vp(vp, atomic_load(&vp->steal_until_ns));
	span.to_tsc = tsc_now();
	log_span(vp->stolen, span);
}
