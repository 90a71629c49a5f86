/* SPDX-License-Identifier: MIT */
/* Result files as a trace for Perfetto: a process per cell, a track per VP. */
#include <errno.h>

#include "bench/pairing.h"
#include "bench/report.h"

/* Appends an event to the list and takes it. */
static int event_add(json_t *events, json_t *event)
{
	return json_array_append_new(events, event) ? -ENOMEM : 0;
}

static int name_add(json_t *events, const char *kind, size_t pid, size_t tid, const char *name)
{
	return event_add(events, json_pack("{s:s, s:I, s:I, s:s, s:{s:s}}", "ph", "M", "pid",
					   (json_int_t)pid, "tid", (json_int_t)tid, "name", kind,
					   "args", "name", name));
}

static int track_add(json_t *events, size_t pid, size_t tid, const json_t *track)
{
	const json_t *item;
	char name[64];
	int ret;
	size_t i;

	snprintf(name, sizeof(name), "VP %lld",
		 (long long)json_number_value(json_object_get(track, "vp")));
	ret = name_add(events, "thread_name", pid, tid, name);
	json_array_foreach(json_object_get(track, "spans"), i, item)
	{
		double from = json_number_value(json_array_get(item, 1));
		double to = json_number_value(json_array_get(item, 2));

		ret |= event_add(events, json_pack("{s:s, s:I, s:I, s:f, s:f, s:O}", "ph", "X",
						   "pid", (json_int_t)pid, "tid", (json_int_t)tid,
						   "ts", from * 1000, "dur", (to - from) * 1000,
						   "name", json_array_get(item, 0)));
	}
	json_array_foreach(json_object_get(track, "instants"), i, item)
	{
		double at = json_number_value(json_array_get(item, 1));

		ret |= event_add(events,
				 json_pack("{s:s, s:I, s:I, s:f, s:s, s:O}", "ph", "i", "pid",
					   (json_int_t)pid, "tid", (json_int_t)tid, "ts", at * 1000,
					   "s", "t", "name", json_array_get(item, 0)));
	}
	return ret ? -ENOMEM : 0;
}

static int cell_add(json_t *events, size_t pid, const json_t *file, const json_t *cell)
{
	const json_t *track;
	char params[PARAMS_TEXT_SIZE];
	json_t *name = json_sprintf("%s: %s", json_string_value(json_object_get(file, "name")),
				    pairing_text(json_object_get(cell, "params"), params));
	size_t i;
	int ret =
		name ? name_add(events, "process_name", pid, 0, json_string_value(name)) : -ENOMEM;

	json_decref(name);
	json_array_foreach(json_object_get(cell, "timeline"), i, track) ret =
		ret ? ret : track_add(events, pid, i + 1, track);
	return ret;
}

int report_trace(FILE *out, const json_t *data)
{
	json_t *events = json_array(), *document;
	const json_t *file, *cell;
	size_t i, k, pid = 0;
	int ret = events ? 0 : -ENOMEM;

	json_array_foreach(json_object_get(data, "files"), i, file)
	{
		json_array_foreach(json_object_get(file, "cells"), k, cell)
		{
			pid++;
			if (ret == 0 && json_object_get(cell, "timeline"))
				ret = cell_add(events, pid, file, cell);
		}
	}
	document = json_pack("{s:s, s:o}", "displayTimeUnit", "ms", "traceEvents", events);
	if (!document)
		return -ENOMEM;
	if (ret == 0 && json_dumpf(document, out, JSON_COMPACT | JSON_REAL_PRECISION(12)) &&
	    !ferror(out))
		ret = -ENOMEM;
	json_decref(document);
	return ret;
}
