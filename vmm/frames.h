/* SPDX-License-Identifier: MIT */
/* Reads the trace frames of guest-kernel/abi/trace.h out of a debug console's byte stream. */
#ifndef VPUP_VMM_FRAMES_H
#define VPUP_VMM_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest-kernel/abi/findings.h"
#include "guest-kernel/abi/trace.h"
#include "vmm/err.h"

/* What the guest has told so far. Arrays are owned; free with guest_trace_fini(). */
struct guest_trace {
	bool have_info;
	bool complete; /* TRACE_END seen, and no frame missing */
	struct trace_info info;
	struct trace_vp *vp;
	size_t vp_count;
	struct trace_event *event;
	size_t event_count;
	struct trace_cost *cost;
	size_t cost_count;
	struct trace_finding *finding;
	size_t finding_count;
	char *tap; /* lines of TRACE_TAP frames, a NUL behind them; NULL: none. Printable, or '?' */
	size_t tap_size; /* without the NUL */
	uint32_t frames;
	uint64_t skipped_bytes; /* outside frames: text, rubbish */
	uint64_t bad_frames;    /* right magic, wrong check, size or version */
};

struct frame_reader {
	struct guest_trace *out;
	uint8_t *pending; /* bytes of a frame that is not whole yet */
	size_t pending_size;
	size_t pending_capacity;
	uint32_t next_seq;
	bool lost; /* a gap in seq, or out of memory */
};

void frame_reader_init(struct frame_reader *r, struct guest_trace *out);
void frame_reader_fini(struct frame_reader *r);

/*
 * Takes the next bytes, in pieces of any size. The stream is hostile: sizes and counts are checked
 * against each other and against FRAME_PAYLOAD_MAX, and nothing is kept past FRAME_TOTAL_MAX.
 */
#define FRAME_PAYLOAD_MAX (16u << 20)
#define FRAME_TOTAL_MAX   (256u << 20)
void frame_reader_push(struct frame_reader *r, const uint8_t *data, size_t size);

void guest_trace_fini(struct guest_trace *t);

#endif
