/* SPDX-License-Identifier: MIT */
/* checks=on: once the VPs are up, looks for what is wrong with the machine. */
#ifndef VPUP_GUEST_CHECKS_H
#define VPUP_GUEST_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/abi/findings.h"
#include "guest-kernel/vp.h"
#include "hyperv/hv_defs.h"

#define CHECKS_FINDINGS_MAX 64

struct checks {
	struct trace_finding finding[CHECKS_FINDINGS_MAX];
	uint32_t count; /* those beyond the maximum are printed and not kept */
	bool failed;

	/* The boot VP asks, VP `target` answers. */
	uint32_t target;
	uint32_t cpuid_apic_id;         /* of it, from CPUID */
	_Alignas(64) uint64_t question; /* the VP that is asked << 32 | a running number */
	_Alignas(64) uint64_t answer;   /* the question that was answered */
	uint64_t answer_tsc;

	_Alignas(HV_HYP_PAGE_SIZE) uint8_t messages[HV_HYP_PAGE_SIZE];
};

/* Keeps a finding and prints it. On the boot VP. */
void checks_add(struct checks *c, enum finding_id what, uint32_t vp, int64_t value, uint64_t bound);

/* On the boot VP, while the tick runs, with interrupts off. Returns true unless the run failed. */
bool checks_run(struct checks *c);

/* On a secondary VP: answers what checks_run() asks. */
_Noreturn void checks_serve(struct vp *vp);

/* stimer_first=on: what becomes of a timer that is set up before the message page is (SIMP). */
void checks_stimer_first(struct checks *c);

#endif
