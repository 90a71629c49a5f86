/* SPDX-License-Identifier: MIT */
/* Two conformance runs compared, assertion by assertion. */
#include "bench/conformance_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/result.h"

static bool same_text(const char *a, size_t a_size, const char *b, size_t b_size)
{
	return a_size == b_size && (!a || !b ? a == b : memcmp(a, b, a_size) == 0);
}

/* Finds the assertion of this name among a side's lines. */
static bool find(const char *tap, const struct tap_line *like, struct tap_line *line)
{
	while (tap_next(&tap, line)) {
		if (same_text(line->name, line->name_size, like->name, like->name_size))
			return true;
	}
	return false;
}

static int add(struct conformance_diff *d, const struct conformance_difference *one)
{
	struct conformance_difference *list = reallocarray(d->list, d->count + 1, sizeof(*d->list));

	if (!list)
		return -ENOMEM;
	d->list = list;
	list[d->count++] = *one;
	d->differ += !one->legal;
	return 0;
}

static int compare(struct conformance_diff *d, struct conformance_difference *c)
{
	const struct tap_line *a = &c->line[0], *b = &c->line[1];
	bool same = c->present[0] && c->present[1] && a->ok == b->ok && !a->reason == !b->reason;

	if (same && same_text(a->said, a->said_size, b->said, b->said_size)) {
		d->same++;
		return 0;
	}
	c->legal = same && a->ok;
	return add(d, c);
}

int conformance_diff(struct conformance_diff *d, const struct conformance_side side[2])
{
	struct conformance_difference c;
	const char *at;
	int ret = 0;

	*d = (struct conformance_diff){.side = {side[0], side[1]}};
	for (at = side[0].tap; ret == 0 && tap_next(&at, &c.line[0]);) {
		c.present[0] = true;
		c.present[1] = find(side[1].tap, &c.line[0], &c.line[1]);
		ret = compare(d, &c);
	}
	for (at = side[1].tap; ret == 0 && tap_next(&at, &c.line[1]);) {
		c.present[0] = find(side[0].tap, &c.line[1], &c.line[0]);
		c.present[1] = true;
		if (!c.present[0])
			ret = compare(d, &c);
	}
	return ret;
}

void conformance_diff_free(struct conformance_diff *d)
{
	free(d->list);
	d->list = NULL;
}

/* "passed", "failed", "skipped" or "absent" */
static const char *verdict(const struct conformance_difference *c, unsigned side)
{
	const struct tap_line *line = &c->line[side];

	if (!c->present[side])
		return "absent";
	if (!line->ok)
		return "failed";
	return line->reason ? "skipped" : "passed";
}

static const char *said(const struct conformance_difference *c, unsigned side, size_t *size)
{
	const struct tap_line *line = &c->line[side];
	bool skipped = c->present[side] && line->reason;

	*size = skipped ? line->reason_size : line->said_size;
	if (!c->present[side])
		return NULL;
	return skipped ? line->reason : line->said;
}

static const struct tap_line *line_of(const struct conformance_difference *c)
{
	return &c->line[c->present[0] ? 0 : 1];
}

static void print_side(const struct conformance_diff *d, const struct conformance_difference *c,
		       unsigned side, FILE *out)
{
	size_t size;
	const char *text = said(c, side, &size);

	fprintf(out, "#   %s: %s", d->side[side].name, verdict(c, side));
	if (text)
		fprintf(out, ": %.*s", (int)size, text);
	fputs("\n", out);
}

void conformance_diff_print(const struct conformance_diff *d, FILE *out)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct conformance_difference *c = &d->list[i];
		const struct tap_line *line = line_of(c);

		fprintf(out, "%s %zu - %.*s\n", c->legal ? "ok" : "not ok", i + 1,
			(int)line->name_size, line->name);
		print_side(d, c, 0, out);
		print_side(d, c, 1, out);
	}
	fprintf(out, "ok %zu - %u assertions have the same result\n1..%zu\n", d->count + 1, d->same,
		d->count + 1);
}

static json_t *side_object(const struct conformance_difference *c, unsigned side)
{
	size_t size;
	const char *text = said(c, side, &size);

	return json_pack("{s:s, s:o*}", "result", verdict(c, side), "said",
			 text ? json_stringn(text, size) : NULL);
}

static json_t *differences(const struct conformance_diff *d)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < d->count; i++) {
		const struct conformance_difference *c = &d->list[i];
		const struct tap_line *line = line_of(c);
		json_t *one = json_pack("{s:s%, s:b, s:o, s:o}", "name", line->name,
					line->name_size, "legal", (int)c->legal, d->side[0].name,
					side_object(c, 0), d->side[1].name, side_object(c, 1));

		if (json_array_append_new(array, one)) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *sides(const struct conformance_diff *d)
{
	json_t *array = json_array();

	for (unsigned i = 0; array && i < 2; i++) {
		struct tap_counts n = tap_count(d->side[i].tap);
		json_t *one = json_pack("{s:s, s:s*, s:i, s:i, s:i, s:b}", "hyperv",
					d->side[i].name, "hv", d->side[i].hv, "passed",
					(int)n.passed, "failed", (int)n.failed, "skipped",
					(int)n.skipped, "complete", (int)n.planned);

		if (json_array_append_new(array, one)) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

json_t *conformance_diff_result(const struct conformance_diff *d, const json_t *run_document,
				char *const *command)
{
	/* Its "tool" is the one that it gives every document. */
	json_t *plain = result_document("conformance", NULL, command);
	json_t *result;

	if (!plain)
		return NULL;
	result = json_pack("{s:s, s:O, s:O?, s:o, s:i, s:i, s:i, s:o}", "schema",
			   "vpup.conformance-diff/1", "tool", json_object_get(plain, "tool"),
			   "host", json_object_get(run_document, "host"), "sides", sides(d), "same",
			   (int)d->same, "legal", (int)d->count - (int)d->differ, "differ",
			   (int)d->differ, "differences", differences(d));
	json_decref(plain);
	return result;
}
