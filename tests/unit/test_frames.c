/* SPDX-License-Identifier: MIT */
/* Unit tests of the trace frame reader: every chunking, foreign bytes, and hostile streams. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/frames.h"

struct stream {
	uint8_t data[4096];
	size_t size;
};

static void add_bytes(struct stream *s, const void *data, size_t size)
{
	ck_assert_uint_le(s->size + size, sizeof(s->data));
	memcpy(s->data + s->size, data, size);
	s->size += size;
}

static struct trace_frame header(uint16_t type, uint32_t size_bytes, uint32_t count, uint32_t seq)
{
	struct trace_frame f = {
		.magic = TRACE_MAGIC,
		.version = TRACE_VERSION,
		.type = type,
		.size_bytes = size_bytes,
		.count = count,
		.seq = seq,
	};

	f.check = trace_frame_check(&f);
	return f;
}

static void add_frame(struct stream *s, uint16_t type, const void *payload, uint32_t size_bytes,
		      uint32_t count, uint32_t seq)
{
	struct trace_frame f = header(type, size_bytes, count, seq);

	add_bytes(s, &f, sizeof(f));
	add_bytes(s, payload, size_bytes);
}

static void add_text(struct stream *s, const char *text)
{
	add_bytes(s, text, strlen(text));
}

static const struct trace_info info = {
	.vps_found = 2, .vps_online = 2, .hz = 250, .tsc_khz = 7, .synic = 1, .synic_end_tsc = 9};
static const struct trace_vp vps[] = {
	{.vp = 0, .lpj = 10}, {.vp = 1, .lpj = 11, .flags = TRACE_VP_MEASURED_LPJ, .core = 1}};
static const struct trace_event events[] = {
	{.tsc = 1, .vp = 1, .event = TRACE_VP_KICK},
	{.tsc = 2, .vp = 1, .event = TRACE_VP_START},
	{.tsc = 3, .vp = 1, .event = TRACE_VP_ONLINE},
};

/* Two event frames, and text around and between: 19 bytes of it, with pieces of the magic. */
static struct stream whole_stream(void)
{
	struct stream s = {.size = 0};

	add_text(&s, "boot V");
	add_frame(&s, TRACE_INFO, &info, sizeof(info), 1, 0);
	add_frame(&s, TRACE_VPS, vps, sizeof(vps), 2, 1);
	add_text(&s, "VPT V");
	add_frame(&s, TRACE_EVENTS, events, 2 * sizeof(events[0]), 2, 2);
	add_frame(&s, TRACE_EVENTS, &events[2], sizeof(events[2]), 1, 3);
	add_text(&s, "VPVPT");
	add_frame(&s, TRACE_END, "", 0, 0, 4);
	add_text(&s, "bye");
	return s;
}

static void read_in_chunks(const struct stream *s, size_t chunk, struct guest_trace *t)
{
	struct frame_reader r;

	frame_reader_init(&r, t);
	for (size_t at = 0; at < s->size; at += chunk)
		frame_reader_push(&r, s->data + at, s->size - at < chunk ? s->size - at : chunk);
	frame_reader_fini(&r);
}

START_TEST(test_every_chunking)
{
	struct stream s = whole_stream();
	struct guest_trace t;

	for (size_t chunk = 1; chunk <= s.size; chunk++) {
		read_in_chunks(&s, chunk, &t);
		ck_assert(t.complete && t.have_info);
		ck_assert_uint_eq(t.frames, 5);
		ck_assert_uint_eq(t.bad_frames, 0);
		ck_assert_uint_eq(t.skipped_bytes, 19);
		ck_assert_mem_eq(&t.info, &info, sizeof(info));
		ck_assert_uint_eq(t.vp_count, 2);
		ck_assert_mem_eq(t.vp, vps, sizeof(vps));
		ck_assert_uint_eq(t.event_count, 3);
		ck_assert_mem_eq(t.event, events, sizeof(events));
		guest_trace_fini(&t);
	}
}
END_TEST

