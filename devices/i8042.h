/* SPDX-License-Identifier: MIT */
/* The part of the 8042 keyboard controller that test guests use: status, and the reset line. */
#ifndef VPUP_DEVICES_I8042_H
#define VPUP_DEVICES_I8042_H

#include <stdint.h>

struct i8042_env {
	void (*reset)(void *ctx); /* output port bit 0 pulsed low: CPU reset */
	void *ctx;
};

struct i8042 {
	struct i8042_env env;
	uint8_t command;      /* command that waits for its data byte, or 0 */
	uint8_t config;       /* configuration byte (commands 0x20, 0x60) */
	uint8_t output;       /* byte that the next read of port 0x60 gives */
	uint8_t output_full;  /* 1 while it has not been read */
	uint8_t output_port;  /* commands 0xD0, 0xD1; bit 0 low is reset, bit 1 is A20 */
	uint8_t command_last; /* 1 when the last write was to port 0x64 */
};

void i8042_init(struct i8042 *k, const struct i8042_env *env);
void i8042_reset(struct i8042 *k);

uint8_t i8042_read_status(struct i8042 *k);             /* port 0x64 */
void i8042_write_command(struct i8042 *k, uint8_t val); /* port 0x64 */
uint8_t i8042_read_data(struct i8042 *k);               /* port 0x60 */
void i8042_write_data(struct i8042 *k, uint8_t val);    /* port 0x60 */

#endif
