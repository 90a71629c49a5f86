/* SPDX-License-Identifier: MIT */
/* Bytes that arrive bit by bit. */
#ifndef VPUP_LAB_BUFFER_H
#define VPUP_LAB_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start with zeroes. */
struct buffer {
	uint8_t *data; /* owned */
	size_t size_bytes;
	size_t capacity;
	bool failed; /* something found no memory */
};

/* Appends; what is more than keep_bytes goes at the other end, in large steps. */
void buffer_add(struct buffer *b, const void *data, size_t size_bytes, size_t keep_bytes);
void buffer_fini(struct buffer *b);

#endif
