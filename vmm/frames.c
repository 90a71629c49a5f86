/* SPDX-License-Identifier: MIT */
/* Reads the guest's trace frames out of a byte stream that may hold anything else as well. */
#include "vmm/frames.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE  sizeof(struct trace_frame)
#define MAGIC_BYTE   (TRACE_MAGIC & 0xff) /* the first in the stream: fields are little-endian */
#define CAPACITY_MIN 4096u

void frame_reader_init(struct frame_reader *r, struct guest_trace *out)
{
	*r = (struct frame_reader){.out = out};
	*out = (struct guest_trace){0};
}

void frame_reader_fini(struct frame_reader *r)
{
	free(r->pending);
	r->pending = NULL;
	r->pending_size = 0;
	r->pending_capacity = 0;
}

void guest_trace_fini(struct guest_trace *t)
{
	free(t->vp);
	free(t->event);
	free(t->cost);
	free(t->finding);
	free(t->tap);
	*t = (struct guest_trace){0};
}

/* Grows with the bytes that came, never with the size that a header claims. */
static int pending_append(struct frame_reader *r, const uint8_t *data, size_t size)
{
	size_t need = r->pending_size + size;

	if (need > r->pending_capacity) {
		size_t capacity = r->pending_capacity ? r->pending_capacity : CAPACITY_MIN;
		uint8_t *grown;

		while (capacity < need)
			capacity *= 2;
		grown = realloc(r->pending, capacity);
		if (!grown)
			return -ENOMEM;
		r->pending = grown;
		r->pending_capacity = capacity;
	}
	memcpy(r->pending + r->pending_size, data, size);
	r->pending_size = need;
	return 0;
}

/* What looked like a frame is none: its first byte is skipped, and the rest is looked at again. */
static void pending_resync(struct frame_reader *r)
{
	const uint8_t *rest = r->pending + 1;
	size_t size = r->pending_size - 1;
	const uint8_t *next = memchr(rest, MAGIC_BYTE, size);
	size_t skipped = next ? (size_t)(next - rest) : size;

	r->out->skipped_bytes += 1 + skipped;
	r->pending_size = size - skipped;
	memmove(r->pending, rest + skipped, r->pending_size);
}

static struct trace_frame pending_header(const struct frame_reader *r)
{
	struct trace_frame f;

	memcpy(&f, r->pending, sizeof(f));
	return f;
}

/* Records may be longer than those we know, never shorter than their first version was. */
static bool records_fit(const struct trace_frame *f, size_t first_size)
{
	if (f->count == 0)
		return f->size_bytes == 0;
	return f->size_bytes % f->count == 0 && f->size_bytes / f->count >= first_size;
}

static bool header_is_sound(const struct trace_frame *f)
{
	if (f->check != trace_frame_check(f) || f->version != TRACE_VERSION ||
	    f->size_bytes > FRAME_PAYLOAD_MAX)
		return false;
	switch (f->type) {
	case TRACE_INFO:
		return f->count == 1 && records_fit(f, TRACE_INFO_SIZE_1);
	case TRACE_VPS:
		return records_fit(f, TRACE_VP_SIZE_1);
	case TRACE_EVENTS:
		return records_fit(f, sizeof(struct trace_event));
	case TRACE_COSTS:
		return records_fit(f, sizeof(struct trace_cost));
	case TRACE_FINDINGS:
		return records_fit(f, sizeof(struct trace_finding));
	case TRACE_END:
		return f->size_bytes == 0 && f->count == 0;
	case TRACE_TAP:
		return f->count == 0 ? f->size_bytes == 0 : f->size_bytes >= f->count;
	default: /* a newer guest's: passed over as a whole */
		return true;
	}
}

static size_t kept_bytes(const struct guest_trace *t)
{
	return t->vp_count * sizeof(*t->vp) + t->event_count * sizeof(*t->event) +
	       t->cost_count * sizeof(*t->cost) + t->finding_count * sizeof(*t->finding) +
	       t->tap_size;
}

/* Copies a record of `size` bytes: what we do not know of it is dropped, what it lacks is zero. */
static void record_copy(void *out, size_t known_size, const uint8_t *record, size_t size)
{
	memset(out, 0, known_size);
	memcpy(out, record, size < known_size ? size : known_size);
}

/*
 * Appends the frame's records to array. Returns the array, which may have moved, or sets *error and
 * returns it as it was.
 */
