/* SPDX-License-Identifier: MIT */
/* One human-readable line about a failure, carried up to whoever prints it. */
#ifndef VPUP_VMM_ERR_H
#define VPUP_VMM_ERR_H

struct err {
	char text[256]; /* one line, no newline, no "vpup:" prefix */
};

/*
 * Formats the line into e (which may be NULL: then the text is dropped) and returns -code, so that
 * a failing function ends in `return err_set(e, EINVAL, "...")`. code is a positive errno value.
 */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
