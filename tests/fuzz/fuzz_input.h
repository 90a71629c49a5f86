/* SPDX-License-Identifier: MIT */
/* A fuzzer's input, taken piece by piece. */
#ifndef VPUP_TESTS_FUZZ_INPUT_H
#define VPUP_TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct fuzz_input {
	const uint8_t *data;
	size_t size;
};

/* The next bytes, up to 8, as a number; zeroes where there are no more. */
static inline uint64_t fuzz_take(struct fuzz_input *in, size_t bytes)
{
	uint64_t val = 0;
	size_t n = bytes < in->size ? bytes : in->size;

	memcpy(&val, in->data, n);
	in->data += n;
	in->size -= n;
	return val;
}

#endif
