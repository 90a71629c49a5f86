/* SPDX-License-Identifier: MIT */
/* Unit tests of merged timelines: one clock where there is one, names by level, hostile input. */
#include <check.h>
#include <jansson.h>
#include <string.h>

#include "lab/levels.h"
#include "lab/timeline_merge.h"
#include "tests/unit/suites.h"

#define MHZ    2000u /* cycles per us */
#define START  1000000000ull
#define OFFSET 700000000ull

/* A run of 10 s; L1's marks take 30, 10 and 50 us to the host. */
static struct rig rig_of(void)
{
	static const struct engine engine = {.name = "qemu-tcg"};
	static const struct {
		const char *name;
		uint64_t at_us, delay_us;
	} m[] = {{"kernel", 4000000, 30}, {"kvm.ko", 5000000, 10}, {"command", 9000000, 50}};
	struct rig r = {.engine = &engine,
			.start_tsc = START,
			.end_tsc = START + 10000000ull * MHZ,
			.run_s = 10};

	for (; r.marks < 3; r.marks++) {
		struct rig_mark *to = &r.mark[r.marks];
		uint64_t at = START + m[r.marks].at_us * MHZ;

		strcpy(to->name, m[r.marks].name);
		to->host_tsc = at + m[r.marks].delay_us * MHZ;
		to->l1_tsc = at - OFFSET;
		to->s = (double)(m[r.marks].at_us + m[r.marks].delay_us) / 1e6;
	}
	return r;
}

/* A VM that starts 6 s after the engine, whose TSC frequency L1 took for khz. */
static json_t *inner_of(const char *process, double khz)
{
	const json_int_t start = (json_int_t)(START + 6000000ull * MHZ - OFFSET);

	return json_pack("{s:[{s:s, s:i, s:s, s:{s:s}}, {s:s, s:i, s:i, s:f, s:f, s:s}], "
			 "s:{s:I, s:f}}",
			 "traceEvents", "ph", "M", "pid", 1, "name", "process_name", "args", "name",
			 process, "ph", "X", "pid", 1, "tid", 1, "ts", 1000.0, "dur", 500.0, "name",
			 "run", "otherData", "start_tsc", start, "tsc_khz", khz);
}

static const json_t *event(const json_t *d, const char *phase, int pid, const char *name)
{
	const json_t *e;
	size_t i;

	json_array_foreach(json_object_get(d, "traceEvents"), i, e)
	{
		if (strcmp(json_string_value(json_object_get(e, "ph")), phase) == 0 &&
		    strcmp(json_string_value(json_object_get(e, "name")), name) == 0 &&
		    json_integer_value(json_object_get(e, "pid")) == pid)
			return e;
	}
	ck_abort_msg("no event '%s'", name);
}

static void check_span(const json_t *d, int pid, const char *name, double ts, double dur)
{
	const json_t *e = event(d, "X", pid, name);

	ck_assert_double_eq_tol(json_number_value(json_object_get(e, "ts")), ts, 0.01);
	ck_assert_double_eq_tol(json_number_value(json_object_get(e, "dur")), dur, 0.01);
}

static const char *process(const json_t *d)
{
	const json_t *e = event(d, "M", 2, "process_name");

	return json_string_value(json_object_get(json_object_get(e, "args"), "name"));
}

static bool one_clock(const json_t *d)
{
	return json_is_true(json_object_get(json_object_get(d, "otherData"), "one_clock"));
}

START_TEST(test_clock)
{
	struct rig r = rig_of();
	struct lab_clock c = lab_clock_of(&r);

	/* the fastest mark bounds it; the median one took 20 us longer */
	ck_assert(c.shared);
	ck_assert_uint_eq(c.offset, OFFSET + 10 * MHZ);
	ck_assert_uint_eq(c.typical_cycles, 20 * MHZ);
	/* L1's TSC may also be ahead */
	for (size_t i = 0; i < r.marks; i++)
		r.mark[i].l1_tsc += 1ull << 40;
	c = lab_clock_of(&r);
	ck_assert(c.shared);
	ck_assert_uint_eq(c.offset, OFFSET + 10 * MHZ - (1ull << 40));
	/* one that runs at half the rate, and one that is told once only */
	r.mark[2].l1_tsc = r.mark[0].l1_tsc + (r.mark[2].l1_tsc - r.mark[0].l1_tsc) / 2;
	ck_assert(!lab_clock_of(&r).shared);
	r.marks = 1;
	ck_assert(!lab_clock_of(&r).shared);
	r.marks = 0;
	ck_assert(!lab_clock_of(&r).shared);
}
END_TEST

