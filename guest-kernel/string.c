/* SPDX-License-Identifier: MIT */
/* The memory and string functions that the compiler may call, and the few that we do. */
#include "guest-kernel/string.h"

#include "guest-kernel/cpu.h"

/*
 * String instructions rather than loops: a compiler could turn a loop back into the call itself.
 * Words rather than bytes: hosts that emulate take as long for each step.
 */

void *memcpy(void *restrict dst, const void *restrict src, size_t size)
{
	void *tail = cpu_rep_movsq(dst, src, size / 8);

	if (size % 8 != 0)
		cpu_rep_movsb(tail, (const char *)src + size / 8 * 8, size % 8);
	return dst;
}

void *memmove(void *dst, const void *src, size_t size)
{
	volatile char *d = dst;
	const volatile char *s = src;

	/* Going up is right unless dst begins within src. */
	if ((uintptr_t)dst - (uintptr_t)src >= size)
		return memcpy(dst, src, size);
	while (size-- > 0)
		d[size] = s[size];
	return dst;
}

void *memset(void *dst, int val, size_t size)
{
	void *tail = cpu_rep_stosq(dst, (uint8_t)val * 0x0101010101010101ull, size / 8);

	if (size % 8 != 0)
		cpu_rep_stosb(tail, (uint8_t)val, size % 8);
	return dst;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;
	size_t i;

	for (i = 0; i < size; i++) {
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	}
	return 0;
}

bool string_equal(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}
