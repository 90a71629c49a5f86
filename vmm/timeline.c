/* SPDX-License-Identifier: MIT */
/* Writes a run as trace event JSON, one line per event, without holding it in memory. */
#include "vmm/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "vmm/guest_view.h"
#include "vmm/outfile.h"

enum timeline_pid { PID_HOST = 1, PID_VPS = 2, PID_STOLEN = 3 };
enum host_tid { TID_SETUP = 1, TID_GUEST = 2 };

/* A point of time on a track, and what begins there. */
struct mark {
	const char *instant; /* name of an instant, or NULL */
	const char *span;    /* name of the span that lasts until the next span mark, or NULL */
	uint64_t tsc;        /* host TSC; 0: did not happen */
};

#define MARKS_MAX (GUEST_MARKS + 8) /* those of the guest, online twice, and the host's */

struct timeline {
	FILE *f;
	const struct run_record *run;
	uint64_t dropped_marks;
	const char *separator; /* before the next event */
};

/* The guest may claim any time at all. */
static bool mark_is_in_run(const struct timeline *t, uint64_t tsc)
{
	return tsc >= t->run->start_tsc && tsc <= t->run->end_tsc;
}

/* Integers throughout: no rounding drift, and no decimal comma whatever the locale. */
static void write_us(const struct timeline *t, const char *key, uint64_t cycles)
{
	uint64_t ns = (uint64_t)((unsigned __int128)cycles * 1000000 / t->run->tsc_khz);

	fprintf(t->f, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, ns / 1000, ns % 1000);
}

static void event_begin(struct timeline *t, const char *phase, int pid, uint32_t tid)
{
	fprintf(t->f, "%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%" PRIu32, t->separator, phase, pid,
		tid);
	t->separator = ",\n";
}

static void write_name(struct timeline *t, const char *kind, int pid, uint32_t tid,
		       const char *name)
{
	event_begin(t, "M", pid, tid);
	fprintf(t->f, ",\"name\":\"%s\",\"args\":{\"name\":\"%s\"}}", kind, name);
}

static void write_sort_index(struct timeline *t, const char *kind, int pid, uint32_t tid,
			     uint32_t index)
{
	event_begin(t, "M", pid, tid);
	fprintf(t->f, ",\"name\":\"%s\",\"args\":{\"sort_index\":%" PRIu32 "}}", kind, index);
}

static void write_instant(struct timeline *t, int pid, uint32_t tid, const char *name, uint64_t tsc)
{
	event_begin(t, "i", pid, tid);
	write_us(t, "ts", tsc - t->run->start_tsc);
	fprintf(t->f, ",\"s\":\"t\",\"name\":\"%s\"}", name);
}

static void write_span(struct timeline *t, int pid, uint32_t tid, const char *name,
		       uint64_t from_tsc, uint64_t to_tsc)
{
	event_begin(t, "X", pid, tid);
	write_us(t, "ts", from_tsc - t->run->start_tsc);
	write_us(t, "dur", to_tsc - from_tsc);
	fprintf(t->f, ",\"name\":\"%s\"}", name);
}

/* Stable, and short: a track has a dozen marks. */
static void marks_sort(struct mark *mark, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct mark m = mark[i];
		size_t j = i;

		for (; j > 0 && mark[j - 1].tsc > m.tsc; j--)
			mark[j] = mark[j - 1];
		mark[j] = m;
	}
}

/* Writes a track's marks in the order of time; spans follow each other and never overlap. */
static void write_track(struct timeline *t, int pid, uint32_t tid, struct mark *mark, size_t count)
{
	const struct mark *open = NULL;

	marks_sort(mark, count);
	for (size_t i = 0; i < count; i++) {
		const struct mark *m = &mark[i];

		if (m->instant) {
			write_instant(t, pid, tid, m->instant, m->tsc);
			continue;
		}
		if (open && open->span)
			write_span(t, pid, tid, open->span, open->tsc, m->tsc);
		open = m;
	}
}

/* Takes m if it happened, and within the run. */
static bool marks_add(struct timeline *t, struct mark *mark, size_t *count, struct mark m)
{
	if (m.tsc == 0)
		return false;
	if (!mark_is_in_run(t, m.tsc)) {
		t->dropped_marks++;
		return false;
	}
	mark[(*count)++] = m;
	return true;
}

