/* SPDX-License-Identifier: MIT */
/*
 * Debug console, as host and guest agree on it.
 *
 * Port 0xE9 takes bytes and reads 0xE9, as in Bochs and QEMU. KVM gives user space one exit per byte
 * even for `rep outsb`, so vpup offers more: where a 4-byte read gives DEBUGCON_BLOCK_ID, a 4-byte
 * write of the guest physical address of a struct debugcon_block hands over a whole block in one
 * exit, as if its bytes had been written one by one. Elsewhere (QEMU reads all ones there) the
 * guest falls back to `rep outsb`.
 */
#ifndef VPUP_ABI_DEBUGCON_H
#define VPUP_ABI_DEBUGCON_H

#include <stddef.h>
#include <stdint.h>

#define DEBUGCON_PORT        0xe9
#define DEBUGCON_BLOCK_ID    0x31465056u /* "VPF1" */
#define DEBUGCON_BLOCK_MAGIC 0x4b4c4256u /* "VBLK" */
#define DEBUGCON_BLOCK_MAX   0x1000000u  /* 16 MiB */

struct debugcon_block {
	uint32_t magic;      /* IN: DEBUGCON_BLOCK_MAGIC */
	uint32_t size_bytes; /* IN: 1 to DEBUGCON_BLOCK_MAX */
	uint64_t gpa;        /* IN: first byte; the block lies in one piece of RAM */
};

_Static_assert(sizeof(struct debugcon_block) == 16, "ABI");
_Static_assert(offsetof(struct debugcon_block, gpa) == 8, "ABI");

#endif
