/* SPDX-License-Identifier: MIT */
/* Unit tests of the timeline: its JSON, its tracks, and what a lying guest can't do to it. */
#include <check.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suites.h"
#include "tests/unit/run_fixture.h"
#include "vmm/timeline.h"

#define PID_HOST  1
#define PID_VPS   2
#define TID_GUEST 2

static json_t *write_and_read(const struct run_record *r)
{
	char path[] = "/tmp/vpup-timeline-XXXXXX";
	int fd = mkstemp(path);
	json_error_t error;
	struct err e = {""};
	json_t *document;

	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_msg(timeline_write(path, r, &e) == 0, "%s", e.text);
	document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(document != NULL, "%d: %s", error.line, error.text);
	unlink(path);
	return document;
}

static const char *text(const json_t *event, const char *key)
{
	const char *s = json_string_value(json_object_get(event, key));

	return s ? s : "";
}

static double value(const json_t *event, const char *key)
{
	return json_number_value(json_object_get(event, key));
}

/* The first event of a track with this phase and name, or NULL. */
static const json_t *find(const json_t *document, int pid, int tid, const char *phase,
			  const char *name)
{
	const json_t *events = json_object_get(document, "traceEvents"), *event;
	size_t i;

	json_array_foreach(events, i, event)
	{
		if (value(event, "pid") == pid && value(event, "tid") == tid &&
		    strcmp(text(event, "ph"), phase) == 0 && strcmp(text(event, "name"), name) == 0)
			return event;
	}
	return NULL;
}

static void check_span(const json_t *document, int pid, int tid, const char *name, double from_ms,
		       double to_ms)
{
	const json_t *event = find(document, pid, tid, "X", name);

	ck_assert_msg(event != NULL, "no span '%s'", name);
	ck_assert_double_eq_tol(value(event, "ts"), from_ms * 1000, 1e-6);
	ck_assert_double_eq_tol(value(event, "dur"), (to_ms - from_ms) * 1000, 1e-6);
}

static void check_instant(const json_t *document, int tid, const char *name, double ms)
{
	const json_t *event = find(document, PID_VPS, tid, "i", name);

	ck_assert_msg(event != NULL, "no instant '%s'", name);
	ck_assert_double_eq_tol(value(event, "ts"), ms * 1000, 1e-6);
	ck_assert_str_eq(text(event, "s"), "t");
}

START_TEST(test_events)
{
	struct run_record r;
	json_t *d;

	run_fixture_init(&r, 3);
	d = write_and_read(&r);
	check_span(d, PID_HOST, 1, "create the VM", 0, 2);
	check_span(d, PID_HOST, 1, "create the VPs", 2, 4);
	check_span(d, PID_HOST, 1, "load the guest", 4, 5);
	check_span(d, PID_HOST, 1, "run", 5, 170);
	check_span(d, PID_HOST, 2, "boot VP alone", 10, 100);
	check_span(d, PID_HOST, 2, "SMP bring-up", 100, 120);
	check_instant(d, 3, "created", 3);
	check_instant(d, 3, "thread", 6);
	check_instant(d, 3, "first entry", 7);
	check_instant(d, 3, "woken", 110.5);
	check_instant(d, 3, "first Hyper-V MSR", 112);
	check_instant(d, 3, "online", 119);
	check_span(d, PID_VPS, 3, "wait for INIT/SIPI", 7, 110);
	check_span(d, PID_VPS, 3, "kick", 110, 111);
	check_span(d, PID_VPS, 3, "init", 111, 113);
	check_span(d, PID_VPS, 3, "calibrate", 113, 118);
	check_span(d, PID_VPS, 3, "go online", 118, 119);
	ck_assert_ptr_null(find(d, PID_VPS, 1, "X", "wait for INIT/SIPI"));
	ck_assert_ptr_null(find(d, PID_VPS, 1, "i", "woken"));
	ck_assert_double_eq(value(json_object_get(d, "otherData"), "dropped_marks"), 0);
	json_decref(d);
	run_fixture_fini(&r);
}
END_TEST

/* On each track time never goes back, spans don't overlap, and all lies within the run. */
static unsigned check_tracks(const json_t *document, const struct run_record *r)
{
	const json_t *events = json_object_get(document, "traceEvents"), *event;
	double end_us = (double)(r->end_tsc - r->start_tsc) * 1000 / (double)r->tsc_khz;
	double last_ts = 0, span_end = 0, pid = 0, tid = 0;
	unsigned tracks = 0;
	size_t i;

	json_array_foreach(events, i, event)
	{
		const char *phase = text(event, "ph");
		double ts = value(event, "ts");

		if (strcmp(phase, "M") == 0)
			continue;
		if (value(event, "pid") != pid || value(event, "tid") != tid) {
			pid = value(event, "pid");
			tid = value(event, "tid");
			last_ts = 0;
			span_end = 0;
			tracks++;
		}
		ck_assert(ts >= 0 && ts + value(event, "dur") <= end_us + 0.001);
		if (strcmp(phase, "X") == 0) {
			ck_assert_double_ge(ts, span_end - 0.001);
			span_end = ts + value(event, "dur");
		} else {
			ck_assert_double_ge(ts, last_ts);
			last_ts = ts;
		}
	}
	return tracks;
}

