/* SPDX-License-Identifier: MIT */
/*
 * Debug console (port 0xE9 of Bochs and QEMU) core: bytes out, 0xE9 in; and, as guest-kernel/abi/
 * debugcon.h describes, whole blocks of guest memory for the price of one exit.
 */
#ifndef VPUP_DEVICES_DEBUGCON_H
#define VPUP_DEVICES_DEBUGCON_H

#include <stddef.h>
#include <stdint.h>

struct debugcon_env {
	void (*tx)(void *ctx, const uint8_t *data, size_t size);
	/* Host view of guest memory, or NULL when the range is not RAM. */
	const void *(*gpa_ptr)(void *ctx, uint64_t gpa, uint64_t size);
	void *ctx;
};

struct debugcon {
	struct debugcon_env env;
	uint64_t rejected_blocks; /* descriptors that did not check out */
};

void debugcon_init(struct debugcon *d, const struct debugcon_env *env);
void debugcon_reset(struct debugcon *d);

/* size is 1, 2 or 4 bytes. A 1-byte read gives 0xE9, a 4-byte one DEBUGCON_BLOCK_ID. */
uint32_t debugcon_read(struct debugcon *d, unsigned size);
void debugcon_write(struct debugcon *d, uint32_t val, unsigned size);
void debugcon_write_string(struct debugcon *d, const uint8_t *data, size_t size);

#endif
