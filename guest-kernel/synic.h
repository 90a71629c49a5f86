/* SPDX-License-Identifier: MIT */
/* synic=serial|parallel: SynIC and first synthetic timer of each VP, as a guest's drivers set them up. */
#ifndef VPUP_GUEST_SYNIC_H
#define VPUP_GUEST_SYNIC_H

#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/memory.h"
#include "guest-kernel/vp.h"

struct synic {
	uint8_t *pages; /* two of each VP: messages, event flags */
	uint64_t timer_config;
	uint64_t timer_due_100ns; /* far ahead; 0: there are no timers */
	uint64_t begin_tsc;
	uint64_t end_tsc;
	uint32_t turn;              /* VPs up to this index may begin */
	uint32_t wake_at;           /* the VP that makes `done` this much wakes the boot VP */
	uint32_t faulted;           /* VPs that could not set theirs up */
	_Alignas(64) uint32_t done; /* secondary VPs that have */
};

/* Takes memory for vp_count VPs. Ends the run where there is no SynIC, or not enough RAM. */
void synic_prepare(struct synic *s, struct memory *memory, uint32_t vp_count);

/*
 * Sets up the boot VP's, and has all secondary VPs, which are online, set up theirs: one after the
 * other, or all at once. The tick runs. Returns false if they do not get done, or not without a
 * fault, after saying so.
 */
bool synic_set_up_all(struct synic *s);

/* On a secondary VP: waits for its turn, and sets its own up. */
void synic_serve(struct vp *vp);

#endif