/* Two frames of costs, the second with longer records than we know; then one with shorter ones. */
START_TEST(test_costs)
{
	static const struct trace_cost costs[] = {
		{.what = TRACE_COST_MSR_READ, .operations = 64, .tsc_cycles = 6400},
		{.what = TRACE_COST_PORT_OUT, .operations = 1, .tsc_cycles = UINT64_MAX},
	};
	struct {
		struct trace_cost known;
		uint64_t unknown;
	} grown = {.known = {.what = 77, .operations = 2, .tsc_cycles = 3}, .unknown = UINT64_MAX};
	struct stream s = {.size = 0};
	struct guest_trace t;

	add_frame(&s, TRACE_COSTS, costs, sizeof(costs), 2, 0);
	add_frame(&s, TRACE_COSTS, &grown, sizeof(grown), 1, 1);
	add_frame(&s, TRACE_COSTS, costs, sizeof(costs[0]) - 1, 1, 2);
	add_frame(&s, TRACE_END, "", 0, 0, 2);
	read_in_chunks(&s, 7, &t);
	ck_assert(t.complete);
	ck_assert_uint_eq(t.bad_frames, 1);
	ck_assert_uint_eq(t.cost_count, 3);
	ck_assert_mem_eq(t.cost, costs, sizeof(costs));
	ck_assert_mem_eq(&t.cost[2], &grown.known, sizeof(grown.known));
	guest_trace_fini(&t);
}
END_TEST

START_TEST(test_findings)
{
	static const struct trace_finding findings[] = {
		{.what = FINDING_TSC_WARP, .vp = 2, .value = -5, .bound = 3},
		{.what = 4711, .vp = UINT32_MAX, .value = INT64_MIN, .bound = UINT64_MAX},
	};
	struct stream s = {.size = 0};
	struct guest_trace t;

	add_frame(&s, TRACE_FINDINGS, findings, sizeof(findings), 2, 0);
	add_frame(&s, TRACE_FINDINGS, findings, sizeof(findings[0]) - 1, 1, 1);
	add_frame(&s, TRACE_END, "", 0, 0, 1);
	read_in_chunks(&s, 7, &t);
	ck_assert(t.complete);
	ck_assert_uint_eq(t.bad_frames, 1);
	ck_assert_uint_eq(t.finding_count, 2);
	ck_assert_mem_eq(t.finding, findings, sizeof(findings));
	guest_trace_fini(&t);
}
END_TEST

START_TEST(test_truncated_anywhere)
{
	struct stream s = whole_stream();
	size_t whole = s.size - 3; /* without "bye" */
	struct guest_trace t;

	for (s.size = 0; s.size < whole; s.size++) {
		read_in_chunks(&s, 64, &t);
		ck_assert(!t.complete);
		guest_trace_fini(&t);
	}
	read_in_chunks(&s, 64, &t);
	ck_assert(t.complete);
	guest_trace_fini(&t);
}
END_TEST

/* One frame, then a good one of seq 0 and the end: what is refused must not hide what follows. */
static void check_refused(struct trace_frame bad)
{
	struct stream s = {.size = 0};
	struct guest_trace t;

	add_bytes(&s, &bad, sizeof(bad));
	add_frame(&s, TRACE_VPS, vps, sizeof(vps), 2, 0);
	add_frame(&s, TRACE_END, "", 0, 0, 1);
	read_in_chunks(&s, s.size, &t);
	ck_assert_uint_eq(t.bad_frames, 1);
	ck_assert_uint_eq(t.frames, 2);
	ck_assert_uint_eq(t.vp_count, 2);
	ck_assert(t.complete && !t.have_info);
	ck_assert_uint_eq(t.skipped_bytes, sizeof(bad));
	guest_trace_fini(&t);
}

/* What guests of the first version did not send is zero, whatever was there before. */
START_TEST(test_older_guest)
{
	struct {
		uint8_t first[TRACE_VP_SIZE_1], second[TRACE_VP_SIZE_1];
	} old_vps;
	struct stream s = {.size = 0};
	struct guest_trace t;

	memcpy(old_vps.first, &vps[0], TRACE_VP_SIZE_1);
	memcpy(old_vps.second, &vps[1], TRACE_VP_SIZE_1);
	add_frame(&s, TRACE_INFO, &info, sizeof(info), 1, 0);
	add_frame(&s, TRACE_INFO, &info, TRACE_INFO_SIZE_1, 1, 1);
	add_frame(&s, TRACE_VPS, &old_vps, sizeof(old_vps), 2, 2);
	add_frame(&s, TRACE_END, "", 0, 0, 3);
	read_in_chunks(&s, 5, &t);
	ck_assert(t.complete && t.have_info);
	ck_assert_uint_eq(t.info.tsc_khz, 7);
	ck_assert_uint_eq(t.info.synic, 0);
	ck_assert_uint_eq(t.info.synic_end_tsc, 0);
	ck_assert_uint_eq(t.vp_count, 2);
	ck_assert_uint_eq(t.vp[1].vp, 1);
	ck_assert_uint_eq(t.vp[1].lpj, 11);
	ck_assert_uint_eq(t.vp[0].flags | t.vp[0].package | t.vp[1].flags | t.vp[1].core, 0);
	guest_trace_fini(&t);
}
END_TEST

