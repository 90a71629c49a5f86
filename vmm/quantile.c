/* SPDX-License-Identifier: MIT */
/* Order statistics. */
#include "vmm/quantile.h"

#include <assert.h>
#include <stdlib.h>

static int double_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void quantile_sort(double *value, size_t n)
{
	qsort(value, n, sizeof(*value), double_compare);
}

double quantile(const double *sorted, size_t n, double q)
{
	double position = (double)(n - 1) * q;
	size_t below = (size_t)position;
	double fraction = position - (double)below;

	assert(n > 0 && q >= 0 && q <= 1);
	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + fraction * (sorted[below + 1] - sorted[below]);
}
