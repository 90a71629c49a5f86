/* SPDX-License-Identifier: MIT */
/* The progress line of a measurement. */
#include "bench/progress.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#define MINUTES_TEXT_SIZE 32

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

int progress_init(struct progress *p, FILE *out, size_t width, size_t cells, size_t repeats)
{
	*p = (struct progress){
		.out = out, .width = width, .total = cells * repeats, .cells = cells, .label = ""};
	p->start_s = now_s();
	p->cell_start_s = p->start_s;
	p->cell_s = calloc(cells, sizeof(*p->cell_s));
	return p->cell_s ? 0 : -ENOMEM;
}

void progress_begin(struct progress *p, size_t cell, const char *label)
{
	p->cell = cell;
	p->label = label;
	p->cell_start_s = now_s();
	progress_show(p);
}

void progress_end(struct progress *p)
{
	p->cell_s[p->cell] = now_s() - p->cell_start_s;
	p->done++;
}

double progress_left_s(const struct progress *p, double now)
{
	double known_s = 0, left_s = 0;
	size_t known = 0;

	for (size_t i = 0; i < p->cells; i++) {
		known_s += p->cell_s[i];
		known += p->cell_s[i] > 0;
	}
	if (known == 0)
		return -1;
	/* Runs go round the cells, so those that are left start with the current one. */
	for (size_t run = p->done; run < p->total; run++) {
		double s = p->cell_s[run % p->cells];

		left_s += s > 0 ? s : known_s / (double)known;
	}
	left_s -= now - p->cell_start_s;
	return left_s > 0 ? left_s : 0;
}

static const char *minutes(char text[MINUTES_TEXT_SIZE], double s)
{
	long seconds = (long)(s + 0.5);

	if (seconds < 3600)
		snprintf(text, MINUTES_TEXT_SIZE, "%ld:%02ld", seconds / 60, seconds % 60);
	else
		snprintf(text, MINUTES_TEXT_SIZE, "%ld:%02ld:%02ld", seconds / 3600,
			 seconds / 60 % 60, seconds % 60);
	return text;
}

void progress_show(const struct progress *p)
{
	double now = now_s(), left_s = progress_left_s(p, now);
	char elapsed[MINUTES_TEXT_SIZE], left[MINUTES_TEXT_SIZE], tail[64];
	int n;

	if (!p->out)
		return;
	minutes(elapsed, floor(now - p->start_s));
	if (left_s >= 0)
		n = snprintf(tail, sizeof(tail), ": %s, %s left", elapsed, minutes(left, left_s));
	else
		n = snprintf(tail, sizeof(tail), ": %s", elapsed);
	fprintf(p->out, "\r[%zu/%zu] ", p->done + 1, p->total);
	/* The last column stays free: some terminals begin a line once it is written. */
	n += snprintf(NULL, 0, "[%zu/%zu] ", p->done + 1, p->total) + 1;
	fprintf(p->out, "%.*s%s\033[K", (size_t)n < p->width ? (int)(p->width - (size_t)n) : 0,
		p->label, tail);
	fflush(p->out);
}

void progress_fini(struct progress *p)
{
	if (p->out) {
		fputs("\r\033[K", p->out);
		fflush(p->out);
	}
	free(p->cell_s);
	*p = (struct progress){0};
}
