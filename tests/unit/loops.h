/* SPDX-License-Identifier: MIT */
/* Long loops of tests, shorter where each round takes many times as long. */
#ifndef VPUP_TESTS_UNIT_LOOPS_H
#define VPUP_TESTS_UNIT_LOOPS_H

#include <stdlib.h>

/* How many rounds to make of n: all, or 1 in $UNIT_SHORTER, where the environment has that, and one at least. */
static inline unsigned loops(unsigned n)
{
	const char *shorter = getenv("UNIT_SHORTER");
	unsigned by = shorter ? (unsigned)strtoul(shorter, NULL, 10) : 1;

	return by > 1 ? (n + by - 1) / by : n;
}

#endif
