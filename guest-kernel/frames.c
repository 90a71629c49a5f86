/* SPDX-License-Identifier: MIT */
/* The trace frames of abi/trace.h, written to the debug console after the measured region. */
#include "guest-kernel/frames.h"

#include "guest-kernel/abi/debugcon.h"
#include "guest-kernel/abi/trace.h"
#include "guest-kernel/kernel.h"
#include "guest-kernel/shutdown.h"
#include "guest-kernel/string.h"

#define FRAME_COUNT    6 /* INFO, VPS, EVENTS, COSTS, FINDINGS, END */
#define DEBUGCON_READS 0xe9

/* A frame that is being built at `frame`; what follows it goes to `pos`. */
struct frame_writer {
	struct trace_frame *frame;
	uint8_t *pos;
	uint32_t seq;
};

static void *frame_begin(struct frame_writer *w, enum trace_type type)
{
	w->frame = (struct trace_frame *)w->pos;
	w->frame->type = (uint16_t)type;
	w->pos += sizeof(*w->frame);
	return w->pos;
}

/* The frame holds count records, which end at end. */
static void frame_end(struct frame_writer *w, void *end, uint32_t count)
{
	struct trace_frame *f = w->frame;

	f->magic = TRACE_MAGIC;
	f->version = TRACE_VERSION;
	f->size_bytes = (uint32_t)((uint8_t *)end - w->pos);
	f->count = count;
	f->seq = w->seq++;
	f->check = trace_frame_check(f);
	w->pos = end;
}

/* All but vps_online. */
static struct trace_info *write_info(struct frame_writer *w)
{
	struct trace_info *i = frame_begin(w, TRACE_INFO);

	*i = (struct trace_info){
		.vps_found = kernel.vp_table.count,
		.nodes = vp_table_nodes(&kernel.vp_table),
		.hz = kernel.options.hz,
		.smp = kernel.options.smp,
		.lpj = kernel.options.lpj,
		.tables = kernel.tables.kind,
		.hypervisor = kernel.hypervisor.kind,
		.tsc_source = kernel.clock.tsc_source,
		.apic_mode = kernel.apic.x2apic ? 2 : 1,
		.tsc_khz = kernel.clock.tsc_khz,
		.apic_timer_hz = kernel.clock.apic_timer_hz,
		.entry_tsc = kernel.console.entry_tsc,
		.smp_begin_tsc = kernel.smp.begin_tsc,
		.smp_end_tsc = kernel.smp.end_tsc,
		.lpj_reference = kernel.lpj_reference,
		.synic = kernel.options.synic,
		.flags = (kernel.clock.invariant_tsc ? TRACE_INFO_INVARIANT_TSC : 0) |
			 (kernel.topology.odd ? TRACE_INFO_TOPOLOGY_ODD : 0),
		.packages = kernel.topology.packages,
		.ucode_us = kernel.options.ucode_us,
		.identify_us = kernel.options.identify_us,
		.tscsync_us = kernel.options.tscsync_us,
		.online_us = kernel.options.online_us,
		.lpj_given = kernel.options.lpj_given,
		.synic_begin_tsc = kernel.synic.begin_tsc,
		.synic_end_tsc = kernel.synic.end_tsc,
	};
	frame_end(w, i + 1, 1);
	return i;
}

/* Returns how many are online: after a time-out one may still come while this is being written. */
static uint32_t write_vps(struct frame_writer *w)
{
	const struct vp *vp = kernel.vp_table.vps, *end = vp + kernel.vp_table.count;
	struct trace_vp *out = frame_begin(w, TRACE_VPS);
	uint32_t online_count = 0;

	for (; vp < end; vp++, out++) {
		bool online = vp_reached(vp, TRACE_VP_ONLINE);

		*out = (struct trace_vp){
			.vp = vp->index,
			.apic_id = vp->apic_id,
			.node = vp->node,
			.online = online,
			.hv_vp_index = online ? vp->hv_vp_index : 0,
			.lpj_dropped = online ? vp->lpj_dropped : 0,
			.lpj = online ? vp->lpj : 0,
			.flags = online && vp->lpj_measured ? TRACE_VP_MEASURED_LPJ : 0,
			.package = vp->package,
			.core = vp->core,
		};
		online_count += online;
	}
	frame_end(w, out, kernel.vp_table.count);
	return online_count;
}

