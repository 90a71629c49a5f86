/* SPDX-License-Identifier: MIT */
/* The escape key of the console. */
#include "vmm/console_keys.h"

#define CTRL_A 0x01

static enum console_action action_of(uint8_t key)
{
	switch (key) {
	case 'x':
	case 'X':
		return CONSOLE_QUIT;
	case 'h':
	case 'H':
	case '?':
		return CONSOLE_HELP;
	case 'p':
		return CONSOLE_POWER;
	case 's':
		return CONSOLE_SIZE;
	default:
		return CONSOLE_NOTHING;
	}
}

size_t console_keys_filter(struct console_keys *k, const uint8_t *in, size_t size, uint8_t *out,
			   size_t *out_size, enum console_action *action)
{
	size_t used = 0;

	*out_size = 0;
	*action = CONSOLE_NOTHING;
	while (used < size && *action == CONSOLE_NOTHING) {
		uint8_t key = in[used++];

		if (!k->escaped && key == CTRL_A) {
			k->escaped = true;
			continue;
		}
		if (!k->escaped || key == CTRL_A)
			out[(*out_size)++] = key;
		else
			*action = action_of(key);
		k->escaped = false;
	}
	return used;
}
