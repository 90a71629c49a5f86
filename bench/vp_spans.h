/* SPDX-License-Identifier: MIT */
/* What a VP was doing when, from its stage marks in a result file. */
#ifndef VPUP_BENCH_VP_SPANS_H
#define VPUP_BENCH_VP_SPANS_H

#include <jansson.h>

/*
 * The spans of one element of a run's "vps", each [NAME, FROM_MS, TO_MS], in the order of time. They
 * never overlap. Marks of unknown names are ignored. A new array, or NULL without memory.
 */
json_t *vp_spans(const json_t *vp);

/* The host's marks and "online", each [NAME, MS]. Likewise. */
json_t *vp_instants(const json_t *vp);

#endif