static void write_events(struct frame_writer *w)
{
	const struct vp *vp = kernel.vp_table.vps, *end = vp + kernel.vp_table.count;
	struct trace_event *first = frame_begin(w, TRACE_EVENTS), *out = first;
	uint32_t stages;

	for (; vp < end; vp++) {
		stages = __atomic_load_n(&vp->stages, __ATOMIC_ACQUIRE);
		for (; stages != 0; stages &= stages - 1, out++) {
			out->event = (uint16_t)__builtin_ctz(stages);
			out->tsc = vp->stage_tsc[out->event];
			out->vp = vp->index;
			out->reserved = 0;
		}
	}
	frame_end(w, out, (uint32_t)(out - first));
}

/* No frame at all where nothing was measured. */
static void write_costs(struct frame_writer *w)
{
	const struct measure *m = &kernel.measure;
	struct trace_cost *out;

	if (m->batches == 0)
		return;
	out = frame_begin(w, TRACE_COSTS);
	memcpy(out, m->batch, m->batches * sizeof(*out));
	frame_end(w, out + m->batches, m->batches);
}

/* No frame where nothing was found, or looked for. */
static void write_findings(struct frame_writer *w)
{
	const struct checks *c = &kernel.checks;
	struct trace_finding *out;

	if (c->count == 0)
		return;
	out = frame_begin(w, TRACE_FINDINGS);
	memcpy(out, c->finding, c->count * sizeof(*out));
	frame_end(w, out + c->count, c->count);
}

void frames_init(struct frames *f, struct memory *memory, uint32_t vp_count)
{
	const size_t per_vp = sizeof(struct trace_vp) + VP_STAGES_MAX * sizeof(struct trace_event);

	f->size = FRAME_COUNT * sizeof(struct trace_frame) + sizeof(struct trace_info) +
		  vp_count * per_vp + sizeof(kernel.measure.batch) + sizeof(kernel.checks.finding);
	f->buf = memory_alloc(memory, f->size, sizeof(uint64_t));
	if (!f->buf)
		fail("no RAM for the trace of %u VPs (%lu KiB, %lu are left): give the VM more",
		     vp_count, f->size / 1024, memory_left(memory) / 1024);
}

/* One exit where the debug console takes blocks, one per byte elsewhere (see abi/debugcon.h). */
static void send(const uint8_t *buf, size_t size)
{
	struct debugcon_block block = {.magic = DEBUGCON_BLOCK_MAGIC};
	size_t piece;

	if (cpu_inl(DEBUGCON_PORT) != DEBUGCON_BLOCK_ID) {
		if (cpu_inb(DEBUGCON_PORT) == DEBUGCON_READS)
			cpu_rep_outsb(DEBUGCON_PORT, buf, size);
		return;
	}
	for (; size > 0; size -= piece, buf += piece) {
		piece = size < DEBUGCON_BLOCK_MAX ? size : DEBUGCON_BLOCK_MAX;
		block.size_bytes = (uint32_t)piece;
		block.gpa = (uint64_t)buf;
		cpu_outl(DEBUGCON_PORT, (uint32_t)(uint64_t)&block);
	}
}

void frames_send_tap(struct frames *f, struct trace_frame *frame, size_t size, uint32_t lines)
{
	struct frame_writer w = {.pos = (uint8_t *)frame, .seq = f->seq};

	if (lines == 0)
		return;
	frame_begin(&w, TRACE_TAP);
	frame_end(&w, w.pos + size, lines);
	f->seq = w.seq;
	send((uint8_t *)frame, sizeof(*frame) + size);
}

void frames_send(const struct frames *f)
{
	struct frame_writer w = {.pos = f->buf, .seq = f->seq};
	struct trace_info *info = write_info(&w);

	info->vps_online = write_vps(&w);
	write_events(&w);
	write_costs(&w);
	write_findings(&w);
	frame_begin(&w, TRACE_END);
	frame_end(&w, w.pos, 0);
	send(f->buf, (size_t)(w.pos - f->buf));
}
