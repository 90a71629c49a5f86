/* SPDX-License-Identifier: MIT */
/* What a result document has for the model: sets of runs that differ in their VP count alone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/groups.h"
#include "bench/predict_fit.h"
#include "vmm/metrics.h"
#include "vmm/result.h"

/* Sums over the secondary VPs, and the cost of one that they become. */
static const struct {
	const char *metric;
	enum predict_cost cost;
	bool is_needed;
} sums[] = {
	{"stage.kick_sum_ms", PREDICT_START, true},
	{"stage.init_sum_ms", PREDICT_INIT, true},
	{"stage.calibrate_sum_ms", PREDICT_CALIBRATE, true},
	{"stage.online_sum_ms", PREDICT_ONLINE, true},
};

/* These are within init and online, asleep: what remains there is computed. */
static const struct {
	const char *metric;
	enum predict_cost within;
} stand_ins[] = {
	{"stage.ucode_sum_ms", PREDICT_INIT},         {"stage.sibling_sum_ms", PREDICT_INIT},
	{"stage.identify_sum_ms", PREDICT_INIT},      {"stage.tscsync_sum_ms", PREDICT_ONLINE},
	{"stage.online_work_sum_ms", PREDICT_ONLINE},
};

static const struct {
	const char *param;
	enum predict_cost cost;
} stand_in_params[] = {
	{"ucode_us", PREDICT_UCODE},
	{"identify_us", PREDICT_IDENTIFY},
	{"tscsync_us", PREDICT_TSCSYNC},
	{"online_us", PREDICT_ONLINE_WORK},
};

static uint32_t number_param(const json_t *params, const char *key, uint32_t otherwise)
{
	const json_t *value = json_object_get(params, key);
	json_int_t n = json_is_integer(value) ? json_integer_value(value) : 0;

	return n > 0 && n <= UINT16_MAX ? (uint32_t)n : otherwise;
}

static const char *word_param(const json_t *params, const char *key)
{
	const char *word = json_string_value(json_object_get(params, key));

	return word ? word : "";
}

static bool is_usable(const json_t *run)
{
	double value;

	if (number_param(json_object_get(run, "params"), "cpus", 0) < 2 ||
	    !result_metric(run, "smp_bringup_ms", &value) || value <= 0)
		return false;
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		if (!result_metric(run, sums[i].metric, &value))
			return false;
	return true;
}

/* Median of a metric over the runs with `vps` VPs; 0 if none has it. room for all of them. */
static double median(const struct run_group *g, uint32_t vps, const char *metric, double *room)
{
	size_t n = 0;

	for (size_t i = 0; i < g->runs; i++) {
		if (is_usable(g->run[i]) &&
		    number_param(json_object_get(g->run[i], "params"), "cpus", 0) == vps &&
		    result_metric(g->run[i], metric, &room[n]))
			n++;
	}
	return n ? metrics_median(room, n) : 0;
}

/* Unless the guest says that it took the value from elsewhere. */
static bool measures_lpj(const json_t *params)
{
	const char *lpj = word_param(params, "lpj");

	return strcmp(lpj, "preset") != 0 && !(lpj[0] >= '0' && lpj[0] <= '9');
}

static void read_sample(struct predict_sample *p, const struct predict_set *s,
			const struct run_group *g, double *room)
{
	const double per_vp = 1000.0 / (p->vps - 1);

	p->bring_up_ms = median(g, p->vps, "smp_bringup_ms", room);
	p->synic_ms = median(g, p->vps, "synic_init_ms", room);
	for (unsigned c = 0; c < PREDICT_COSTS; c++)
		p->stage_us[c] = s->machine.cost_us[c];
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		p->stage_us[sums[i].cost] = median(g, p->vps, sums[i].metric, room) * per_vp;
	for (size_t i = 0; i < sizeof(stand_ins) / sizeof(stand_ins[0]); i++)
		p->stage_us[stand_ins[i].within] -=
			median(g, p->vps, stand_ins[i].metric, room) * per_vp;
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		if (p->stage_us[sums[i].cost] < 0)
			p->stage_us[sums[i].cost] = 0;
	/* A value that is taken and not measured takes no longer than its instructions. */
	if (!measures_lpj(s->params)) {
		p->stage_us[PREDICT_ONLINE] += p->stage_us[PREDICT_CALIBRATE];
		p->stage_us[PREDICT_CALIBRATE] = 0;
	}
	/* One VP of each further socket measures for all of it. */
	if (s->machine.known && s->machine.sockets > 1)
		p->stage_us[PREDICT_CALIBRATE] *= (double)(p->vps - 1) / (s->machine.sockets - 1);
}

