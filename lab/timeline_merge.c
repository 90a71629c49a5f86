/* SPDX-License-Identifier: MIT */
/* Merges traces of nested levels, shifted onto one clock where that is known. */
#include "lab/timeline_merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/outfile.h"

#define PID_LAB      1
#define TID_STEPS    1
#define NAME_MAX_LEN 96
#define DRIFT_MAX    0.02 /* of the time between the first mark and the last, and a fixed part: */
#define DRIFT_MAX_S  0.05
#define OWN_CLOCK    " (own clock)"

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double cycles_per_us(const struct rig *r)
{
	return r->run_s > 0 ? (double)(r->end_tsc - r->start_tsc) / r->run_s / 1e6 : 0;
}

struct lab_clock lab_clock_of(const struct rig *r)
{
	int64_t late[RIG_MARKS_MAX] = {0}; /* against the first mark */
	const struct rig_mark *first = r->mark, *last = &r->mark[r->marks ? r->marks - 1 : 0];
	struct lab_clock c = {0};
	double drift, limit;

	if (r->marks < 2 || cycles_per_us(r) <= 0)
		return c;
	for (size_t i = 0; i < r->marks; i++)
		late[i] = (int64_t)((r->mark[i].host_tsc - r->mark[i].l1_tsc) -
				    (first->host_tsc - first->l1_tsc));
	drift = (double)late[r->marks - 1];
	limit = (double)(last->host_tsc - first->host_tsc) * DRIFT_MAX +
		DRIFT_MAX_S * 1e6 * cycles_per_us(r);
	c.shared = drift < limit && -drift < limit;
	qsort(late, r->marks, sizeof(late[0]), by_value);
	c.offset = first->host_tsc - first->l1_tsc + (uint64_t)late[0];
	c.typical_cycles = (uint64_t)(late[r->marks / 2] - late[0]);
	return c;
}

static void add_name(json_t *events, const char *kind, int tid, const char *name)
{
	json_array_append_new(events,
			      json_pack("{s:s, s:i, s:i, s:s, s:{s:s}}", "ph", "M", "pid", PID_LAB,
					"tid", tid, "name", kind, "args", "name", name));
}

static void add_step(json_t *events, const char *name, double from_us, double to_us)
{
	json_array_append_new(events, json_pack("{s:s, s:i, s:i, s:f, s:f, s:s}", "ph", "X", "pid",
						PID_LAB, "tid", TID_STEPS, "ts", from_us, "dur",
						to_us - from_us, "name", name));
}

/* Each mark names what has just ended. */
static void add_steps(json_t *events, const struct rig *r)
{
	double from_us = 0;

	add_name(events, "process_name", 0, "lab");
	add_name(events, "thread_name", TID_STEPS, r->engine->name);
	for (size_t i = 0; i < r->marks; i++) {
		const struct rig_mark *m = &r->mark[i];
		bool engine = i == 0 && strcmp(m->name, "kernel") == 0;

		add_step(events, engine ? "engine and L1's kernel" : m->name, from_us, m->s * 1e6);
		from_us = m->s * 1e6;
	}
	add_step(events, "end", from_us, r->run_s * 1e6);
}

/* "vpup" was in L1; what was in L1 of an inner lab is in L2 for us. */
static void deeper(char *out, const char *name, bool shared)
{
	const char *rest = name;
	unsigned level = 0;
	int used = 0;

	if (sscanf(name, "L%1u %n", &level, &used) == 1 && used > 0)
		rest = name + used;
	else
		level = 0;
	snprintf(out, NAME_MAX_LEN, "L%u %.60s%s", level + 1, rest,
		 shared || strstr(rest, OWN_CLOCK) ? "" : OWN_CLOCK);
}

/* A number of inner's, which may be any, behind the lab's own. */
static json_int_t behind_lab(const json_t *number)
{
	return (json_int_t)((uint64_t)json_integer_value(number) + PID_LAB);
}