/* Stand-ins lie within the stages that they belong to, and a turn that is waited for splits one. */
START_TEST(test_stand_ins_and_turns)
{
	struct run_record r;
	json_t *d;

	run_fixture_init(&r, 3);
	run_fixture_add_event(&r, 1, TRACE_VP_WAIT, 101.25);
	run_fixture_add_event(&r, 1, TRACE_VP_RELEASED, 101.5);
	run_fixture_add_event(&r, 1, TRACE_VP_UCODE, 102);
	run_fixture_add_event(&r, 1, TRACE_VP_UCODE_END, 102.5);
	run_fixture_add_event(&r, 1, TRACE_VP_ONLINE_WORK, 108.5);
	run_fixture_add_event(&r, 1, TRACE_VP_ONLINE_WORK_END, 108.75);
	run_fixture_add_event(&r, 1, TRACE_VP_SYNIC, 125);
	run_fixture_add_event(&r, 1, TRACE_VP_SYNIC_END, 126);
	run_fixture_event(&r, 2, TRACE_VP_CALIBRATE)->tsc = run_fixture_guest_tsc(116);
	run_fixture_add_event(&r, 2, TRACE_VP_WAIT, 114);
	run_fixture_add_event(&r, 2, TRACE_VP_RELEASED, 115);
	d = write_and_read(&r);
	check_tracks(d, &r);
	check_span(d, PID_VPS, 2, "kick", 100, 101);
	check_span(d, PID_VPS, 2, "init", 101, 101.25);
	check_span(d, PID_VPS, 2, "wait for its turn", 101.25, 101.5);
	check_span(d, PID_VPS, 2, "microcode (modelled)", 102, 102.5);
	check_span(d, PID_VPS, 2, "go online", 108, 108.5);
	check_span(d, PID_VPS, 2, "online work (modelled)", 108.5, 108.75);
	check_span(d, PID_VPS, 2, "SynIC", 125, 126);
	check_span(d, PID_VPS, 3, "init", 111, 113);
	check_span(d, PID_VPS, 3, "ready", 113, 114);
	check_span(d, PID_VPS, 3, "wait for its turn", 114, 115);
	check_span(d, PID_VPS, 3, "calibrate", 116, 118);
	ck_assert_double_eq(value(json_object_get(d, "otherData"), "dropped_marks"), 0);
	json_decref(d);
	run_fixture_fini(&r);
}
END_TEST

static const char *track_name(const json_t *document, int pid, int tid)
{
	const json_t *event = find(document, pid, tid, "M", "thread_name");

	return event ? text(json_object_get(event, "args"), "name") : "(none)";
}

START_TEST(test_names)
{
	struct run_record r;
	json_t *d;

	run_fixture_init(&r, 3);
	d = write_and_read(&r);
	ck_assert_str_eq(track_name(d, PID_HOST, 1), "set-up");
	ck_assert_str_eq(track_name(d, PID_HOST, 2), "guest");
	ck_assert_str_eq(track_name(d, PID_VPS, 1), "VP 0 (APIC ID 0, node 0)");
	ck_assert_str_eq(track_name(d, PID_VPS, 3), "VP 2 (APIC ID 4, node 1)");
	ck_assert_ptr_nonnull(find(d, PID_VPS, 0, "M", "process_name"));
	ck_assert_ptr_nonnull(find(d, PID_HOST, 0, "M", "process_name"));
	json_decref(d);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_tracks)
{
	struct run_record r;
	json_t *d;

	run_fixture_init(&r, 200);
	d = write_and_read(&r);
	ck_assert_uint_eq(check_tracks(d, &r), 2 + 200);
	json_decref(d);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_hostile_guest)
{
	struct run_record r;
	json_t *d;

	run_fixture_init(&r, 4);
	run_fixture_event(&r, 1, TRACE_VP_CALIBRATE)->tsc = UINT64_MAX;
	run_fixture_event(&r, 2, TRACE_VP_START)->tsc = r.start_tsc + r.tsc_offset - 1;
	run_fixture_event(&r, 3, TRACE_VP_INIT)->tsc =
		run_fixture_event(&r, 3, TRACE_VP_KICK)->tsc - 1;
	r.guest.info.smp_end_tsc = 1;
	d = write_and_read(&r);
	check_tracks(d, &r);
	ck_assert_double_eq(value(json_object_get(d, "otherData"), "dropped_marks"), 4);
	check_span(d, PID_VPS, 3, "kick", 110, 113);
	check_span(d, PID_VPS, 4, "init", 121, 123);
	json_decref(d);
	run_fixture_fini(&r);
}
END_TEST

