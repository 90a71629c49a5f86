/* SPDX-License-Identifier: MIT */
/* Whether two results come from hosts that can be compared. */
#ifndef VPUP_BENCH_HOST_DIFF_H
#define VPUP_BENCH_HOST_DIFF_H

#include <jansson.h>

/*
 * Appends a line to `warnings` for each fact about the hosts of two documents that decides about
 * times and that differs, and for each of them that was busy. What is not known does not differ.
 * Returns 0 or -ENOMEM.
 */
int host_diff(const json_t *base, const json_t *new, json_t *warnings);

#endif