static int by_vps(const void *a, const void *b)
{
	const struct predict_sample *x = a, *y = b;

	return (x->vps > y->vps) - (x->vps < y->vps);
}

/* Counts the run among those with its VP count. */
static void count_run(struct predict_set *s, uint32_t vps)
{
	size_t i = 0;

	while (i < s->samples && s->sample[i].vps != vps)
		i++;
	if (i == s->samples)
		s->sample[s->samples++] = (struct predict_sample){.vps = vps};
	s->sample[i].runs++;
}

static void read_machine(struct predict_set *s, const json_t *params, uint32_t cores)
{
	s->machine = (struct predict_machine){
		.mode = predict_mode_find(word_param(params, "smp")),
		.sockets = number_param(params, "sockets", number_param(params, "nodes", 1)),
		.threads = number_param(params, "threads", 1),
		.cores = cores,
		.known = strcmp(word_param(params, "lpj"), "known") == 0,
	};
	s->synic_parallel = strcmp(word_param(params, "synic"), "parallel") == 0;
	for (size_t i = 0; i < sizeof(stand_in_params) / sizeof(stand_in_params[0]); i++)
		s->machine.cost_us[stand_in_params[i].cost] = (double)json_integer_value(
			json_object_get(params, stand_in_params[i].param));
}

/* Leaves s without samples where the group has nothing for the model. */
static int read_set(struct predict_set *s, const struct run_group *g, uint32_t cores)
{
	double *room = calloc(g->runs, sizeof(*room));
	int ret = -ENOMEM;

	*s = (struct predict_set){.params = json_incref(g->params)};
	read_machine(s, g->params, cores);
	s->sample = calloc(g->runs, sizeof(*s->sample));
	if (room && s->sample) {
		ret = 0;
		for (size_t i = 0; i < g->runs && s->machine.mode < PREDICT_MODES; i++)
			if (is_usable(g->run[i]))
				count_run(s, number_param(json_object_get(g->run[i], "params"),
							  "cpus", 0));
		qsort(s->sample, s->samples, sizeof(*s->sample), by_vps);
		for (size_t i = 0; i < s->samples; i++)
			read_sample(&s->sample[i], s, g, room);
	}
	free(room);
	return ret;
}

static void set_fini(struct predict_set *s)
{
	json_decref(s->params);
	free(s->sample);
}

void predict_sets_fini(struct predict_sets *sets)
{
	for (size_t i = 0; i < sets->count; i++)
		set_fini(&sets->set[i]);
	free(sets->set);
	*sets = (struct predict_sets){.count = 0};
}

static int read_sets(struct predict_sets *sets, const struct groups *g, uint32_t cores)
{
	int ret = 0;

	sets->set = calloc(g->count ? g->count : 1, sizeof(*sets->set));
	if (!sets->set)
		return -ENOMEM;
	for (size_t i = 0; ret == 0 && i < g->count; i++) {
		struct predict_set *s = &sets->set[sets->count];

		ret = read_set(s, &g->group[i], cores);
		if (ret || s->samples == 0)
			set_fini(s);
		else
			sets->count++;
	}
	return ret;
}

int predict_sets_read(struct predict_sets *sets, const json_t *document, struct err *e)
{
	json_t *ignored = json_pack("{s:b, s:b}", "cpus", 1, "cores", 1);
	const json_t *host = json_object_get(document, "host");
	uint32_t cores = number_param(host, "cpus_online", 1);
	struct groups g;
	int ret;

	*sets = (struct predict_sets){.count = 0};
	ret = groups_init(&g, json_object_get(document, "runs"), ignored);
	if (ret == 0)
		ret = read_sets(sets, &g, cores);
	groups_fini(&g);
	json_decref(ignored);
	if (ret)
		return err_set(e, -ret, "out of memory");
	if (sets->count == 0)
		return err_set(e, EINVAL,
			       "no run of 2 or more VPs has smp_bringup_ms and stage.kick_sum_ms, "
			       "init_, calibrate_ and online_sum_ms, which a prediction needs");
	return 0;
}
