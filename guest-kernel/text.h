/* SPDX-License-Identifier: MIT */
/* Formatted text in a fixed buffer; what does not fit is cut off. */
#ifndef VPUP_GUEST_TEXT_H
#define VPUP_GUEST_TEXT_H

#include <stdarg.h>
#include <stddef.h>

struct text {
	char *buf;
	size_t size; /* of buf; one byte of it is kept for the NUL */
	size_t len;  /* without the NUL */
};

/*
 * Appends. Knows %s, %u, %x, the last two with `l`, a width, and `0` for padding with zeroes.
 * t->buf is NUL-terminated afterwards.
 */
__attribute__((format(printf, 2, 3))) void text_add(struct text *t, const char *fmt, ...);
void text_add_v(struct text *t, const char *fmt, va_list ap);

#endif
