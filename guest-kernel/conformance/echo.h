/* SPDX-License-Identifier: MIT */
/*
 * The host's echo ports, as the guest sees them: connections of QEMU's hyperv-testdev, which send
 * messages and events back to a SINT of a VP. vpup run --hv-testdev has it.
 */
#ifndef VPUP_GUEST_CONFORMANCE_ECHO_H
#define VPUP_GUEST_CONFORMANCE_ECHO_H

#include "guest-kernel/abi/hv_testdev.h"
#include "guest-kernel/conformance/synic_vp.h"

#define ECHO_MESSAGES 0x10u /* connections that tests make; from here on one for each SINT */
#define ECHO_EVENTS   0x30u
#define ECHO_NONE     0x00123456u
#define ECHO_SINT     2
#define ECHO_QUIET_US 10000 /* how long nothing has to happen, where nothing may */

/* Whether there are such ports: a message goes through. The SynIC is open, and ECHO_SINT masked. */
bool echo_exists(struct conf *c);

/*
 * One way to be sent something by the host: messages, or events. What is sent arrives at a SINT of the
 * boot VP with an interrupt.
 */
struct echo_way {
	enum hv_testdev_command create, destroy;
	uint32_t id;       /* of its connection to ECHO_SINT, which is there while tests() runs */
	const char *place; /* where it arrives: "slot" */
	void (*send)(struct conf *c, uint32_t id);
	bool (*is_there)(struct conf *c, unsigned sint, uint32_t id); /* it, and nothing else */
	void (*take)(struct conf *c, unsigned sint, uint32_t id);     /* there is room again */
	void (*tests)(struct conf *c);
};

/* Runs its tests on a SynIC with ECHO_SINT open, or says that the host has no such ports. */
void echo_run(struct conf *c, const struct echo_way *w);

/* Tests that both ways have in common: each SINT with a vector of its own; auto-EOI. */
void echo_test_every_sint(struct conf *c, const struct echo_way *w);
void echo_test_auto_eoi(struct conf *c, const struct echo_way *w);

/* VP 1's SynIC, while a test uses it: message page at page[2], events at page[3]. */
struct echo_far {
	struct conf *c;
	uint64_t scontrol, simp, siefp;
	bool faulted;
};

/* Makes or ends a connection to a SINT of a VP, by its index among the guest's VPs. */
void echo_command(enum hv_testdev_command command, uint32_t vp, unsigned sint, uint32_t id);

/* Opens VP 1's SynIC with ECHO_SINT at the first test vector. False: there is none, or it failed. */
bool echo_far_open(struct conf *c, struct echo_far *f);
void echo_far_close(struct conf *c, struct echo_far *f);

static inline volatile struct hv_message *echo_far_slot(struct conf *c)
{
	return (volatile struct hv_message *)c->page[2] + ECHO_SINT;
}

/* Posts a message of `bytes` bytes that begin with seed and count up. May be called on VP 1. */
uint64_t echo_post(struct conf *c, unsigned on_vp, uint32_t id, uint32_t type, uint32_t bytes,
		   uint8_t seed);

/* Whether the slot holds just that message. */
bool echo_is(const volatile struct hv_message *slot, uint32_t type, uint32_t bytes, uint8_t seed);

/* SignalEvent, fast. May be called on VP 1. */
uint64_t echo_signal(struct conf *c, uint32_t id, uint32_t flag);

#endif