/* A guest that tells nothing still has the host's half. */
START_TEST(test_no_trace)
{
	struct run_record r;
	json_t *d;

	run_fixture_init(&r, 2);
	guest_trace_fini(&r.guest);
	d = write_and_read(&r);
	ck_assert_uint_eq(check_tracks(d, &r), 3);
	ck_assert_str_eq(track_name(d, PID_VPS, 2), "VP 1");
	check_span(d, PID_VPS, 2, "wait for INIT/SIPI", 7, 100.5);
	check_instant(d, 2, "woken", 100.5);
	json_decref(d);
	run_fixture_fini(&r);
}
END_TEST

/* Decimals of a microsecond, and a clock of a real frequency that has run for weeks. */
START_TEST(test_precision)
{
	struct run_record r;
	json_t *d;

	run_fixture_init(&r, 1);
	r.tsc_khz = 2445427;
	r.tsc_offset = 0;
	r.start_tsc = 5000000000000000;
	r.vm_created_tsc = r.start_tsc + 2445;
	r.vps_created_tsc = 0;
	r.loaded_tsc = 0;
	r.end_tsc = r.start_tsc + 2445427000;
	d = write_and_read(&r);
	check_span(d, PID_HOST, 1, "create the VM", 0, 0.000999);
	check_span(d, PID_HOST, 1, "run", 0.000999, 0.000999 + 999.999);
	json_decref(d);
	run_fixture_fini(&r);
}
END_TEST

START_TEST(test_refused)
{
	struct run_record r;
	struct err e;

	run_fixture_init(&r, 2);
	ck_assert_int_eq(timeline_write("/no/such/dir/trace.json", &r, &e), -ENOENT);
	ck_assert_ptr_nonnull(strstr(e.text, "/no/such/dir/trace.json"));
	ck_assert_int_eq(timeline_write("/dev/full", &r, &e), -ENOSPC);
	r.tsc_khz = 0;
	ck_assert_int_eq(timeline_write("/dev/null", &r, &e), -EINVAL);
	run_fixture_fini(&r);
}
END_TEST

static uint64_t host_ms(double ms)
{
	return RUN_FIXTURE_START + (uint64_t)(ms * RUN_FIXTURE_TSC_KHZ);
}

/* Linux by firmware, its log read afterwards: its stamps are placed by the reference TSC page. */
START_TEST(test_linux_without_a_console)
{
	struct run_record r;
	json_t *document;

	run_fixture_init(&r, 2);
	r.guest.have_info = false;
	r.has_firmware = true;
	r.firmware_end_tsc = host_ms(20);
	r.hv_clock_tsc = host_ms(25);
	r.klog.mark[KLOG_SMP_BEGIN] =
		(struct klog_mark){.seen = true, .has_guest_us = true, .guest_us = 5000};
	r.klog.mark[KLOG_SMP_END] =
		(struct klog_mark){.seen = true, .has_guest_us = true, .guest_us = 45000};
	r.init_tsc = host_ms(80);
	document = write_and_read(&r);
	check_span(document, PID_HOST, TID_GUEST, "boot VP alone", 20, 30);
	check_span(document, PID_HOST, TID_GUEST, "SMP bring-up", 30, 70);
	ck_assert_ptr_nonnull(find(document, PID_HOST, TID_GUEST, "X", "firmware"));
	ck_assert_ptr_nonnull(find(document, PID_HOST, TID_GUEST, "i", "/init is ready"));
	json_decref(document);
	/* Without Hyper-V's clock the log can't be placed, and is left out. */
	r.hv_clock_tsc = 0;
	document = write_and_read(&r);
	ck_assert_ptr_null(find(document, PID_HOST, TID_GUEST, "X", "SMP bring-up"));
	ck_assert_ptr_nonnull(find(document, PID_HOST, TID_GUEST, "X", "firmware"));
	json_decref(document);
	run_fixture_fini(&r);
}
END_TEST

Suite *timeline_suite(void)
{
	Suite *s = suite_create("timeline");
	TCase *c = tcase_create("timeline");

	tcase_add_test(c, test_events);
	tcase_add_test(c, test_names);
	tcase_add_test(c, test_stand_ins_and_turns);
	tcase_add_test(c, test_tracks);
	tcase_add_test(c, test_hostile_guest);
	tcase_add_test(c, test_no_trace);
	tcase_add_test(c, test_precision);
	tcase_add_test(c, test_refused);
	tcase_add_test(c, test_linux_without_a_console);
	suite_add_tcase(s, c);
	return s;
}
