/* SPDX-License-Identifier: MIT */
/* The escape key of the console: what is vpup's among the keys that a person types. */
#ifndef VPUP_VMM_CONSOLE_KEYS_H
#define VPUP_VMM_CONSOLE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum console_action {
	CONSOLE_NOTHING,
	CONSOLE_QUIT,  /* Ctrl-a x */
	CONSOLE_HELP,  /* Ctrl-a h, Ctrl-a ? */
	CONSOLE_POWER, /* Ctrl-a p: the power button */
	CONSOLE_SIZE,  /* Ctrl-a s: tell a shell the terminal's size */
};

/* What Ctrl-a h prints. */
#define CONSOLE_KEYS_HELP                                            \
	"\r\nCtrl-a x  quit    Ctrl-a p  press the power button\r\n" \
	"Ctrl-a h  help    Ctrl-a s  type 'stty rows N cols M'\r\n"  \
	"Ctrl-a Ctrl-a  send Ctrl-a\r\n"

/* Start with zeroes. */
struct console_keys {
	bool escaped; /* Ctrl-a was the last key */
};

/*
 * Copies the keys that are the guest's from in to out (which may be in) and sets *out_size, up to the
 * first that asks for an action. Returns how many keys were used up.
 */
size_t console_keys_filter(struct console_keys *k, const uint8_t *in, size_t size, uint8_t *out,
			   size_t *out_size, enum console_action *action);

#endif
