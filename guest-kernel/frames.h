/* SPDX-License-Identifier: MIT */
/* The trace frames of abi/trace.h, written to the debug console after the measured region. */
#ifndef VPUP_GUEST_FRAMES_H
#define VPUP_GUEST_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "guest-kernel/abi/trace.h"
#include "guest-kernel/memory.h"

struct frames {
	uint8_t *buf;
	size_t size;  /* of buf */
	uint32_t seq; /* frames sent so far */
};

/* Takes memory for the frames of vp_count VPs. Ends the run if there is too little. */
void frames_init(struct frames *f, struct memory *memory, uint32_t vp_count);

/* Sends `lines` lines of test results, size bytes that stand behind frame. */
void frames_send_tap(struct frames *f, struct trace_frame *frame, size_t size, uint32_t lines);

/* Builds all frames and hands them out; does nothing where there is no debug console. */
void frames_send(const struct frames *f);

#endif
