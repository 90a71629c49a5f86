/* SPDX-License-Identifier: MIT */
/* The memory and string functions that the compiler may call, and the few that we do. */
#ifndef VPUP_GUEST_STRING_H
#define VPUP_GUEST_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict dst, const void *restrict src, size_t size);
void *memmove(void *dst, const void *src, size_t size);
void *memset(void *dst, int val, size_t size);
int memcmp(const void *a, const void *b, size_t size);

/* Both strings equal, NUL included. */
bool string_equal(const char *a, const char *b);

/* Unaligned little-endian loads */
static inline uint32_t load_u32(const void *p)
{
	uint32_t val;

	__builtin_memcpy(&val, p, sizeof(val));
	return val;
}

static inline uint64_t load_u64(const void *p)
{
	uint64_t val;

	__builtin_memcpy(&val, p, sizeof(val));
	return val;
}

#endif
