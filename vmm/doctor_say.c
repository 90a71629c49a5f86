/* SPDX-License-Identifier: MIT */
/* A line of `vpup doctor`. */
#include "vmm/doctor_say.h"

#include <stdarg.h>
#include <stdio.h>

void doctor_say(enum doctor_mark mark, const char *what, const char *fmt, ...)
{
	static const char *const marks[] = {"ok", "note", "FAIL"};
	va_list ap;

	va_start(ap, fmt);
	printf("%-5s %-14s ", marks[mark], what);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
}
