/* SPDX-License-Identifier: MIT */
/* measure=exits: what it costs to leave the guest, to reach another VP, and how late timers are. */
#ifndef VPUP_GUEST_MEASURE_H
#define VPUP_GUEST_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "guest-kernel/abi/trace.h"

#define MEASURE_KINDS      10 /* of batches: enum trace_cost_id without the timers */
#define MEASURE_ROUNDS     32
#define MEASURE_OPERATIONS 64  /* of a batch */
#define MEASURE_TRIPS      16  /* the same where each waits for an interrupt */
#define MEASURE_SHOTS      200 /* of a timer */

struct measure {
	uint32_t batches;
	bool has_echo; /* the host sends messages back */
	struct trace_cost batch[MEASURE_KINDS * MEASURE_ROUNDS + 2 * MEASURE_SHOTS];
};

struct conf;

/*
 * Goes round the kinds of operations, a batch of each, so that a host that changes its pace does so for
 * them all; then has timers expire. What this hypervisor has not is left out, and so are other VPs
 * where there are none. On the boot VP, once all are online. Prints nothing.
 */
void measure_exits(struct measure *m);

/* VP 1 answers from here on. */
_Noreturn void measure_serve(void);

/* --- parts of measure_exits() ----------------------------------------------------------------- */

void measure_add(struct measure *m, uint32_t what, uint32_t operations, uint64_t tsc_cycles);

/* Waits asleep until the boot VP has taken `count` interrupts of the nth test vector. */
void measure_wait(const struct conf *c, unsigned n, uint32_t count);

/* measure_ipi.c: `count` IPIs to VP 1, each answered by one in the same way. */
bool measure_has_vp1(const struct conf *c);
bool measure_has_hypercall_ipi(const struct conf *c);
void measure_ipi_lapic(struct conf *c, uint32_t count);
void measure_ipi_hypercall(struct conf *c, uint32_t count);

/* measure_synic.c. The SynIC must be open (conformance/synic_vp.h) for what needs messages. */
bool measure_has_messages(const struct conf *c);
void measure_open_synic(struct measure *m, struct conf *c);
void measure_close_synic(const struct measure *m);
void measure_message(struct conf *c, uint32_t count);
bool measure_has_echo(const struct conf *c);
void measure_echo(struct conf *c, uint32_t count);
void measure_timers(struct measure *m, struct conf *c);

/* Test vectors (conf.h), as each of these has its own. */
enum measure_vector {
	MEASURE_VECTOR_LAPIC,
	MEASURE_VECTOR_HYPERCALL,
	MEASURE_VECTOR_MESSAGE,
	MEASURE_VECTOR_DIRECT,
};

#endif