static void rename_process(json_t *event, bool shared)
{
	const char *kind = json_string_value(json_object_get(event, "name"));
	json_t *args = json_object_get(event, "args");
	const char *name = json_string_value(json_object_get(args, "name"));
	json_t *index = json_object_get(args, "sort_index");
	char deep[NAME_MAX_LEN];

	if (!kind)
		return;
	if (strcmp(kind, "process_name") == 0 && name) {
		deeper(deep, name, shared);
		json_object_set_new(args, "name", json_string(deep));
	} else if (strcmp(kind, "process_sort_index") == 0 && json_is_integer(index)) {
		json_integer_set(index, behind_lab(index));
	}
}

/* What inner's times become: scale and shift. */
struct shift {
	bool shared;
	double scale, add_us;
};

static struct shift shift_of(const struct rig *r, const struct lab_clock *c, const json_t *inner)
{
	const json_t *other = json_object_get(inner, "otherData");
	const json_t *start = json_object_get(other, "start_tsc");
	double khz = json_number_value(json_object_get(other, "tsc_khz"));
	struct shift s = {.scale = 1};
	int64_t from;

	if (!c->shared || !json_is_integer(start) || !(khz > 0))
		return s;
	s.shared = true;
	s.scale = khz / 1000 / cycles_per_us(r);
	from = (int64_t)((uint64_t)json_integer_value(start) + c->offset - r->start_tsc);
	s.add_us = (double)from / cycles_per_us(r);
	return s;
}

static void add_event(json_t *events, const json_t *event, const struct shift *s)
{
	json_t *copy = json_deep_copy(event);
	const json_t *ts = json_object_get(copy, "ts"), *dur = json_object_get(copy, "dur");

	if (!json_is_object(copy)) {
		json_decref(copy);
		return;
	}
	json_object_set_new(copy, "pid", json_integer(behind_lab(json_object_get(copy, "pid"))));
	if (json_is_number(ts))
		json_object_set_new(copy, "ts",
				    json_real(json_number_value(ts) * s->scale + s->add_us));
	if (json_is_number(dur))
		json_object_set_new(copy, "dur", json_real(json_number_value(dur) * s->scale));
	rename_process(copy, s->shared);
	json_array_append_new(events, copy);
}

json_t *timeline_merge(const struct rig *r, const json_t *inner)
{
	const struct lab_clock c = lab_clock_of(r);
	const struct shift s = shift_of(r, &c, inner);
	const json_t *event, *from = json_object_get(inner, "traceEvents");
	double per_us = cycles_per_us(r);
	json_t *events = json_array(), *other;
	size_t i;

	if (!events)
		return NULL;
	add_steps(events, r);
	json_array_foreach(from, i, event) add_event(events, event, &s);
	other = json_pack("{s:I, s:I, s:b, s:i}", "start_tsc", (json_int_t)r->start_tsc, "tsc_khz",
			  (json_int_t)(per_us * 1000 + 0.5), "one_clock", s.shared, "marks",
			  (int)r->marks);
	if (other && s.shared)
		json_object_set_new(other, "typical_mark_delay_us",
				    json_real((double)c.typical_cycles / per_us));
	if (other && inner && json_object_get(inner, "otherData"))
		json_object_set(other, "L1", json_object_get(inner, "otherData"));
	return json_pack("{s:s, s:o, s:o}", "displayTimeUnit", "ms", "traceEvents", events,
			 "otherData", other);
}

int timeline_merge_write(const char *path, const struct rig *r, const char *inner_path,
			 struct err *e)
{
	json_error_t error;
	json_t *inner = inner_path ? json_load_file(inner_path, 0, &error) : NULL;
	json_t *all = timeline_merge(r, inner);
	char *text = all ? json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
	int ret = text ? outfile_write(path, text, strlen(text), e)
		       : err_set(e, ENOMEM, "no timeline: out of memory");

	free(text);
	json_decref(all);
	json_decref(inner);
	return ret;
}
