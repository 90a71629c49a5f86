/* SPDX-License-Identifier: MIT */
/* The model's costs, fitted from what was measured at several VP counts. */
#include "bench/predict_fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SCALE_MAX    64.0
#define SCALE_ROUNDS 40

/* What costs a host core's time, and is longer where that is shared. */
static const enum predict_cost scaled[] = {PREDICT_START, PREDICT_INIT, PREDICT_ONLINE};

#define SCALED (sizeof(scaled) / sizeof(scaled[0]))

/*
 * Least squares through n points, x[i] VPs weighing as much as there are: a mean over more VPs scatters
 * less. Level through one, and where the points don't show a slope: where it is less than twice its
 * standard error, going on in its direction would only multiply noise; and more VPs never make
 * anything cheaper.
 */
static void fit_line(const double *x, const double *y, size_t n, double *at_zero, double *per_vp)
{
	double weight = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0, rest = 0;

	for (size_t i = 0; i < n; i++)
		weight += x[i];
	for (size_t i = 0; i < n; i++) {
		mean_x += x[i] / weight * x[i];
		mean_y += x[i] / weight * y[i];
	}
	for (size_t i = 0; i < n; i++) {
		xx += x[i] * (x[i] - mean_x) * (x[i] - mean_x);
		xy += x[i] * (x[i] - mean_x) * (y[i] - mean_y);
	}
	*per_vp = xx > 0 ? xy / xx : 0;
	for (size_t i = 0; i < n; i++)
		rest += x[i] * pow(y[i] - mean_y - *per_vp * (x[i] - mean_x), 2);
	if (*per_vp < 0 || (n > 2 && *per_vp * *per_vp * xx * (double)(n - 2) < 4 * rest))
		*per_vp = 0;
	*at_zero = mean_y - *per_vp * mean_x;
}

static double line_at(double at_zero, double per_vp, uint32_t vps)
{
	return fmax(0, at_zero + per_vp * vps);
}

static struct predict_machine sample_machine(const struct predict_set *s,
					     const struct predict_sample *p, double scale)
{
	struct predict_machine m = s->machine;

	m.vps = p->vps;
	for (unsigned c = 0; c < PREDICT_COSTS; c++)
		m.cost_us[c] = p->stage_us[c];
	for (size_t i = 0; i < SCALED; i++)
		m.cost_us[scaled[i]] *= scale;
	return m;
}

/*
 * By how much the stages have to be shorter (or longer) than they were measured for the model to take
 * as long as bring-up did. A search, as the model can't be turned round; it takes longer with
 * longer stages.
 */
static int find_scale(const struct predict_set *s, const struct predict_sample *p, double *scale)
{
	double low = 0, high = SCALE_MAX, ms;

	for (int i = 0; i < SCALE_ROUNDS; i++) {
		struct predict_machine m;
		int ret;

		*scale = (low + high) / 2;
		m = sample_machine(s, p, *scale);
		ret = predict_bring_up(&m, &ms);
		if (ret)
			return ret;
		*(ms < p->bring_up_ms ? &low : &high) = *scale;
	}
	return 0;
}

/* One after the other, no VP takes another's time, and what no stage has is the boot VP's. */
static void find_release(struct predict_machine *m, const struct predict_sample *p)
{
	double rest_ms;

	m->cost_us[PREDICT_RELEASE] = 0;
	if (predict_bring_up(m, &rest_ms))
		return;
	rest_ms = p->bring_up_ms - rest_ms;
	m->cost_us[PREDICT_RELEASE] = fmax(0, rest_ms * 1000 / (p->vps - 1));
}

static int sample_costs(const struct predict_set *s, const struct predict_sample *p,
			double cost_us[PREDICT_COSTS])
{
	struct predict_machine m;
	double scale = 1;
	int ret = s->machine.mode == PREDICT_SERIAL ? 0 : find_scale(s, p, &scale);

	if (ret)
		return ret;
	m = sample_machine(s, p, scale);
	if (s->machine.mode == PREDICT_SERIAL)
		find_release(&m, p);
	for (unsigned c = 0; c < PREDICT_COSTS; c++)
		cost_us[c] = m.cost_us[c];
	return 0;
}

/* What a VP's SynIC costs where they don't take each other's time. */
static double synic_us(const struct predict_set *s, const struct predict_sample *p)
{
	double one_us = predict_synic_ms(s->synic_parallel, p->vps, s->machine.cores, 1);

	return p->synic_ms / one_us;
}

/*
 * Where VPs share cores, how long each stage was says more about who had to wait than about what it
 * costs: what they cost together gets a line, and each stage its share of that at every VP count.
 * cost has a row of `stride` values for each cost, n of which are there.
 */
static void fit_together(struct predict_fit *f, const double *x, const double *cost, size_t stride,
			 size_t n, double *together)
{
	double at_zero, per_vp, share[SCALED] = {0}, all = 0;

	for (size_t k = 0; k < n; k++) {
		together[k] = 0;
		for (size_t i = 0; i < SCALED; i++) {
			double one = cost[scaled[i] * stride + k];

			together[k] += one;
			share[i] += one;
			all += one;
		}
	}
	fit_line(x, together, n, &at_zero, &per_vp);
	for (size_t i = 0; all > 0 && i < SCALED; i++) {
		f->at_zero[scaled[i]] = at_zero * share[i] / all;
		f->per_vp[scaled[i]] = per_vp * share[i] / all;
	}
}

int predict_fit(struct predict_fit *f, const struct predict_set *s, size_t left_out)
{
	double *x = calloc(s->samples * (PREDICT_COSTS + 3), sizeof(*x));
	double *y = x + s->samples, *synic = y + s->samples * PREDICT_COSTS;
	double *together = synic + s->samples;
	double cost_us[PREDICT_COSTS];
	size_t n = 0;
	int ret = x ? 0 : -ENOMEM;

	for (size_t i = 0; ret == 0 && i < s->samples; i++) {
		if (i == left_out)
			continue;
		ret = sample_costs(s, &s->sample[i], cost_us);
		x[n] = s->sample[i].vps;
		synic[n] = synic_us(s, &s->sample[i]);
		for (unsigned c = 0; c < PREDICT_COSTS; c++)
			y[c * s->samples + n] = cost_us[c];
		n++;
	}
	for (unsigned c = 0; ret == 0 && c < PREDICT_COSTS; c++)
		fit_line(x, y + c * s->samples, n, &f->at_zero[c], &f->per_vp[c]);
	if (ret == 0 && s->machine.mode != PREDICT_SERIAL)
		fit_together(f, x, y, s->samples, n, together);
	if (ret == 0)
		fit_line(x, synic, n, &f->synic_at_zero, &f->synic_per_vp);
	free(x);
	return ret;
}

struct predict_machine predict_machine_at(const struct predict_set *s, const struct predict_fit *f,
					  uint32_t vps, uint32_t cores)
{
	struct predict_machine m = s->machine;

	m.vps = vps;
	m.cores = cores;
	for (unsigned c = 0; c < PREDICT_COSTS; c++)
		m.cost_us[c] = line_at(f->at_zero[c], f->per_vp[c], vps);
	return m;
}

double predict_set_synic_ms(const struct predict_set *s, const struct predict_fit *f, uint32_t vps,
			    uint32_t cores)
{
	return predict_synic_ms(s->synic_parallel, vps, cores,
				line_at(f->synic_at_zero, f->synic_per_vp, vps));
}
