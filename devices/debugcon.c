/* SPDX-License-Identifier: MIT */
/* Debug console core: bytes, strings, and blocks that the guest hands over by address. */
#include <stdbool.h>
#include <string.h>

#include "devices/debugcon.h"
#include "guest-kernel/abi/debugcon.h"

void debugcon_init(struct debugcon *d, const struct debugcon_env *env)
{
	*d = (struct debugcon){.env = *env};
}

void debugcon_reset(struct debugcon *d)
{
	*d = (struct debugcon){.env = d->env};
}

uint32_t debugcon_read(struct debugcon *d, unsigned size)
{
	(void)d;
	switch (size) {
	case 1:
		return DEBUGCON_PORT;
	case 2:
		return 0xff00 | DEBUGCON_PORT; /* the port above is nobody's */
	default:
		return DEBUGCON_BLOCK_ID;
	}
}

static bool send_block(struct debugcon *d, uint64_t block_gpa)
{
	struct debugcon_block block;
	const void *src = d->env.gpa_ptr(d->env.ctx, block_gpa, sizeof(block));
	const uint8_t *data;

	if (!src)
		return false;
	memcpy(&block, src, sizeof(block)); /* once: the guest may change it meanwhile */

	if (block.magic != DEBUGCON_BLOCK_MAGIC || block.size_bytes == 0 ||
	    block.size_bytes > DEBUGCON_BLOCK_MAX)
		return false;

	data = d->env.gpa_ptr(d->env.ctx, block.gpa, block.size_bytes);
	if (!data)
		return false;
	d->env.tx(d->env.ctx, data, block.size_bytes);
	return true;
}

void debugcon_write(struct debugcon *d, uint32_t val, unsigned size)
{
	uint8_t byte = val & 0xff;

	if (size < 4)
		d->env.tx(d->env.ctx, &byte, 1);
	else if (!send_block(d, val))
		d->rejected_blocks++;
}

void debugcon_write_string(struct debugcon *d, const uint8_t *data, size_t size)
{
	if (size)
		d->env.tx(d->env.ctx, data, size);
}
