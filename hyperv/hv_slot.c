/* SPDX-License-Identifier: MIT */
/* Message slots, event flags, and what waits for a slot. */
#include "hyperv/hv_slot.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* The guest frees first and looks at the flag afterwards, so one of both sees the other. */
bool hv_slot_fill(struct hv_message *slot, const struct hv_message *m, bool more)
{
	if (__atomic_load_n(&slot->type, __ATOMIC_SEQ_CST) != HVMSG_NONE) {
		__atomic_fetch_or(&slot->flags, HV_MESSAGE_PENDING, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&slot->type, __ATOMIC_SEQ_CST) != HVMSG_NONE)
			return false;
	}
	memcpy(slot->payload, m->payload, m->payload_bytes);
	slot->payload_bytes = m->payload_bytes;
	/* The guest may just be looking whether the message that it freed had another behind it. */
	__atomic_store_n(&slot->flags, more ? HV_MESSAGE_PENDING : 0, __ATOMIC_SEQ_CST);
	slot->reserved = 0;
	slot->origin = m->origin;
	__atomic_store_n(&slot->type, m->type, __ATOMIC_RELEASE);
	return true;
}

bool hv_flag_set(uint8_t *event_page, unsigned sint, uint16_t flag)
{
	uint64_t *word = (uint64_t *)(event_page + sint * HV_EVENT_FLAGS_BYTES) + flag / 64;
	uint64_t bit = 1ull << flag % 64;

	return !(__atomic_fetch_or(word, bit, __ATOMIC_SEQ_CST) & bit);
}

struct hv_message *hv_queue_put(struct hv_message_queue *q,
				struct hv_message message[HV_SYNIC_QUEUE_MESSAGES])
{
	if (q->count == HV_SYNIC_QUEUE_MESSAGES)
		return NULL;
	return &message[(q->head + q->count++) % HV_SYNIC_QUEUE_MESSAGES];
}

void hv_queue_drop(struct hv_message_queue *q)
{
	assert(q->count > 0);
	q->head = (q->head + 1) % HV_SYNIC_QUEUE_MESSAGES;
	q->count--;
}
