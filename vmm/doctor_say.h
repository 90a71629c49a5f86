/* SPDX-License-Identifier: MIT */
/* A line of `vpup doctor`. */
#ifndef VPUP_VMM_DOCTOR_SAY_H
#define VPUP_VMM_DOCTOR_SAY_H

enum doctor_mark {
	DOCTOR_FINE,
	DOCTOR_NOTE, /* something is less than it could be, and the line says what to do */
	DOCTOR_BAD,  /* the bundled guest can't run */
};

/* Prints the mark, what it is about (14 characters or less), and the rest as printf() does. */
void doctor_say(enum doctor_mark mark, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
