/* SPDX-License-Identifier: MIT */
/* The metrics of a run with a Linux guest, from what it logged. */
#include <math.h>

#include "vmm/metrics_linux.h"

#define BOGOMIPS_SCALE 500000.0

/* /proc/cpuinfo rounds to 0.01 BogoMIPS: the result is off by up to 5000 / HZ loops. */
static void metrics_linux_lpj(struct metrics *m, const struct run_record *r)
{
	const struct klog *k = &r->klog;
	double min = 0, max = 0, reference;
	unsigned hz = klog_hz(k);

	for (uint32_t i = 0; hz && i < k->vps && i < r->vps; i++) {
		double lpj = k->vp_bogomips[i] * BOGOMIPS_SCALE / hz;

		if (!(lpj > 0))
			continue;
		min = min > 0 && min < lpj ? min : lpj;
		max = fmax(max, lpj);
	}
	if (!(max > 0))
		return;
	metric_set(m, METRIC_LPJ_MIN, round(min));
	metric_set(m, METRIC_LPJ_MAX, round(max));
	reference = (double)r->tsc_khz * 1000.0 / hz;
	if (reference > 0)
		metric_set(m, METRIC_LPJ_ERROR_PPM,
			   fmax(fabs(min - reference), fabs(max - reference)) * 1e6 / reference);
}

void metrics_linux(struct metrics *m, const struct run_record *r)
{
	uint64_t us;

	if (klog_bringup_us(&r->klog, &us))
		metric_set(m, METRIC_SMP_BRINGUP_MS, (double)us / 1000.0);
	metrics_linux_lpj(m, r);
}
