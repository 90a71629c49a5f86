/* SPDX-License-Identifier: MIT */
/* Order statistics that results and their comparison share. */
#ifndef VPUP_VMM_QUANTILE_H
#define VPUP_VMM_QUANTILE_H

#include <stddef.h>

/* Sorts n values, none of them NaN, in ascending order. */
void quantile_sort(double *value, size_t n);

/*
 * Quantile q in [0, 1] of n > 0 sorted values: linear between the two nearest order statistics at
 * position (n - 1) * q (type 7 of Hyndman and Fan 1996, the default of R and NumPy).
 */
double quantile(const double *sorted, size_t n, double q);

#endif
