/* SPDX-License-Identifier: MIT */
/* What Linux logs about its start, line by line. The log is the guest's and may claim anything. */
#include "vmm/klog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOGOMIPS_SCALE 500000.0
#define HZ_MAX         10000.0
#define VPS_MAX        65536u

static const char *const event_text[KLOG_EVENTS] = {
	[KLOG_SMP_BEGIN] = "Bringing up secondary CPUs",
	[KLOG_SMP_BOOT] = "Booting SMP configuration",
	[KLOG_SMP_END] = "Brought up ",
	[KLOG_INIT] = " as init process",
};

/* "[    1.234567] ": returns the text behind it; without a stamp the whole line. */
static const char *skip_stamp(const char *line, bool *stamped, uint64_t *us)
{
	unsigned long long seconds;
	unsigned micros;
	int end = 0;

	*stamped = sscanf(line, "[%llu.%6u]%n", &seconds, &micros, &end) == 2 && end &&
		   seconds < UINT32_MAX;
	if (!*stamped)
		return line;
	*us = (uint64_t)seconds * 1000000 + micros;
	return line + end;
}

static void read_event(struct klog *k, const char *text, bool stamped, uint64_t us, uint64_t tsc)
{
	for (unsigned i = 0; i < KLOG_EVENTS; i++) {
		struct klog_mark *m = &k->mark[i];

		if (!strstr(text, event_text[i]))
			continue;
		if (!m->seen)
			m->host_tsc = tsc;
		if (stamped && !m->has_guest_us) {
			m->guest_us = us;
			m->has_guest_us = true;
		}
		m->seen = true;
	}
}

static void read_brought_up(struct klog *k, const char *text)
{
	const char *p = strstr(text, event_text[KLOG_SMP_END]);
	unsigned nodes, cpus;

	if (p && sscanf(p, "Brought up %u node%*[s,] %u CPU", &nodes, &cpus) == 2) {
		k->nodes = nodes;
		k->cpus = cpus;
	}
}

/* "Calibrating delay loop (skipped) preset value.. 4890.86 BogoMIPS (lpj=9781720)" and its like. */
static void read_calibration(struct klog *k, const char *text)
{
	const char *p = strstr(text, "BogoMIPS (lpj=");
	const char *start = p;

	if (!p || k->lpj)
		return;
	while (start > text &&
	       (start[-1] == ' ' || start[-1] == '.' || (start[-1] >= '0' && start[-1] <= '9')))
		start--;
	while (*start == '.' || *start == ' ')
		start++;
	k->bogomips = strtod(start, NULL);
	k->lpj = strtoull(p + strlen("BogoMIPS (lpj="), NULL, 10);
	k->lpj_kind = KLOG_LPJ_MEASURED;
	if (strstr(text, "preset value"))
		k->lpj_kind = KLOG_LPJ_PRESET;
	else if (strstr(text, "(skipped)"))
		k->lpj_kind = KLOG_LPJ_TIMER;
}

static void read_total(struct klog *k, const char *text)
{
	const char *p = strstr(text, "Total of ");
	double sum;

	if (p && sscanf(p, "Total of %*u processors activated (%lf BogoMIPS", &sum) == 1)
		k->bogomips_sum = sum;
}

static void set_vp_bogomips(struct klog *k, uint32_t vp, double bogomips)
{
	double *more;

	if (vp >= VPS_MAX || !(bogomips > 0))
		return;
	if (vp >= k->vps) {
		more = realloc(k->vp_bogomips, (vp + 1) * sizeof(*more));
		if (!more)
			return;
		memset(more + k->vps, 0, (vp + 1 - k->vps) * sizeof(*more));
		k->vp_bogomips = more;
		k->vps = vp + 1;
	}
	k->vp_bogomips[vp] = bogomips;
}

static void read_cpuinfo(struct klog *k, const char *text)
{
	double bogomips;
	unsigned vp;

	if (sscanf(text, "processor : %u", &vp) == 1)
		k->cpuinfo_vp = vp;
	else if (sscanf(text, "bogomips : %lf", &bogomips) == 1)
		set_vp_bogomips(k, k->cpuinfo_vp, bogomips);
}

static void read_line(struct klog *k, const char *line, uint64_t tsc)
{
	uint64_t us = 0;
	bool stamped;
	const char *text = skip_stamp(line, &stamped, &us);

	read_event(k, text, stamped, us, tsc);
	read_brought_up(k, text);
	read_calibration(k, text);
	read_total(k, text);
	read_cpuinfo(k, text);
}

void klog_push(struct klog *k, struct klog_line *l, const uint8_t *data, size_t size, uint64_t tsc)
{
	for (size_t i = 0; i < size; i++) {
		if (data[i] != '\n') {
			if (l->used < sizeof(l->text) - 1 && data[i])
				l->text[l->used++] = (char)data[i];
			continue;
		}
		l->text[l->used] = '\0';
		read_line(k, l->text, tsc);
		l->used = 0;
	}
}

void klog_fini(struct klog *k)
{
	free(k->vp_bogomips);
	*k = (struct klog){0};
}

unsigned klog_hz(const struct klog *k)
{
	double hz;

	if (!k->lpj || !(k->bogomips > 0))
		return 0;
	hz = round(k->bogomips * BOGOMIPS_SCALE / (double)k->lpj);
	return hz >= 1 && hz <= HZ_MAX ? (unsigned)hz : 0;
}

bool klog_bringup_us(const struct klog *k, uint64_t *us)
{
	const struct klog_mark *end = &k->mark[KLOG_SMP_END], *begin = &k->mark[KLOG_SMP_BEGIN];

	if (!begin->has_guest_us)
		begin = &k->mark[KLOG_SMP_BOOT];
	if (!begin->has_guest_us || !end->has_guest_us || end->guest_us < begin->guest_us)
		return false;
	*us = end->guest_us - begin->guest_us;
	return true;
}
