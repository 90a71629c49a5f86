/* SPDX-License-Identifier: MIT */
/* Frames of the channel between L1 and its host. */
#include "lab/frame.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "lab/digest.h"

size_t frame_encode(uint8_t *out, enum frame_type type, const void *data, size_t size_bytes)
{
	const struct frame_head head = {
		.magic = FRAME_MAGIC,
		.type = type,
		.size_bytes = (uint32_t)size_bytes,
		.sum = digest_32(data, size_bytes, type),
	};

	assert(size_bytes <= FRAME_DATA_MAX);
	memcpy(out, &head, sizeof(head));
	memcpy(out + sizeof(head), data, size_bytes);
	return sizeof(head) + size_bytes;
}

/* The size of the frame that the buffer begins with; as long as that is open, of its head. */
static size_t frame_size(const struct frame_decoder *d, struct frame_head *head)
{
	if (d->have < sizeof(*head))
		return sizeof(*head);
	memcpy(head, d->buffer, sizeof(*head));
	if (head->magic != FRAME_MAGIC || head->size_bytes > FRAME_DATA_MAX)
		return 0;
	return sizeof(*head) + head->size_bytes;
}

static int frame_take(struct frame_decoder *d, const struct frame_head *head)
{
	const uint8_t *data = d->buffer + sizeof(*head);

	d->have = 0;
	if (digest_32(data, head->size_bytes, head->type) != head->sum)
		return -EBADMSG;
	return d->take(d->ctx, head->type, data, head->size_bytes);
}

int frame_decode(struct frame_decoder *d, const uint8_t *data, size_t size_bytes)
{
	struct frame_head head = {0};
	int ret = 0;

	while (ret == 0) {
		size_t size = frame_size(d, &head), part;

		if (size == 0)
			return -EBADMSG;
		if (head.magic && d->have == size) {
			ret = frame_take(d, &head);
			head = (struct frame_head){0};
			continue;
		}
		if (size_bytes == 0)
			break;
		part = size - d->have < size_bytes ? size - d->have : size_bytes;
		memcpy(d->buffer + d->have, data, part);
		d->have += part;
		data += part;
		size_bytes -= part;
	}
	return ret;
}
