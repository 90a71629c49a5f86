/* SPDX-License-Identifier: MIT */
/* One human-readable line about a failure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vmm/err.h"

int err_set(struct err *e, int code, const char *fmt, ...)
{
	struct err line; /* the arguments may point into e: "%s: %s" around an earlier text */
	va_list args;

	if (!e)
		return -code;

	va_start(args, fmt);
	vsnprintf(line.text, sizeof(line.text), fmt, args);
	va_end(args);

	/* File names and guest strings may hold anything; the terminal gets one line. */
	for (char *c = line.text; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	strcpy(e->text, line.text);
	return -code;
}
