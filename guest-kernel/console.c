/* SPDX-License-Identifier: MIT */
/* Lines on the first serial port, stamped with the time since the first instruction. */
#include "guest-kernel/console.h"

#include "guest-kernel/cpu.h"
#include "guest-kernel/kernel.h"
#include "guest-kernel/text.h"

#define COM1_THR     0x3f8 /* transmitter holding register of the first 16550 */
#define LINE_MAX     256
#define LINE_END     "\r\n"
#define LINE_END_LEN 2
#define STAMP_LEN    15

/*
 * Writes "[    0.000000] ", filled in from the right; as every line has one, without the help of
 * text_add().
 */
static void put_stamp(struct text *line, uint64_t us)
{
	char *p = line->buf + STAMP_LEN - 2;
	unsigned i;

	__builtin_memcpy(line->buf, "[    0.000000] ", STAMP_LEN);
	line->len = STAMP_LEN;
	for (i = 0; i < 6; i++, us /= 10)
		*--p += (char)(us % 10);
	p--; /* the point */
	*--p += (char)(us % 10);
	for (us /= 10; us != 0 && p - 1 > line->buf; us /= 10)
		*--p = (char)('0' + us % 10);
}

static void put_line(const char *fmt, va_list ap)
{
	const struct console *c = &kernel.console;
	char buf[LINE_MAX];
	struct text line = {.buf = buf, .size = sizeof(buf) - LINE_END_LEN};
	uint64_t us = 0;

	if (c->tsc_khz != 0)
		us = (cpu_rdtsc() - c->entry_tsc) * 1000 / c->tsc_khz;
	put_stamp(&line, us);
	text_add_v(&line, fmt, ap);
	__builtin_memcpy(line.buf + line.len, LINE_END, LINE_END_LEN);
	/*
	 * No look at the line status register: the transmitter of a virtual UART is always empty,
	 * and each look would cost as much as the byte.
	 */
	cpu_rep_outsb(COM1_THR, buf, line.len + LINE_END_LEN);
}

void console_line(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line(fmt, ap);
	va_end(ap);
}

void console_info(const char *fmt, ...)
{
	va_list ap;

	if (kernel.console.quiet)
		return;
	va_start(ap, fmt);
	put_line(fmt, ap);
	va_end(ap);
}