static void *records_keep(const struct guest_trace *t, const struct trace_frame *f,
			  const uint8_t *payload, void *array, size_t *count, size_t record_size,
			  int *error)
{
	size_t stride;
	uint8_t *grown;

	if (f->count == 0)
		return array;
	if (f->count > (FRAME_TOTAL_MAX - kept_bytes(t)) / record_size) {
		*error = -ENOSPC;
		return array;
	}
	grown = realloc(array, (*count + f->count) * record_size);
	if (!grown) {
		*error = -ENOMEM;
		return array;
	}
	stride = f->size_bytes / f->count;
	for (uint32_t i = 0; i < f->count; i++)
		record_copy(grown + (*count + i) * record_size, record_size, payload + i * stride,
			    stride);
	*count += f->count;
	return grown;
}

/* Appends the text. A line that the guest left open is closed, so that frames never share one. */
static int text_keep(struct guest_trace *t, const uint8_t *text, size_t size)
{
	char *grown;

	if (size == 0)
		return 0;
	if (size + 1 > FRAME_TOTAL_MAX - kept_bytes(t))
		return -ENOSPC;
	grown = realloc(t->tap, t->tap_size + size + 2);
	if (!grown)
		return -ENOMEM;
	t->tap = grown;
	for (size_t i = 0; i < size; i++) {
		bool shown = text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~');

		grown[t->tap_size++] = shown ? (char)text[i] : '?';
	}
	if (grown[t->tap_size - 1] != '\n')
		grown[t->tap_size++] = '\n';
	grown[t->tap_size] = '\0';
	return 0;
}

static int frame_keep(struct guest_trace *t, const struct trace_frame *f, const uint8_t *payload)
{
	int error = 0;

	switch (f->type) {
	case TRACE_INFO:
		record_copy(&t->info, sizeof(t->info), payload, f->size_bytes);
		t->have_info = true;
		break;
	case TRACE_VPS:
		t->vp = records_keep(t, f, payload, t->vp, &t->vp_count, sizeof(*t->vp), &error);
		break;
	case TRACE_EVENTS:
		t->event = records_keep(t, f, payload, t->event, &t->event_count, sizeof(*t->event),
					&error);
		break;
	case TRACE_COSTS:
		t->cost = records_keep(t, f, payload, t->cost, &t->cost_count, sizeof(*t->cost),
				       &error);
		break;
	case TRACE_FINDINGS:
		t->finding = records_keep(t, f, payload, t->finding, &t->finding_count,
					  sizeof(*t->finding), &error);
		break;
	case TRACE_TAP:
		return text_keep(t, payload, f->size_bytes);
	default:
		break;
	}
	return error;
}

/* A whole frame with a sound header is pending. */
static void frame_take(struct frame_reader *r)
{
	struct trace_frame f = pending_header(r);
	struct guest_trace *t = r->out;

	assert(r->pending_size == HEADER_SIZE + f.size_bytes);
	r->pending_size = 0;
	if (t->complete) { /* the trace has ended: nothing may change it any more */
		t->bad_frames++;
		return;
	}
	if (f.seq != r->next_seq)
		r->lost = true;
	r->next_seq = f.seq + 1;
	t->frames++;
	if (f.type == TRACE_END)
		t->complete = !r->lost;
	else if (frame_keep(t, &f, r->pending + HEADER_SIZE))
		r->lost = true;
}

/* Bytes up to the end of the header, or, once that is there and sound, of the frame. */
static size_t pending_wants(const struct frame_reader *r)
{
	if (r->pending_size < HEADER_SIZE)
		return HEADER_SIZE - r->pending_size;
	return HEADER_SIZE + pending_header(r).size_bytes - r->pending_size;
}

/* Called with a header that has just become whole. */
static void header_take(struct frame_reader *r)
{
	struct trace_frame f = pending_header(r);
	bool is_frame = f.magic == TRACE_MAGIC;

	if (is_frame && header_is_sound(&f))
		return;
	r->out->bad_frames += is_frame;
	pending_resync(r);
}

void frame_reader_push(struct frame_reader *r, const uint8_t *data, size_t size)
{
	while (size > 0) {
		size_t wanted;

		if (r->pending_size == 0) {
			const uint8_t *start = memchr(data, MAGIC_BYTE, size);
			size_t skipped = start ? (size_t)(start - data) : size;

			r->out->skipped_bytes += skipped;
			data += skipped;
			size -= skipped;
			if (size == 0)
				return;
		}
		wanted = pending_wants(r);
		if (wanted > size)
			wanted = size;
		if (pending_append(r, data, wanted)) {
			r->lost = true;
			r->pending_size = 0;
			return;
		}
		data += wanted;
		size -= wanted;
		if (r->pending_size == HEADER_SIZE)
			header_take(r);
		if (r->pending_size >= HEADER_SIZE && pending_wants(r) == 0)
			frame_take(r);
	}
}
