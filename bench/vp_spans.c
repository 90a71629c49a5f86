/* SPDX-License-Identifier: MIT */
/* Turns a VP's marks into spans. */
#include "bench/vp_spans.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What a VP does after a mark, as vmm/timeline.c has it. The order decides between equal times. */
static const struct {
	const char *mark;
	const char *then; /* NULL: nothing that a span is drawn for */
} kinds[] = {
	{"kick", "kick"},
	{"wait", "wait for its turn"},
	{"released", "init"}, /* or what it did before it waited */
	{"start", "init"},
	{"ucode", "microcode (modelled)"},
	{"ucode_end", "init"},
	{"sibling", "wait for sibling (modelled)"},
	{"sibling_end", "init"},
	{"identify", "identify (modelled)"},
	{"identify_end", "init"},
	{"init", "ready"},
	{"calibrate", "calibrate"},
	{"calibrated", "go online"},
	{"tscsync", "TSC sync (modelled)"},
	{"tscsync_end", "go online"},
	{"online_work", "online work (modelled)"},
	{"online_work_end", "go online"},
	{"online", NULL},
	{"synic", "SynIC"},
	{"synic_end", NULL},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct mark {
	double ms;
	size_t kind;
};

/* Stable, and short: there are never more marks than kinds. */
static size_t marks_sorted(const json_t *vp, struct mark mark[KINDS])
{
	const json_t *guest = json_object_get(vp, "guest_ms");
	size_t count = 0;

	for (size_t kind = 0; kind < KINDS; kind++) {
		const json_t *ms = json_object_get(guest, kinds[kind].mark);
		struct mark m = {json_number_value(ms), kind};
		size_t at = count;

		if (!json_is_number(ms))
			continue;
		for (; at > 0 && mark[at - 1].ms > m.ms; at--)
			mark[at] = mark[at - 1];
		mark[at] = m;
		count++;
	}
	return count;
}

static bool is_mark(const struct mark *m, const char *name)
{
	return strcmp(kinds[m->kind].mark, name) == 0;
}

json_t *vp_spans(const json_t *vp)
{
	struct mark mark[KINDS];
	size_t count = marks_sorted(vp, mark);
	const char *doing = NULL, *before_wait = NULL;
	json_t *spans = json_array();

	for (size_t i = 0; spans && i < count; i++) {
		const char *then = kinds[mark[i].kind].then;

		if (i && doing && mark[i].ms > mark[i - 1].ms &&
		    json_array_append_new(spans, json_pack("[s, f, f]", doing, mark[i - 1].ms,
							   mark[i].ms))) {
			json_decref(spans);
			return NULL;
		}
		if (is_mark(&mark[i], "wait"))
			before_wait = doing;
		else if (is_mark(&mark[i], "released") && before_wait &&
			 strcmp(before_wait, "kick") != 0)
			then = before_wait;
		doing = then;
	}
	return spans;
}

json_t *vp_instants(const json_t *vp)
{
	static const struct {
		const char *object, *key, *name;
	} instants[] = {
		{"host_ms", "created", "created"},
		{"host_ms", "thread", "thread runs"},
		{"host_ms", "first_entry", "first entry"},
		{"host_ms", "wake", "woken"},
		{"host_ms", "first_hv", "first Hyper-V MSR"},
		{"guest_ms", "online", "online"},
	};
	json_t *list = json_array();

	for (size_t i = 0; list && i < sizeof(instants) / sizeof(instants[0]); i++) {
		const json_t *ms =
			json_object_get(json_object_get(vp, instants[i].object), instants[i].key);

		if (json_is_number(ms) &&
		    json_array_append_new(list, json_pack("[s, f]", instants[i].name,
							  json_number_value(ms)))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}
