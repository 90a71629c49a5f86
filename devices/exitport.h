/* SPDX-License-Identifier: MIT */
/* Exit port (QEMU's isa-debug-exit, port 0xF4) core: what the guest writes ends the run. */
#ifndef VPUP_DEVICES_EXITPORT_H
#define VPUP_DEVICES_EXITPORT_H

#include <stdint.h>

struct exitport_env {
	void (*exit)(void *ctx, uint32_t code);
	void *ctx;
};

struct exitport {
	struct exitport_env env;
};

void exitport_init(struct exitport *x, const struct exitport_env *env);

/* Reads give all ones, in the access's width. */
uint32_t exitport_read(struct exitport *x, unsigned size);
void exitport_write(struct exitport *x, uint32_t val, unsigned size);

#endif
