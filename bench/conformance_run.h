/* SPDX-License-Identifier: MIT */
/* One run of the guest's conformance tests in a child process. */
#ifndef VPUP_BENCH_CONFORMANCE_RUN_H
#define VPUP_BENCH_CONFORMANCE_RUN_H

#include <jansson.h>
#include <stdbool.h>

#include "hyperv/hv_feature.h"
#include "vmm/err.h"

/* What all runs of one command share. */
struct conformance_setup {
	const char *tests; /* names, with commas between */
	const char *cpus;
	const char *timeout;
	double timeout_s;
	int stop_fd; /* when readable, runs end with RUNNER_STOPPED */
};

struct conformance_run {
	/* IN */
	const char *hyperv; /* "user" or "kernel" */
	const char *hv;     /* features, as for vpup run; NULL: the default ones */
	/* OUT */
	int status;       /* of vpup: what the run and its lines come to; or RUNNER_STOPPED */
	bool told;        /* the lines tell why; otherwise e does, unless the status is 0 */
	json_t *document; /* the run's result, owned; NULL without one */
	const char *tap;  /* the guest's lines, in document; NULL: none */
	struct err e;
};

void conformance_run(struct conformance_run *r, const struct conformance_setup *s);
void conformance_run_free(struct conformance_run *r);

/*
 * A list for --hv that leaves a mode with what both modes have, so that they can be compared;
 * extra, or NULL, goes behind it. Owned by the caller; NULL when out of memory.
 */
char *conformance_common_features(enum hv_mode mode, const char *extra);

#endif
