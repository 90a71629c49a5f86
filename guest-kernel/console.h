/* SPDX-License-Identifier: MIT */
/* Lines on the first serial port, stamped with the time since the first instruction. */
#ifndef VPUP_GUEST_CONSOLE_H
#define VPUP_GUEST_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

struct console {
	bool quiet;
	uint64_t entry_tsc;
	uint64_t tsc_khz; /* 0: not known yet, and stamps are zero */
};

/*
 * One line; fmt as in text_add(), without the line end. Every byte costs an exit of the VM (about
 * 10 us under KVM), so: few lines, short ones, and none between the two marks of the measured
 * region.
 */
__attribute__((format(printf, 1, 2))) void console_line(const char *fmt, ...);

/* The same, but nothing with `quiet` on the command line. */
__attribute__((format(printf, 1, 2))) void console_info(const char *fmt, ...);

#endif
