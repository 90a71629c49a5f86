/* SPDX-License-Identifier: MIT */
/* What the guest found wrong with its machine, and the verdict on a run that was to go wrong. */
#ifndef VPUP_VMM_FINDING_H
#define VPUP_VMM_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "vmm/frames.h"
#include "vmm/outcome.h"

struct finding_kind {
	uint32_t id; /* enum finding_id */
	bool fatal;  /* it fails the run */
	const char *name;
	const char *unit; /* of its value; "" where it has none */
};

/* NULL: a newer guest's, which this version does not know. */
const struct finding_kind *finding_kind(uint32_t id);

/* "tsc-warp VP 2 100234 ns" */
#define FINDING_TEXT_SIZE 80
void finding_text(const struct trace_finding *f, char text[FINDING_TEXT_SIZE]);

/*
 * The run in one word: "ok" (the guest ended well and noticed nothing), "noticed" (it ended well, and
 * has something to tell), "failed" (it says so), "reset", "off", "crash", "timeout", or "ended" where somebody
 * else ended the run.
 */
const char *finding_verdict(const struct outcome *o, const struct guest_trace *t);

/* The line "verdict: WORD: what was found", without its end, cut to size. */
void finding_verdict_line(const char *verdict, const struct guest_trace *t, char *line,
			  size_t size);

#endif
