/* SPDX-License-Identifier: MIT */
/* Synthetic timers. */
#include "hyperv/hv_internal.h"

#include <string.h>

/*
 * Missed periods of a timer that is not lazy are made up for by shorter ones, but no more than this
 * many: a VP that stood still for an hour does not want an hour's ticks.
 */
#define CATCH_UP_PERIODS 8

/* A periodic timer goes off no sooner than this after its last expiry, whatever its period. */
#define MIN_INTERVAL_100NS 1000

static uint64_t sat_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static unsigned sint_of(const struct hv_stimer *t)
{
	return (t->config & HV_STIMER_SINT_MASK) >> HV_STIMER_SINT_SHIFT;
}

static unsigned vector_of(uint64_t config)
{
	return (config & HV_STIMER_APIC_VECTOR_MASK) >> HV_STIMER_APIC_VECTOR_SHIFT;
}

static void arm(struct hv_partition *p, struct hv_vp *vp, unsigned n, uint64_t now)
{
	struct hv_stimer *t = &vp->timer[n];

	if (t->fire_100ns > now && t->fire_100ns - now > HV_STIMER_HORIZON_100NS)
		return;
	t->armed = true;
	p->ops->timer_arm(p->ctx, vp->index, n, t->fire_100ns);
}

/*
 * When the period after the one that ended at due_100ns ends. Counted from nominal times, not from
 * now, so nothing drifts. Lazy: periods that are over already are skipped.
 */
static void next_period(struct hv_stimer *t, uint64_t now)
{
	uint64_t period = t->count;
	uint64_t soonest = period / 2 > MIN_INTERVAL_100NS ? period / 2 : MIN_INTERVAL_100NS;
	uint64_t missed;

	if (t->config & HV_STIMER_LAZY)
		t->due_100ns = now - (now - t->due_100ns) % period;
	t->due_100ns = sat_add(t->due_100ns, period);
	missed = now > t->due_100ns ? (now - t->due_100ns) / period : 0;
	if (missed > CATCH_UP_PERIODS)
		t->due_100ns += (missed - CATCH_UP_PERIODS) * period;
	t->fire_100ns = sat_add(now, soonest);
	if (t->fire_100ns < t->due_100ns)
		t->fire_100ns = t->due_100ns;
}

/* An expiry that finds the previous one's message still waiting is lost. */
static void expire(struct hv_partition *p, struct hv_vp *vp, unsigned n, uint64_t now)
{
	struct hv_stimer *t = &vp->timer[n];

	if (t->config & HV_STIMER_DIRECT) {
		hv_vp_irq(vp, vector_of(t->config), false);
		hv_stimer_delivered(vp, n);
	} else {
		if (!t->waiting)
			t->waiting_due_100ns = t->due_100ns;
		t->waiting = true;
		hv_synic_flush(p, vp, sint_of(t));
	}
	if (t->config & HV_STIMER_PERIODIC) {
		next_period(t, now);
		arm(p, vp, n, now);
	}
}

void hv_stimer_expired(struct hv_partition *p, uint32_t vp_index, unsigned n)
{
	struct hv_vp *vp = hv_vp(p, vp_index);
	struct hv_stimer *t = &vp->timer[n];

	assert(n < HV_STIMER_COUNT);
	hv_vp_lock(vp);
	if (t->armed) {
		uint64_t now = hv_ref_time_100ns(p, vp_index);

		t->armed = false;
		if (now < t->fire_100ns)
			arm(p, vp, n, now);
		else
			expire(p, vp, n, now);
	}
	hv_vp_unlock(p, vp);
}

static void stop(struct hv_partition *p, struct hv_vp *vp, unsigned n)
{
	struct hv_stimer *t = &vp->timer[n];

	if (t->armed)
		p->ops->timer_disarm(p->ctx, vp->index, n);
	t->armed = false;
	t->waiting = false;
}