START_TEST(test_lying_headers)
{
	struct trace_frame f;

	check_refused(header(TRACE_EVENTS, 33, 2, 0));          /* does not divide */
	check_refused(header(TRACE_EVENTS, 30, 2, 0));          /* records too short */
	check_refused(header(TRACE_EVENTS, 16, 0, 0));          /* bytes without records */
	check_refused(header(TRACE_EVENTS, 16, UINT32_MAX, 0)); /* records without bytes */
	check_refused(header(TRACE_EVENTS, 0, 1, 0));           /* likewise */
	check_refused(header(TRACE_VPS, FRAME_PAYLOAD_MAX + 32, (FRAME_PAYLOAD_MAX + 32) / 32, 0));
	check_refused(header(TRACE_EVENTS, UINT32_MAX, UINT32_MAX, 0));
	check_refused(header(99, FRAME_PAYLOAD_MAX + 1, 1, 0));
	check_refused(header(TRACE_INFO, TRACE_INFO_SIZE_1 - 1, 1, 0));
	check_refused(header(TRACE_VPS, 2 * (TRACE_VP_SIZE_1 - 1), 2, 0));
	check_refused(header(TRACE_INFO, 2 * sizeof(info), 2, 0));
	check_refused(header(TRACE_INFO, 0, 0, 0));
	check_refused(header(TRACE_END, 16, 1, 0));
	f = header(TRACE_END, 0, 0, 0);
	f.check ^= 1;
	check_refused(f);
	f = header(TRACE_END, 0, 0, 0);
	f.version++;
	f.check = trace_frame_check(&f);
	check_refused(f);
}
END_TEST

/* A header may claim 16 MiB that never come: memory grows only with what does. */
START_TEST(test_claimed_size_costs_nothing)
{
	struct trace_frame f = header(TRACE_EVENTS, FRAME_PAYLOAD_MAX, FRAME_PAYLOAD_MAX / 16, 0);
	struct frame_reader r;
	struct guest_trace t;

	frame_reader_init(&r, &t);
	frame_reader_push(&r, (const uint8_t *)&f, sizeof(f));
	frame_reader_push(&r, (const uint8_t *)&f, sizeof(f));
	ck_assert_uint_eq(r.pending_size, 2 * sizeof(f));
	ck_assert_uint_le(r.pending_capacity, 4096);
	ck_assert_uint_eq(t.event_count, 0);
	frame_reader_fini(&r);
	guest_trace_fini(&t);
}
END_TEST

START_TEST(test_greatest_payload)
{
	size_t size = FRAME_PAYLOAD_MAX;
	struct trace_frame f = header(TRACE_EVENTS, FRAME_PAYLOAD_MAX, FRAME_PAYLOAD_MAX / 16, 0);
	uint8_t *payload = calloc(1, size);
	struct frame_reader r;
	struct guest_trace t;

	ck_assert_ptr_nonnull(payload);
	payload[size - 16] = 42;
	frame_reader_init(&r, &t);
	frame_reader_push(&r, (const uint8_t *)&f, sizeof(f));
	frame_reader_push(&r, payload, size - 1);
	ck_assert_uint_eq(t.event_count, 0);
	frame_reader_push(&r, payload + size - 1, 1);
	ck_assert_uint_eq(t.event_count, FRAME_PAYLOAD_MAX / 16);
	ck_assert_uint_eq(t.event[t.event_count - 1].tsc, 42);
	frame_reader_fini(&r);
	guest_trace_fini(&t);
	free(payload);
}
END_TEST

/* At the limit of what is kept: one record has room, the next has not, and the trace is lost. */
START_TEST(test_total_limit)
{
	struct stream s = {.size = 0};
	struct frame_reader r;
	struct guest_trace t;

	add_frame(&s, TRACE_EVENTS, &events[1], sizeof(events[1]), 1, 0);
	frame_reader_init(&r, &t);
	t.event_count = FRAME_TOTAL_MAX / sizeof(events[0]) - 1; /* as if they were there */
	frame_reader_push(&r, s.data, s.size);
	ck_assert_uint_eq(t.event_count, FRAME_TOTAL_MAX / sizeof(events[0]));
	ck_assert_uint_eq(t.event[t.event_count - 1].tsc, events[1].tsc);
	ck_assert(!r.lost);
	s.size = 0;
	add_frame(&s, TRACE_VPS, vps, sizeof(vps[0]), 1, 1);
	frame_reader_push(&r, s.data, s.size);
	ck_assert(r.lost);
	ck_assert_uint_eq(t.vp_count, 0);
	frame_reader_fini(&r);
	guest_trace_fini(&t);
}
END_TEST