/* Host steps: each is named for its end, as the record holds ends. They may come in any order. */
static void write_setup(struct timeline *t)
{
	const struct run_record *r = t->run;
	struct mark step[] = {
		{NULL, "create the VM", r->vm_created_tsc},
		{NULL, "create the VPs", r->vps_created_tsc},
		{NULL, "load the guest", r->loaded_tsc},
		{NULL, "run", r->end_tsc},
	};
	uint64_t from_tsc = r->start_tsc;

	write_name(t, "thread_name", PID_HOST, TID_SETUP, "set-up");
	marks_sort(step, sizeof(step) / sizeof(step[0]));
	for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		if (step[i].tsc == 0)
			continue;
		if (!mark_is_in_run(t, step[i].tsc)) {
			t->dropped_marks++;
			continue;
		}
		write_span(t, PID_HOST, TID_SETUP, step[i].span, from_tsc, step[i].tsc);
		from_tsc = step[i].tsc;
	}
}

static uint64_t guest_to_host(const struct run_record *r, uint64_t guest_tsc)
{
	return guest_tsc ? run_host_tsc(r, guest_tsc) : 0;
}

/* Where there is firmware, it starts with the boot VP. */
static uint64_t firmware_tsc(const struct run_record *r)
{
	return r->has_firmware && r->vp ? r->vp[0].first_entry_tsc : 0;
}

/*
 * When a line of Linux's log arrived here, a little after it was logged; else, when it was logged: on Hyper-V its stamps
 * count from when it turned the reference TSC page on (drivers/clocksource/hyperv_timer.c).
 */
static uint64_t log_tsc(const struct run_record *r, enum klog_event event)
{
	const struct klog_mark *k = &r->klog.mark[event];

	if (k->host_tsc || !k->has_guest_us || !r->hv_clock_tsc)
		return k->host_tsc;
	return r->hv_clock_tsc + (uint64_t)((unsigned __int128)k->guest_us * r->tsc_khz / 1000);
}

/* What is known of a guest without a trace. Firmware ends with the last that it asks of us: the kernel. */
static void write_untraced(struct timeline *t)
{
	const struct run_record *r = t->run;
	const uint64_t begin_tsc = log_tsc(r, KLOG_SMP_BEGIN), end_tsc = log_tsc(r, KLOG_SMP_END);
	const uint64_t init_tsc = log_tsc(r, KLOG_INIT);
	const uint64_t entry_tsc = r->vp ? r->vp[0].first_entry_tsc : 0;
	const struct mark marks[] = {
		{NULL, "firmware", firmware_tsc(r)},
		{NULL, "boot VP alone", r->has_firmware ? r->firmware_end_tsc : entry_tsc},
		{"Bringing up secondary CPUs", NULL, begin_tsc},
		{NULL, "SMP bring-up", begin_tsc},
		{"Brought up", NULL, end_tsc},
		{NULL, "all VPs online", end_tsc},
		{"Run /init", NULL, init_tsc},
		{NULL, "init", init_tsc},
		{"/init is ready", NULL, r->init_tsc},
		{NULL, NULL, r->end_tsc},
	};
	struct mark mark[MARKS_MAX];
	size_t count = 0;

	if (!begin_tsc && !init_tsc && !r->init_tsc && !r->has_firmware)
		return;
	write_name(t, "thread_name", PID_HOST, TID_GUEST, "guest");
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		marks_add(t, mark, &count, marks[i]);
	write_track(t, PID_HOST, TID_GUEST, mark, count);
}

static void write_guest(struct timeline *t)
{
	const struct run_record *r = t->run;
	const struct trace_info *info = &r->guest.info;
	struct mark mark[MARKS_MAX];
	size_t count = 0;

	if (!r->guest.have_info) {
		write_untraced(t);
		return;
	}
	write_name(t, "thread_name", PID_HOST, TID_GUEST, "guest");
	marks_add(t, mark, &count, (struct mark){NULL, "firmware", firmware_tsc(r)});
	marks_add(t, mark, &count,
		  (struct mark){NULL, "boot VP alone", guest_to_host(r, info->entry_tsc)});
	marks_add(t, mark, &count,
		  (struct mark){NULL, "SMP bring-up", guest_to_host(r, info->smp_begin_tsc)});
	marks_add(t, mark, &count,
		  (struct mark){NULL, "all VPs online", guest_to_host(r, info->smp_end_tsc)});
	marks_add(t, mark, &count, (struct mark){NULL, NULL, r->end_tsc});
	write_track(t, PID_HOST, TID_GUEST, mark, count);
}

