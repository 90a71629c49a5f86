/* SPDX-License-Identifier: MIT */
/* Test device core: ports and memory that give back what was written, and interrupt lines. */
#include "devices/pc_testdev.h"

#include <string.h>

void pc_testdev_init(struct pc_testdev *d, const struct pc_testdev_env *env)
{
	memset(d, 0, sizeof(*d));
	d->env = *env;
}

uint8_t pc_testdev_latch_read(const struct pc_testdev *d, unsigned off)
{
	return off < sizeof(d->latch) ? d->latch[off] : 0xff;
}

void pc_testdev_latch_write(struct pc_testdev *d, unsigned off, uint8_t val)
{
	if (off < sizeof(d->latch))
		d->latch[off] = val;
}

uint8_t pc_testdev_memory_read(const struct pc_testdev *d, unsigned off)
{
	return off < sizeof(d->memory) ? d->memory[off] : 0xff;
}

void pc_testdev_memory_write(struct pc_testdev *d, unsigned off, uint8_t val)
{
	if (off < sizeof(d->memory))
		d->memory[off] = val;
}

void pc_testdev_set_line(struct pc_testdev *d, unsigned line, bool level)
{
	if (line < PC_TESTDEV_IRQ_LINES)
		d->env.irq(d->env.ctx, line, level);
}