START_TEST(test_one_clock)
{
	struct rig r = rig_of();
	json_t *inner = inner_of("vpup", MHZ * 1000), *d = timeline_merge(&r, inner);

	check_span(d, 1, "engine and L1's kernel", 0, 4000030);
	check_span(d, 1, "kvm.ko", 4000030, 999980);
	check_span(d, 1, "command", 5000010, 4000040);
	check_span(d, 1, "end", 9000050, 999950);
	check_span(d, 2, "run", 6001010, 500);
	ck_assert_str_eq(process(d), "L1 vpup");
	ck_assert(one_clock(d));
	json_decref(d);
	json_decref(inner);
	/* L1 believes in a TSC twice as fast: its microseconds are half as many cycles */
	inner = inner_of("L2 VPs", MHZ * 2000);
	d = timeline_merge(&r, inner);
	check_span(d, 2, "run", 6002010, 1000);
	ck_assert_str_eq(process(d), "L3 VPs");
	json_decref(d);
	json_decref(inner);
}
END_TEST

START_TEST(test_side_by_side)
{
	struct rig r = rig_of();
	json_t *inner = inner_of("vpup", MHZ * 1000), *d;

	r.mark[2].l1_tsc /= 2;
	d = timeline_merge(&r, inner);
	check_span(d, 2, "run", 1000, 500);
	ck_assert_str_eq(process(d), "L1 vpup (own clock)");
	ck_assert(!one_clock(d));
	json_decref(d);
	json_decref(inner);
	/* a document that does not say when it starts */
	r = rig_of();
	inner = inner_of("vpup", 0);
	d = timeline_merge(&r, inner);
	check_span(d, 2, "run", 1000, 500);
	ck_assert(!one_clock(d));
	json_decref(d);
	json_decref(inner);
}
END_TEST

/* L1 sends what it likes. The lab's own steps are there in any case. */
START_TEST(test_hostile)
{
	static const char *const text[] = {
		"[]",
		"{}",
		"{\"traceEvents\":7,\"otherData\":[]}",
		"{\"traceEvents\":[1,null,[],{},{\"pid\":9223372036854775807,\"ts\":1e308}]}",
		"{\"traceEvents\":[{\"name\":\"process_name\",\"args\":3},{\"name\":\"process_sort_"
		"index\","
		"\"args\":{\"sort_index\":9223372036854775807}},{\"ts\":\"x\",\"dur\":{}}],"
		"\"otherData\":{\"start_tsc\":-1,\"tsc_khz\":1e-300}}",
	};
	struct rig r = rig_of();

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		json_t *inner = json_loads(text[i], 0, NULL), *d;

		ck_assert_ptr_nonnull(inner);
		d = timeline_merge(&r, inner);
		ck_assert_ptr_nonnull(d);
		json_decref(d);
		json_decref(inner);
	}
	r.marks = 0;
	json_decref(timeline_merge(&r, NULL));
}
END_TEST

static void check_command(struct lab_options *o, char **command, const char *want)
{
	char text[512] = "";
	char **list;
	struct err e;

	o->command = command;
	ck_assert_int_eq(levels_command(&list, o, &e), 0);
	for (size_t i = 0; list[i]; i++) {
		strcat(text, i ? " " : "");
		strcat(text, list[i]);
	}
	ck_assert_str_eq(text, want);
	free(list);
}

START_TEST(test_levels)
{
	char *run[] = {"run", "-c", "4", NULL}, *bench[] = {"bench", "lpj", NULL};
	char *named[] = {"run", "--timeline=t.json", NULL};
	struct lab_options o = {.depth = 1,
				.hyperv = "user",
				.l1_memory_bytes = 2048ull << 20,
				.command = run};

	check_command(&o, run, "run -c 4");
	ck_assert_ptr_null(levels_timeline(&o));
	o.timeline = "all.json";
	check_command(&o, run, "run --timeline all.json -c 4");
	check_command(&o, named, "run --timeline=t.json");
	ck_assert_str_eq(levels_timeline(&o), "t.json");
	check_command(&o, bench, "bench lpj");
	ck_assert_ptr_null(levels_timeline(&o));
	o.depth = 3;
	check_command(&o, named,
		      "lab --engine vpup --l1-kernel /lab/vmlinux --l1-modules /lab/modules "
		      "--l1-memory 1G --hyperv user --depth 2 --timeline all.json -- run "
		      "--timeline=t.json");
	o.timeline = NULL;
	o.l1_memory_bytes = 1023ull << 20;
	o.depth = 2;
	check_command(&o, run,
		      "lab --engine vpup --l1-kernel /lab/vmlinux --l1-modules /lab/modules "
		      "--l1-memory 256M --hyperv user --depth 1 -- run -c 4");
}
END_TEST

Suite *lab_timeline_suite(void)
{
	Suite *s = suite_create("lab_timeline");
	TCase *c = tcase_create("lab_timeline");

	tcase_add_test(c, test_clock);
	tcase_add_test(c, test_one_clock);
	tcase_add_test(c, test_side_by_side);
	tcase_add_test(c, test_hostile);
	tcase_add_test(c, test_levels);
	suite_add_tcase(s, c);
	return s;
}