static void check_sequence(const uint32_t *seq, size_t count, bool complete)
{
	struct stream s = {.size = 0};
	struct guest_trace t;

	for (size_t i = 0; i + 1 < count; i++)
		add_frame(&s, TRACE_VPS, vps, sizeof(vps), 2, seq[i]);
	add_frame(&s, TRACE_END, "", 0, 0, seq[count - 1]);
	read_in_chunks(&s, 100, &t);
	ck_assert_uint_eq(t.frames, count);
	ck_assert(t.complete == complete);
	guest_trace_fini(&t);
}

START_TEST(test_sequence)
{
	check_sequence((const uint32_t[]){0, 1, 2}, 3, true);
	check_sequence((const uint32_t[]){0}, 1, true);
	check_sequence((const uint32_t[]){0, 2}, 2, false); /* one is missing */
	check_sequence((const uint32_t[]){1, 2}, 2, false); /* the first is missing */
	check_sequence((const uint32_t[]){0, 0, 1}, 3, false);
	check_sequence((const uint32_t[]){UINT32_MAX, 0}, 2, false);
}
END_TEST

/* A newer guest: longer records, and a type that we do not know. */
START_TEST(test_newer_guest)
{
	uint8_t long_vps[2][48], long_info[sizeof(info) + 8];
	struct stream s = {.size = 0};
	struct guest_trace t;

	memset(long_vps, 0xee, sizeof(long_vps));
	memcpy(long_vps[0], &vps[0], sizeof(vps[0]));
	memcpy(long_vps[1], &vps[1], sizeof(vps[1]));
	memset(long_info, 0xee, sizeof(long_info));
	memcpy(long_info, &info, sizeof(info));
	add_frame(&s, TRACE_INFO, long_info, sizeof(long_info), 1, 0);
	add_frame(&s, 77, "whatever it is", 14, 5, 1);
	add_frame(&s, TRACE_VPS, long_vps, sizeof(long_vps), 2, 2);
	add_frame(&s, TRACE_EVENTS, "", 0, 0, 3);
	add_frame(&s, TRACE_END, "", 0, 0, 4);
	read_in_chunks(&s, 7, &t);
	ck_assert(t.complete);
	ck_assert_mem_eq(&t.info, &info, sizeof(info));
	ck_assert_uint_eq(t.vp_count, 2);
	ck_assert_mem_eq(t.vp, vps, sizeof(vps));
	ck_assert_uint_eq(t.event_count, 0);
	ck_assert_uint_eq(t.skipped_bytes, 0);
	guest_trace_fini(&t);
}
END_TEST

START_TEST(test_nothing_after_the_end)
{
	struct stream s = whole_stream();
	struct guest_trace t;

	add_frame(&s, TRACE_VPS, vps, sizeof(vps), 2, 5);
	add_frame(&s, TRACE_INFO, &(struct trace_info){.hz = 1}, sizeof(info), 1, 0);
	read_in_chunks(&s, s.size, &t);
	ck_assert(t.complete);
	ck_assert_uint_eq(t.vp_count, 2);
	ck_assert_uint_eq(t.info.hz, 250);
	ck_assert_uint_eq(t.frames, 5);
	ck_assert_uint_eq(t.bad_frames, 2);
	guest_trace_fini(&t);
}
END_TEST

static void add_tap(struct stream *s, const char *text, uint32_t lines, uint32_t seq)
{
	add_frame(s, TRACE_TAP, text, (uint32_t)strlen(text), lines, seq);
}

