/* SPDX-License-Identifier: MIT */
/* The boot VP's SynIC while a test uses it, and timers as the source of its messages. */
#ifndef VPUP_GUEST_CONFORMANCE_SYNIC_VP_H
#define VPUP_GUEST_CONFORMANCE_SYNIC_VP_H

#include "guest-kernel/conformance/conf.h"

/* Registers as they were, to be put back. */
struct synic_vp {
	uint64_t scontrol, simp, siefp;
};

/* Message page at page[0], events at page[1], SynIC on. All SINTs masked, timers off. */
void synic_open(struct conf *c, struct synic_vp *s);
void synic_close(struct conf *c, const struct synic_vp *s);

/* Unmasks SINT n with the mth test vector; bits: HV_SYNIC_SINT_ flags beside it. */
void synic_sint(struct conf *c, unsigned n, unsigned vector_n, uint64_t bits);
void synic_mask(struct conf *c, unsigned n);

static inline volatile struct hv_message *synic_slot(struct conf *c, unsigned sint)
{
	return (volatile struct hv_message *)c->page[0] + sint;
}

static inline struct hv_timer_message synic_timer_message(struct conf *c, unsigned sint)
{
	return *(const struct hv_timer_message *)synic_slot(c, sint)->payload;
}

/* Frees the slot as guests do it: type first, then EOM if more is pending. */
void synic_free(struct conf *c, unsigned sint);

/* Has timer n send a message to the SINT at once: its time is past. */
void synic_post(struct conf *c, unsigned timer, unsigned sint);

void stimer_set(struct conf *c, unsigned timer, uint64_t config, uint64_t count);
void stimer_off(struct conf *c, unsigned timer);
uint64_t stimer_config(struct conf *c, unsigned timer);

/* CONFIG of a one-shot timer that sends its message to the SINT. */
static inline uint64_t stimer_to_sint(unsigned sint)
{
	return HV_STIMER_ENABLE | (uint64_t)sint << HV_STIMER_SINT_SHIFT;
}

/* Waits until the slot holds a message, at most a second. */
bool synic_wait(struct conf *c, unsigned sint);

#endif