/* What a VP does after a mark, in the order in which it passes them; wait and release come apart. */
static const struct {
	enum trace_event_id mark;
	const char *then; /* NULL: nothing that a span is drawn for */
} guest_marks[] = {
	{TRACE_VP_KICK, "kick"},
	{TRACE_VP_START, "init"},
	{TRACE_VP_UCODE, "microcode (modelled)"},
	{TRACE_VP_UCODE_END, "init"},
	{TRACE_VP_SIBLING, "wait for sibling (modelled)"},
	{TRACE_VP_SIBLING_END, "init"},
	{TRACE_VP_IDENTIFY, "identify (modelled)"},
	{TRACE_VP_IDENTIFY_END, "init"},
	{TRACE_VP_INIT, "ready"},
	{TRACE_VP_CALIBRATE, "calibrate"},
	{TRACE_VP_CALIBRATED, "go online"},
	{TRACE_VP_TSCSYNC, "TSC sync (modelled)"},
	{TRACE_VP_TSCSYNC_END, "go online"},
	{TRACE_VP_ONLINE_WORK, "online work (modelled)"},
	{TRACE_VP_ONLINE_WORK_END, "go online"},
	{TRACE_VP_ONLINE, NULL},
	{TRACE_VP_SYNIC, "SynIC"},
	{TRACE_VP_SYNIC_END, NULL},
};

/* The guest's marks of one VP, as far as they stand in the order in which a VP passes them. */
static void marks_add_guest(struct timeline *t, struct mark *mark, size_t *count,
			    const struct vp_view *view)
{
	uint64_t last_tsc = 0;

	for (size_t i = 0; i < sizeof(guest_marks) / sizeof(guest_marks[0]); i++) {
		uint64_t tsc = guest_to_host(t->run, view->mark[guest_marks[i].mark]);

		if (tsc != 0 && tsc < last_tsc) {
			t->dropped_marks++;
			continue;
		}
		if (!marks_add(t, mark, count, (struct mark){NULL, guest_marks[i].then, tsc}))
			continue;
		last_tsc = tsc;
		if (guest_marks[i].mark == TRACE_VP_ONLINE)
			marks_add(t, mark, count, (struct mark){"online", NULL, tsc});
	}
}

/* A VP waits for its turn at its entry, or once it is initialised. */
static void marks_add_turn(struct timeline *t, struct mark *mark, size_t *count,
			   const struct vp_view *view)
{
	uint64_t wait_tsc = guest_to_host(t->run, view->mark[TRACE_VP_WAIT]);
	uint64_t released_tsc = guest_to_host(t->run, view->mark[TRACE_VP_RELEASED]);
	uint64_t init_tsc = guest_to_host(t->run, view->mark[TRACE_VP_INIT]);

	if (wait_tsc == 0)
		return;
	marks_add(t, mark, count, (struct mark){NULL, "wait for its turn", wait_tsc});
	if (released_tsc < wait_tsc)
		return;
	marks_add(t, mark, count,
		  (struct mark){NULL, released_tsc < init_tsc ? "init" : "ready", released_tsc});
}

/* An application processor waits in KVM_RUN until the guest kicks it. */
static void marks_add_wait(struct timeline *t, struct mark *mark, size_t *count,
			   const struct vp_times *host, const struct vp_view *view)
{
	uint64_t kick_tsc = view ? guest_to_host(t->run, view->mark[TRACE_VP_KICK]) : 0;
	uint64_t end_tsc = kick_tsc ? kick_tsc : host->wake_tsc;

	if (end_tsc <= host->first_entry_tsc)
		return;
	marks_add(t, mark, count, (struct mark){NULL, "wait for INIT/SIPI", host->first_entry_tsc});
	if (!kick_tsc)
		marks_add(t, mark, count, (struct mark){NULL, NULL, end_tsc});
}

static void write_vp_name(struct timeline *t, uint32_t vp, const struct vp_view *view)
{
	const struct trace_vp *told = view ? view->told : NULL;
	char name[64];

	if (told)
		snprintf(name, sizeof(name),
			 "VP %" PRIu32 " (APIC ID %" PRIu32 ", node %" PRIu32 ")", vp,
			 told->apic_id, told->node);
	else
		snprintf(name, sizeof(name), "VP %" PRIu32, vp);
	write_name(t, "thread_name", PID_VPS, vp + 1, name);
	write_sort_index(t, "thread_sort_index", PID_VPS, vp + 1, vp);
}

