/* SPDX-License-Identifier: MIT */
/* What of two results can be compared, and words for what can't. */
#ifndef VPUP_BENCH_PAIRING_H
#define VPUP_BENCH_PAIRING_H

#include <jansson.h>
#include <stdbool.h>

#include "bench/groups.h"
#include "vmm/err.h"

/*
 * The params that do not count: `ignored` (an object's keys, or NULL), and those that all runs of
 * one side lack and that have one value on the other, as when a new version of vpup records one
 * more. Each of the latter gives a note. Returns a new object, or NULL without memory.
 */
json_t *pairing_ignored(const json_t *const runs[2], const json_t *ignored, json_t *notes);

/* "cpus=4 smp=full": params in words, cut where they do not fit, without control characters. */
#define PARAMS_TEXT_SIZE 120
const char *pairing_text(const json_t *params, char text[PARAMS_TEXT_SIZE]);

/* One param's value in words, likewise; "-" if there is none. */
const char *pairing_value_text(const json_t *value, char text[PARAMS_TEXT_SIZE]);

/* Notes on groups that have no partner. Returns 0 or -ENOMEM. */
int pairing_note_unpaired(const struct groups side[2], json_t *notes);

/* A note on a metric that one side of a pair lacks. Returns 0 or -ENOMEM. */
int pairing_note_metric(json_t *notes, const json_t *params, const char *metric, bool in_new);

/* Why no group of one has a partner in the other. Returns -EINVAL with e set. */
int pairing_refuse(const struct groups *base, const struct groups *new, struct err *e);

#endif