/* After a write to either register. */
static void start(struct hv_partition *p, struct hv_vp *vp, unsigned n)
{
	struct hv_stimer *t = &vp->timer[n];
	uint64_t now;

	/* SINT 0 is no place for timer messages. */
	if (!(t->config & HV_STIMER_DIRECT) && !sint_of(t))
		t->config &= ~HV_STIMER_ENABLE;
	if (!(t->config & HV_STIMER_ENABLE) || !t->count)
		return;
	now = hv_ref_time_100ns(p, vp->index);
	t->due_100ns = t->config & HV_STIMER_PERIODIC ? sat_add(now, t->count) : t->count;
	t->fire_100ns = t->due_100ns;
	if (t->fire_100ns <= now)
		expire(p, vp, n, now);
	else
		arm(p, vp, n, now);
}

enum hv_msr_result hv_stimer_config_read(struct hv_msr_access *a)
{
	hv_vp_lock(a->vp);
	a->val = a->vp->timer[a->n].config; /* an expiry elsewhere may clear its first bit */
	hv_vp_unlock(a->p, a->vp);
	return HV_MSR_OK;
}

static bool config_is_legal(const struct hv_partition *p, uint64_t config)
{
	if (config & HV_STIMER_RSVD_MASK)
		return false;
	if (!(config & HV_STIMER_DIRECT))
		return true;
	return hv_has(p, HV_FEATURE_STIMER_DIRECT) &&
	       (vector_of(config) >= HV_SYNIC_FIRST_VALID_VECTOR ||
		!(config & (HV_STIMER_ENABLE | HV_STIMER_AUTOENABLE)));
}

enum hv_msr_result hv_stimer_config_write(struct hv_msr_access *a)
{
	if (!config_is_legal(a->p, a->val))
		return HV_MSR_GP;
	hv_vp_lock(a->vp);
	stop(a->p, a->vp, a->n);
	a->vp->timer[a->n].config = a->val;
	start(a->p, a->vp, a->n);
	hv_vp_unlock(a->p, a->vp);
	return HV_MSR_OK;
}

enum hv_msr_result hv_stimer_count_read(struct hv_msr_access *a)
{
	a->val = a->vp->timer[a->n].count;
	return HV_MSR_OK;
}

enum hv_msr_result hv_stimer_count_write(struct hv_msr_access *a)
{
	struct hv_stimer *t = &a->vp->timer[a->n];

	hv_vp_lock(a->vp);
	stop(a->p, a->vp, a->n);
	t->count = a->val;
	if (!t->count)
		t->config &= ~HV_STIMER_ENABLE;
	else if (t->config & HV_STIMER_AUTOENABLE)
		t->config |= HV_STIMER_ENABLE;
	start(a->p, a->vp, a->n);
	hv_vp_unlock(a->p, a->vp);
	return HV_MSR_OK;
}

unsigned hv_stimer_waiting(const struct hv_vp *vp, unsigned sint, unsigned *timer)
{
	unsigned count = 0;

	for (unsigned n = HV_STIMER_COUNT; n-- > 0;) {
		if (!vp->timer[n].waiting || sint_of(&vp->timer[n]) != sint)
			continue;
		*timer = n;
		count++;
	}
	return count;
}

void hv_stimer_message(struct hv_partition *p, struct hv_vp *vp, unsigned n, struct hv_message *m)
{
	const struct hv_timer_message body = {
		.timer = n,
		.expiration_time = vp->timer[n].waiting_due_100ns,
		.delivery_time = hv_ref_time_100ns(p, vp->index),
	};

	*m = (struct hv_message){.type = HVMSG_TIMER_EXPIRED, .payload_bytes = sizeof(body)};
	memcpy(m->payload, &body, sizeof(body));
}

void hv_stimer_delivered(struct hv_vp *vp, unsigned n)
{
	struct hv_stimer *t = &vp->timer[n];

	t->waiting = false;
	if (!(t->config & HV_STIMER_PERIODIC))
		t->config &= ~HV_STIMER_ENABLE;
}

void hv_stimer_reset(struct hv_partition *p, struct hv_vp *vp)
{
	for (unsigned n = 0; n < HV_STIMER_COUNT; n++) {
		stop(p, vp, n);
		vp->timer[n] = (struct hv_stimer){0};
	}
}
