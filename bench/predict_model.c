/* SPDX-License-Identifier: MIT */
/* A model of bring-up, run event by event. */
#include "bench/predict_model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/time_heap.h"

static const char *const cost_names[PREDICT_COSTS] = {
#define PREDICT_COST_NAME(id, name) name,
	PREDICT_COSTS_X(PREDICT_COST_NAME)
#undef PREDICT_COST_NAME
};

static const char *const mode_names[PREDICT_MODES] = {"serial", "kick", "init", "full", "hvcall"};

const char *predict_cost_name(enum predict_cost c)
{
	return cost_names[c];
}

const char *predict_mode_name(enum predict_mode m)
{
	return mode_names[m];
}

enum predict_mode predict_mode_find(const char *name)
{
	unsigned m = 0;

	while (m < PREDICT_MODES && strcmp(mode_names[m], name) != 0)
		m++;
	return m;
}

/* What a VP goes through. At a gate it waits for its turn, at UCODE perhaps for its sibling. */
enum step {
	STEP_START,
	STEP_GATE_ENTRY,
	STEP_INIT,
	STEP_UCODE,
	STEP_IDENTIFY,
	STEP_GATE_INIT,
	STEP_CALIBRATE,
	STEP_TSCSYNC,
	STEP_WORK,
	STEP_ONLINE,
	STEP_DONE
};

#define BOOT 0

enum boot_step { BOOT_KICK, BOOT_WAIT, BOOT_RELEASE, BOOT_END };

/*
 * Those that compute share the host's cores evenly: each gets `service` at the same rate, so that they
 * end in the order of the service at which they will have had enough.
 */
struct sim {
	const struct predict_machine *m;
	struct time_heap computing; /* by service */
	struct time_heap asleep;    /* by time */
	double now_us;
	double service_us;
	uint8_t *step;     /* [vps], enum step */
	uint32_t online;   /* VPs but the boot VP */
	uint32_t released; /* up to this index they may pass the gate */
	enum boot_step boot;
	uint32_t boot_at; /* the VP that the boot VP is busy with, or waits for */
};

static bool is_first_thread(const struct predict_machine *m, uint32_t vp)
{
	return vp % m->threads == 0;
}

static uint32_t socket_of(const struct predict_machine *m, uint32_t vp)
{
	return (uint32_t)((uint64_t)vp * m->sockets / m->vps);
}

static bool is_first_of_further_socket(const struct predict_machine *m, uint32_t vp)
{
	return vp > 0 && socket_of(m, vp) != socket_of(m, vp - 1);
}

static void compute(struct sim *s, uint32_t who, double us)
{
	time_heap_add(&s->computing, s->service_us + us, who);
}

static void sleep_for(struct sim *s, uint32_t who, double us)
{
	time_heap_add(&s->asleep, s->now_us + us, who);
}

static double start_us(const struct predict_machine *m, uint32_t vp)
{
	bool remote = socket_of(m, vp) > 0 && is_first_thread(m, vp);

	return m->cost_us[PREDICT_START] + (remote ? m->cost_us[PREDICT_REMOTE] : 0);
}

/* True: microcode is no matter for it, any more. False: it loads it, or waits until that is done. */
static bool passes_ucode(struct sim *s, uint32_t vp)
{
	uint32_t first = vp - vp % s->m->threads;

	if (first == BOOT || s->m->cost_us[PREDICT_UCODE] <= 0)
		return true;
	if (vp == first)
		sleep_for(s, vp, s->m->cost_us[PREDICT_UCODE]);
	return vp != first && s->step[first] > STEP_UCODE;
}

static double calibrate_us(const struct predict_machine *m, uint32_t vp)
{
	return !m->known || is_first_of_further_socket(m, vp) ? m->cost_us[PREDICT_CALIBRATE] : 0;
}

/* Begins the VP's step. True: there is nothing to do or to wait for in it. */
static bool begin_step(struct sim *s, uint32_t vp)
{
	const struct predict_machine *m = s->m;

	switch ((enum step)s->step[vp]) {
	case STEP_START:
		compute(s, vp, start_us(m, vp));
		return false;
	case STEP_GATE_ENTRY:
		return m->mode != PREDICT_KICK_FIRST || vp <= s->released;
	case STEP_INIT:
		compute(s, vp, m->cost_us[PREDICT_INIT]);
		return false;
	case STEP_UCODE:
		return passes_ucode(s, vp);
	case STEP_IDENTIFY:
		sleep_for(s, vp, m->cost_us[PREDICT_IDENTIFY]);
		return false;
	case STEP_GATE_INIT:
		return m->mode != PREDICT_INIT_FIRST || vp <= s->released;
	case STEP_CALIBRATE:
		sleep_for(s, vp, calibrate_us(m, vp));
		return false;
	case STEP_TSCSYNC:
		if (!is_first_of_further_socket(m, vp))
			return true;
		sleep_for(s, vp, m->cost_us[PREDICT_TSCSYNC]);
		return false;
	case STEP_WORK:
		sleep_for(s, vp, m->cost_us[PREDICT_ONLINE_WORK]);
		return false;
	case STEP_ONLINE:
		compute(s, vp, m->cost_us[PREDICT_ONLINE]);
		return false;
	case STEP_DONE:
		break;
	}
	s->online++;
	return false;
}