static void write_vp(struct timeline *t, uint32_t vp, const struct vp_view *view)
{
	const struct vp_times *host = t->run->vp ? &t->run->vp[vp] : NULL;
	struct mark mark[MARKS_MAX];
	size_t count = 0;

	write_vp_name(t, vp, view);
	if (host) {
		const struct mark instant[] = {
			{"created", NULL, host->created_tsc},
			{"thread", NULL, host->thread_tsc},
			{"first entry", NULL, host->first_entry_tsc},
			{"woken", NULL, host->wake_tsc},
			{"first Hyper-V MSR", NULL, host->first_hv_tsc},
		};

		for (size_t i = 0; i < sizeof(instant) / sizeof(instant[0]); i++)
			marks_add(t, mark, &count, instant[i]);
		if (vp != 0)
			marks_add_wait(t, mark, &count, host, view);
	}
	if (view) {
		marks_add_guest(t, mark, &count, view);
		marks_add_turn(t, mark, &count, view);
	}
	write_track(t, PID_VPS, vp + 1, mark, count);
}

/* On tracks of their own, as they cut across what the VPs do. */
static void write_stolen(struct timeline *t, uint32_t vp)
{
	const struct steal_log *log = &t->run->stolen[vp];
	char name[64];

	if (log->spans == 0)
		return;
	snprintf(name, sizeof(name), "VP %" PRIu32, vp);
	write_name(t, "thread_name", PID_STOLEN, vp + 1, name);
	write_sort_index(t, "thread_sort_index", PID_STOLEN, vp + 1, vp);
	for (size_t i = 0; i < log->spans; i++) {
		uint64_t to_tsc = log->span[i].to_tsc;

		if (log->span[i].from_tsc >= t->run->end_tsc)
			break;
		write_span(t, PID_STOLEN, vp + 1, "stolen", log->span[i].from_tsc,
			   to_tsc < t->run->end_tsc ? to_tsc : t->run->end_tsc);
	}
}

static void write_document(struct timeline *t, const struct vp_view *view)
{
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", t->f);
	write_name(t, "process_name", PID_HOST, 0, "vpup");
	write_sort_index(t, "process_sort_index", PID_HOST, 0, PID_HOST);
	write_setup(t);
	write_guest(t);
	write_name(t, "process_name", PID_VPS, 0, "VPs");
	write_sort_index(t, "process_sort_index", PID_VPS, 0, PID_VPS);
	for (uint32_t i = 0; i < t->run->vps; i++)
		write_vp(t, i, view ? &view[i] : NULL);
	if (t->run->stolen) {
		write_name(t, "process_name", PID_STOLEN, 0, "stolen from VPs");
		write_sort_index(t, "process_sort_index", PID_STOLEN, 0, PID_STOLEN);
	}
	for (uint32_t i = 0; t->run->stolen && i < t->run->vps; i++)
		write_stolen(t, i);
	fprintf(t->f,
		"\n],\"otherData\":{\"start_tsc\":%" PRIu64 ",\"tsc_khz\":%" PRIu64
		",\"dropped_marks\":%" PRIu64,
		t->run->start_tsc, t->run->tsc_khz, t->dropped_marks);
	if (t->run->steal_start_tsc)
		write_us(t, "steal_start_us", t->run->steal_start_tsc - t->run->start_tsc);
	fputs("}}\n", t->f);
}

int timeline_write(const char *path, const struct run_record *r, struct err *e)
{
	struct timeline t = {.run = r, .separator = ""};
	struct vp_view *view;
	struct outfile out;
	int ret;

	if (r->tsc_khz == 0)
		return err_set(e, EINVAL, "no timeline: the TSC frequency is not known");
	view = guest_view_new(&r->guest, r->vps);
	if (!view && r->vps)
		return err_set(e, ENOMEM, "no timeline: out of memory");
	ret = outfile_open(&out, path, e);
	if (ret == 0) {
		t.f = out.f;
		write_document(&t, view);
		ret = outfile_commit(&out, e);
	}
	free(view);
	return ret;
}
