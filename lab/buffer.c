/* SPDX-License-Identifier: MIT */
/* Bytes that arrive bit by bit. */
#include "lab/buffer.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct buffer *b, size_t size_bytes)
{
	size_t capacity = b->capacity ? b->capacity : 4096;
	uint8_t *grown;

	while (capacity < size_bytes)
		capacity *= 2;
	grown = capacity > b->capacity ? realloc(b->data, capacity) : b->data;
	if (!grown)
		return false;
	b->data = grown;
	b->capacity = capacity;
	return true;
}

void buffer_add(struct buffer *b, const void *data, size_t size_bytes, size_t keep_bytes)
{
	/* Twice as much before anything goes, so that each byte is moved once, not each time. */
	if (b->size_bytes + size_bytes > 2 * keep_bytes && b->size_bytes > keep_bytes) {
		memmove(b->data, b->data + b->size_bytes - keep_bytes, keep_bytes);
		b->size_bytes = keep_bytes;
	}
	if (!grow(b, b->size_bytes + size_bytes)) {
		b->failed = true;
		return;
	}
	memcpy(b->data + b->size_bytes, data, size_bytes);
	b->size_bytes += size_bytes;
}

void buffer_fini(struct buffer *b)
{
	free(b->data);
	*b = (struct buffer){0};
}
