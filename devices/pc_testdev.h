/* SPDX-License-Identifier: MIT */
/*
 * Test device (QEMU's pc-testdev) core: ports and memory that give back what was written, and the
 * interrupt lines in the guest's own hands.
 */
#ifndef VPUP_DEVICES_PC_TESTDEV_H
#define VPUP_DEVICES_PC_TESTDEV_H

#include <stdbool.h>
#include <stdint.h>

#define PC_TESTDEV_LATCH_BYTES  4
#define PC_TESTDEV_MEMORY_BYTES 0x10000
#define PC_TESTDEV_IRQ_LINES    24

struct pc_testdev_env {
	void (*irq)(void *ctx, unsigned line, bool level);
	void *ctx;
};

struct pc_testdev {
	struct pc_testdev_env env;
	uint8_t latch[PC_TESTDEV_LATCH_BYTES];
	uint8_t memory[PC_TESTDEV_MEMORY_BYTES];
};

void pc_testdev_init(struct pc_testdev *d, const struct pc_testdev_env *env);

/* Bytes of latch and memory. Past the end, reads give all ones and writes have no effect. */
uint8_t pc_testdev_latch_read(const struct pc_testdev *d, unsigned off);
void pc_testdev_latch_write(struct pc_testdev *d, unsigned off, uint8_t val);
uint8_t pc_testdev_memory_read(const struct pc_testdev *d, unsigned off);
void pc_testdev_memory_write(struct pc_testdev *d, unsigned off, uint8_t val);

/* Drives an interrupt line. Those that do not exist are ignored. */
void pc_testdev_set_line(struct pc_testdev *d, unsigned line, bool level);

#endif