static void go_on(struct sim *s, uint32_t vp)
{
	while (begin_step(s, vp))
		s->step[vp]++;
}

static void pass(struct sim *s, uint32_t vp)
{
	s->step[vp]++;
	go_on(s, vp);
}

static void begin(struct sim *s, uint32_t vp)
{
	s->step[vp] = STEP_START;
	go_on(s, vp);
}

/* The VPs that the boot VP waits for are online, or not yet. */
static void boot_look(struct sim *s)
{
	if (s->boot != BOOT_WAIT || s->online < s->boot_at)
		return;
	if (s->m->mode == PREDICT_KICK_FIRST || s->m->mode == PREDICT_INIT_FIRST) {
		if (s->boot_at++ == s->m->vps - 1) {
			s->boot = BOOT_END;
			return;
		}
	}
	s->boot = BOOT_RELEASE;
	compute(s, BOOT, s->m->cost_us[PREDICT_RELEASE]);
}

static void boot_kick(struct sim *s, uint32_t vp)
{
	s->boot = BOOT_KICK;
	s->boot_at = vp;
	compute(s, BOOT, s->m->cost_us[PREDICT_KICK]);
}

static void boot_kicked(struct sim *s)
{
	const uint32_t last = s->m->vps - 1;

	if (s->m->mode == PREDICT_FULL)
		for (s->boot_at = 1; s->boot_at < last; s->boot_at++)
			begin(s, s->boot_at);
	begin(s, s->boot_at);
	if (s->m->mode == PREDICT_SERIAL || (s->m->mode >= PREDICT_FULL && s->boot_at == last)) {
		s->boot = BOOT_WAIT;
	} else if (s->boot_at < last) {
		boot_kick(s, s->boot_at + 1);
	} else {
		s->boot_at = 1;
		s->boot = BOOT_RELEASE;
		compute(s, BOOT, s->m->cost_us[PREDICT_RELEASE]);
	}
}

static void boot_released(struct sim *s)
{
	const uint32_t last = s->m->vps - 1;
	uint8_t gate = s->m->mode == PREDICT_KICK_FIRST ? STEP_GATE_ENTRY : STEP_GATE_INIT;

	switch (s->m->mode) {
	case PREDICT_KICK_FIRST:
	case PREDICT_INIT_FIRST:
		s->released = s->boot_at;
		s->boot = BOOT_WAIT;
		if (s->step[s->boot_at] == gate)
			pass(s, s->boot_at);
		return;
	case PREDICT_SERIAL:
		if (s->boot_at < last) {
			boot_kick(s, s->boot_at + 1);
			return;
		}
		break;
	default:
		break;
	}
	s->boot = BOOT_END;
}

/* A first thread that has its microcode lets the others of its core go on. */
static void wake_siblings(struct sim *s, uint32_t first)
{
	for (uint32_t vp = first + 1; vp < first + s->m->threads && vp < s->m->vps; vp++) {
		if (s->step[vp] == STEP_UCODE)
			pass(s, vp);
	}
}

static void ended(struct sim *s, uint32_t who)
{
	bool ucode = who != BOOT && s->step[who] == STEP_UCODE;

	if (who == BOOT && s->boot == BOOT_KICK)
		boot_kicked(s);
	else if (who == BOOT)
		boot_released(s);
	else
		pass(s, who);
	if (ucode)
		wake_siblings(s, who);
	boot_look(s);
}

/* Goes to the next thing that ends. */
static void advance(struct sim *s)
{
	double rate = fmin(1, (double)s->m->cores / (double)s->computing.count);
	double at = s->computing.count
			    ? s->now_us + (s->computing.entry[0].key - s->service_us) / rate
			    : INFINITY;
	struct time_heap *h = &s->computing;

	if (s->asleep.count && s->asleep.entry[0].key < at) {
		at = s->asleep.entry[0].key;
		h = &s->asleep;
	}
	if (h == &s->computing)
		s->service_us = s->computing.entry[0].key;
	else if (s->computing.count)
		s->service_us += (at - s->now_us) * rate;
	s->now_us = at;
	ended(s, time_heap_take(h));
}

int predict_bring_up(const struct predict_machine *m, double *ms)
{
	struct sim s = {.m = m};
	int ret = -ENOMEM;

	*ms = 0;
	if (m->vps < 2)
		return 0;
	s.step = calloc(m->vps, sizeof(*s.step));
	if (s.step && time_heap_init(&s.computing, m->vps) == 0 &&
	    time_heap_init(&s.asleep, m->vps) == 0) {
		memset(s.step, STEP_DONE, m->vps);
		boot_kick(&s, 1);
		while (s.boot != BOOT_END)
			advance(&s);
		*ms = s.now_us / 1000;
		ret = 0;
	}
	time_heap_fini(&s.computing);
	time_heap_fini(&s.asleep);
	free(s.step);
	return ret;
}

double predict_synic_ms(bool parallel, uint32_t vps, uint32_t cores, double cost_us)
{
	double side_by_side = parallel ? fmin(vps, cores) : 1;

	return cost_us * vps / side_by_side / 1000;
}