/* Text is kept in order, and nothing in it can move a terminal's cursor. */
START_TEST(test_tap)
{
	struct stream s = {.size = 0};
	struct guest_trace t;

	add_tap(&s, "ok 1 - a\nnot ok 2 - b\n", 2, 0);
	add_tap(&s, "ok 3 - \x1b[2J\x7f\xc3\xbc~ ", 1, 1); /* and no line end */
	add_tap(&s, "", 0, 2);
	add_tap(&s, "1..3\n", 1, 3);
	add_frame(&s, TRACE_END, "", 0, 0, 4);
	for (size_t chunk = 1; chunk <= s.size; chunk += 7) {
		read_in_chunks(&s, chunk, &t);
		ck_assert(t.complete);
		ck_assert_str_eq(t.tap, "ok 1 - a\nnot ok 2 - b\nok 3 - ?[2J???~ \n1..3\n");
		ck_assert_uint_eq(t.tap_size, strlen(t.tap));
		guest_trace_fini(&t);
		ck_assert_ptr_null(t.tap);
	}
	check_refused(header(TRACE_TAP, 5, 6, 0)); /* more lines than bytes */
	check_refused(header(TRACE_TAP, 5, 0, 0)); /* bytes without lines */
	check_refused(header(TRACE_TAP, FRAME_PAYLOAD_MAX + 1, 1, 0));
}
END_TEST

/* Text counts towards the limit of what is kept, with its NUL. */
START_TEST(test_tap_limit)
{
	struct stream s = {.size = 0};
	struct frame_reader r;
	struct guest_trace t;

	add_tap(&s, "12345678901234\n", 1, 0); /* 15 bytes, in the room of one record */
	add_tap(&s, "x\n", 1, 1);
	frame_reader_init(&r, &t);
	t.event_count = FRAME_TOTAL_MAX / sizeof(events[0]) - 1; /* as if they were there */
	frame_reader_push(&r, s.data, s.size);
	ck_assert(r.lost);
	ck_assert_str_eq(t.tap, "12345678901234\n");
	frame_reader_fini(&r);
	guest_trace_fini(&t);
}
END_TEST

START_TEST(test_empty)
{
	struct stream s = {.size = 0};
	struct guest_trace t;

	read_in_chunks(&s, 1, &t);
	ck_assert(!t.complete && t.frames == 0 && t.skipped_bytes == 0);
	guest_trace_fini(&t);
}
END_TEST

/*
 * Random damage. A stream must mean the same however it is cut, nothing may be kept that did not
 * come, and only an undamaged order can be complete.
 */
START_TEST(test_mutations)
{
	struct stream good = whole_stream();

	srand(1);
	for (int round = 0; round < 20000; round++) {
		struct stream s = good;
		struct guest_trace a, b;

		for (int hits = 1 + rand() % 8; hits > 0; hits--) {
			size_t at = (size_t)rand() % s.size;

			if (rand() % 4)
				s.data[at] = (uint8_t)rand();
			else
				s.data[at] ^= (uint8_t)(1u << rand() % 8);
		}
		read_in_chunks(&s, s.size, &a);
		read_in_chunks(&s, 1 + (size_t)rand() % 50, &b);
		ck_assert_uint_eq(a.frames, b.frames);
		ck_assert_uint_eq(a.bad_frames, b.bad_frames);
		ck_assert_uint_eq(a.skipped_bytes, b.skipped_bytes);
		ck_assert_uint_eq(a.vp_count, b.vp_count);
		ck_assert_uint_eq(a.event_count, b.event_count);
		ck_assert(a.complete == b.complete);
		ck_assert_uint_le(a.skipped_bytes, s.size);
		ck_assert_uint_le(a.vp_count * sizeof(*a.vp) + a.event_count * sizeof(*a.event),
				  s.size);
		ck_assert(!a.complete || a.frames == 5);
		guest_trace_fini(&a);
		guest_trace_fini(&b);
	}
}
END_TEST

Suite *frames_suite(void)
{
	Suite *s = suite_create("frames");
	TCase *c = tcase_create("frames");
	TCase *slow = tcase_create("damage");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, test_every_chunking);
	tcase_add_test(c, test_costs);
	tcase_add_test(c, test_findings);
	tcase_add_test(c, test_truncated_anywhere);
	tcase_add_test(c, test_older_guest);
	tcase_add_test(c, test_lying_headers);
	tcase_add_test(c, test_claimed_size_costs_nothing);
	tcase_add_test(c, test_greatest_payload);
	tcase_add_test(c, test_total_limit);
	tcase_add_test(c, test_sequence);
	tcase_add_test(c, test_newer_guest);
	tcase_add_test(c, test_nothing_after_the_end);
	tcase_add_test(c, test_tap);
	tcase_add_test(c, test_tap_limit);
	tcase_add_test(c, test_empty);
	suite_add_tcase(s, c);
	tcase_set_timeout(slow, 60);
	tcase_set_tags(slow, "slow");
	tcase_add_test(slow, test_mutations);
	suite_add_tcase(s, slow);
	return s;
}
