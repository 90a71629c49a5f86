/* SPDX-License-Identifier: MIT */
/* Formatted text in a fixed buffer; what does not fit is cut off. */
#include "guest-kernel/text.h"

#include "guest-kernel/string.h"

#define EACH_BYTE 0x0101010101010101ull

/* 2^64 - 1 in decimal, and the NUL */
#define DIGITS_MAX 21

/* The lowest 0x80 bit set in the result marks the first zero byte of word; 0 if there is none. */
static inline uint64_t zero_byte(uint64_t word)
{
	return (word - EACH_BYTE) & ~word & EACH_BYTE << 7;
}

/*
 * Appends s up to its NUL or the first `stop`, and returns where that stands. Eight bytes at a
 * time, as hosts that emulate need a microsecond for each instruction; this reads up to seven bytes
 * past the NUL, which are there, as all memory is mapped.
 */
static const char *put_until(struct text *t, const char *s, char stop)
{
	const uint64_t stops = (uint8_t)stop * EACH_BYTE;
	char *dst = t->buf + t->len, *end = t->buf + t->size - 1;
	uint64_t word, found;

	while (dst + sizeof(word) <= end) {
		word = load_u64(s);
		__builtin_memcpy(dst, &word, sizeof(word));
		found = zero_byte(word) | zero_byte(word ^ stops);
		if (found) {
			word = (uint64_t)__builtin_ctzll(found) / 8;
			t->len = (size_t)(dst - t->buf) + word;
			return s + word;
		}
		dst += sizeof(word);
		s += sizeof(word);
	}
	for (; *s != '\0' && *s != stop; s++) {
		if (dst < end)
			*dst++ = *s;
	}
	t->len = (size_t)(dst - t->buf);
	return s;
}

static void put_number(struct text *t, uint64_t val, unsigned base, unsigned width, char pad)
{
	char digits[DIGITS_MAX], *p = digits + DIGITS_MAX - 1;

	*p = '\0';
	do {
		*--p = "0123456789abcdef"[val % base];
		val /= base;
	} while (val != 0);
	while (p > digits && p > digits + DIGITS_MAX - 1 - width)
		*--p = pad;
	put_until(t, p, '\0');
}

void text_add_v(struct text *t, const char *fmt, va_list ap)
{
	unsigned width;
	bool is_long;
	char pad;

	while (*(fmt = put_until(t, fmt, '%')) == '%') {
		fmt++;
		pad = *fmt == '0' ? '0' : ' ';
		for (width = 0; *fmt >= '0' && *fmt <= '9'; fmt++)
			width = width * 10 + (unsigned)(*fmt - '0');
		is_long = *fmt == 'l';
		if (is_long)
			fmt++;
		if (*fmt == 's')
			put_until(t, va_arg(ap, const char *), '\0');
		else
			put_number(t, is_long ? va_arg(ap, unsigned long) : va_arg(ap, unsigned),
				   *fmt == 'x' ? 16 : 10, width, pad);
		fmt++;
	}
	t->buf[t->len] = '\0';
}

void text_add(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_add_v(t, fmt, ap);
	va_end(ap);
}
