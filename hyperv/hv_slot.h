/* SPDX-License-Identifier: MIT */
/*
 * The shared pages of a SynIC, from the hypervisor's side: message slots with the messages that wait
 * for them, and event flags. Whoever calls holds the lock of the VP whose pages these are.
 */
#ifndef VPUP_HYPERV_HV_SLOT_H
#define VPUP_HYPERV_HV_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "hyperv/hv_defs.h"

/*
 * Puts a message into its slot, unless that is in use. Then it makes the guest write EOM when it
 * is done, and looks again, because the guest may have freed the slot just before. more: others
 * wait behind it. Returns whether the message is in the slot.
 */
bool hv_slot_fill(struct hv_message *slot, const struct hv_message *m, bool more);

/* Sets a flag of a SINT in the event flags page. Returns whether it was clear. */
bool hv_flag_set(uint8_t *event_page, unsigned sint, uint16_t flag);

/* Messages that wait for a slot, in order. A zeroed queue is empty. */
#define HV_SYNIC_QUEUE_MESSAGES 16
struct hv_message_queue {
	uint8_t head, count;
};

/* Where the next message goes, to be filled by the caller; NULL when the queue is full. */
struct hv_message *hv_queue_put(struct hv_message_queue *q,
				struct hv_message message[HV_SYNIC_QUEUE_MESSAGES]);
/* Takes the first message, message[q->head], out of a queue that is not empty. */
void hv_queue_drop(struct hv_message_queue *q);

#endif
