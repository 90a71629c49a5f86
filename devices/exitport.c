/* SPDX-License-Identifier: MIT */
/* Exit port core: what the guest writes ends the run. */
#include "devices/exitport.h"

static uint32_t width_mask(unsigned size)
{
	return size < 4 ? (1u << (size * 8)) - 1 : UINT32_MAX;
}

void exitport_init(struct exitport *x, const struct exitport_env *env)
{
	*x = (struct exitport){.env = *env};
}

uint32_t exitport_read(struct exitport *x, unsigned size)
{
	(void)x;
	return width_mask(size);
}

void exitport_write(struct exitport *x, uint32_t val, unsigned size)
{
	x->env.exit(x->env.ctx, val & width_mask(size));
}
