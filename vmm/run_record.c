/* SPDX-License-Identifier: MIT */
/* Arithmetic on a run's time stamps. */
#include "vmm/run_record.h"

double run_ms(const struct run_record *r, uint64_t a_tsc, uint64_t b_tsc)
{
	if (a_tsc == 0 || b_tsc <= a_tsc || r->tsc_khz == 0)
		return 0;
	return (double)(b_tsc - a_tsc) / (double)r->tsc_khz;
}
