/* SPDX-License-Identifier: MIT */
/* 8042 keyboard controller core: commands and the reset line, with nothing plugged in. */
#include "devices/i8042.h"

/* Status register, port 0x64. The input buffer is never full: bytes are taken at once. */
#define STATUS_OUTPUT_FULL 0x01
#define STATUS_SYSTEM      0x04 /* the self-test has passed */
#define STATUS_COMMAND     0x08 /* the last write was a command, not data */
#define STATUS_UNLOCKED    0x10 /* the key lock is open */

/* Configuration byte. */
#define CONFIG_SYSTEM       0x04
#define CONFIG_KBD_DISABLED 0x10
#define CONFIG_AUX_DISABLED 0x20

#define COMMAND_READ_CONFIG  0x20
#define COMMAND_WRITE_CONFIG 0x60
#define COMMAND_AUX_DISABLE  0xa7
#define COMMAND_AUX_ENABLE   0xa8
#define COMMAND_SELF_TEST    0xaa
#define COMMAND_KBD_TEST     0xab
#define COMMAND_KBD_DISABLE  0xad
#define COMMAND_KBD_ENABLE   0xae
#define COMMAND_READ_OUTPUT  0xd0
#define COMMAND_WRITE_OUTPUT 0xd1
#define COMMAND_PULSE        0xf0 /* to 0xff: each clear bit of the low four is a line pulsed low */

#define SELF_TEST_PASSED 0x55
#define KBD_TEST_PASSED  0x00

/* Output port. */
#define OUTPUT_NO_RESET 0x01
#define OUTPUT_A20      0x02

void i8042_init(struct i8042 *k, const struct i8042_env *env)
{
	*k = (struct i8042){.env = *env, .output_port = OUTPUT_NO_RESET | OUTPUT_A20};
}

void i8042_reset(struct i8042 *k)
{
	struct i8042_env env = k->env;

	i8042_init(k, &env);
}

static void reply(struct i8042 *k, uint8_t val)
{
	k->output = val;
	k->output_full = 1;
}

uint8_t i8042_read_status(struct i8042 *k)
{
	uint8_t status = STATUS_UNLOCKED;

	if (k->output_full)
		status |= STATUS_OUTPUT_FULL;
	if (k->config & CONFIG_SYSTEM)
		status |= STATUS_SYSTEM;
	if (k->command_last)
		status |= STATUS_COMMAND;
	return status;
}

void i8042_write_command(struct i8042 *k, uint8_t val)
{
	k->command = 0; /* a new command ends the wait for an old one's data */
	k->command_last = 1;

	switch (val) {
	case COMMAND_READ_CONFIG:
		reply(k, k->config);
		break;
	case COMMAND_WRITE_CONFIG:
	case COMMAND_WRITE_OUTPUT:
		k->command = val;
		break;
	case COMMAND_AUX_DISABLE:
		k->config |= CONFIG_AUX_DISABLED;
		break;
	case COMMAND_AUX_ENABLE:
		k->config &= ~CONFIG_AUX_DISABLED;
		break;
	case COMMAND_SELF_TEST:
		k->config |= CONFIG_SYSTEM;
		reply(k, SELF_TEST_PASSED);
		break;
	case COMMAND_KBD_TEST:
		reply(k, KBD_TEST_PASSED);
		break;
	case COMMAND_KBD_DISABLE:
		k->config |= CONFIG_KBD_DISABLED;
		break;
	case COMMAND_KBD_ENABLE:
		k->config &= ~CONFIG_KBD_DISABLED;
		break;
	case COMMAND_READ_OUTPUT:
		reply(k, k->output_port);
		break;
	default:
		if (val >= COMMAND_PULSE && !(val & OUTPUT_NO_RESET))
			k->env.reset(k->env.ctx);
		break;
	}
}

uint8_t i8042_read_data(struct i8042 *k)
{
	k->output_full = 0;
	return k->output;
}

void i8042_write_data(struct i8042 *k, uint8_t val)
{
	uint8_t command = k->command;

	k->command = 0;
	k->command_last = 0;

	/* Any other byte goes to the keyboard, and there is none to answer. */
	if (command == COMMAND_WRITE_CONFIG) {
		k->config = val;
	} else if (command == COMMAND_WRITE_OUTPUT) {
		k->output_port = val | OUTPUT_NO_RESET; /* the reset itself raises the line again */
		if (!(val & OUTPUT_NO_RESET))
			k->env.reset(k->env.ctx);
	}
}
