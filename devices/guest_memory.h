/* SPDX-License-Identifier: MIT */
/* Guest RAM as a device model sees it. */
#ifndef VPUP_DEVICES_GUEST_MEMORY_H
#define VPUP_DEVICES_GUEST_MEMORY_H

#include <stdint.h>

struct guest_memory {
	/*
	 * Host address of [gpa, gpa + size_bytes), which stays valid; NULL unless all of it is RAM.
	 * The guest may change the bytes at any time: copy once, check, then use the copy.
	 */
	void *(*ptr)(void *ctx, uint64_t gpa, uint64_t size_bytes);
	void *ctx;
};

#endif
