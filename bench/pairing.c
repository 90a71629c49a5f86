/* SPDX-License-Identifier: MIT */
/* Finds what of two results can be compared. */
#include "bench/pairing.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NOTES_MAX  20 /* more of a kind only bury the rest */
#define PARAMS_MAX 64 /* with more, nobody meant them to be compared */

/* --- words ------------------------------------------------------------------------------------- */

/* A result file may hold anything; a terminal gets plain text. */
static void text_clean(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
	}
}

const char *pairing_value_text(const json_t *value, char text[PARAMS_TEXT_SIZE])
{
	if (json_is_string(value))
		snprintf(text, PARAMS_TEXT_SIZE, "%s", json_string_value(value));
	else if (json_is_boolean(value))
		strcpy(text, json_is_true(value) ? "true" : "false");
	else if (json_is_number(value))
		snprintf(text, PARAMS_TEXT_SIZE, "%.12g", json_number_value(value));
	else
		strcpy(text, "-");
	text_clean(text);
	return text;
}

const char *pairing_text(const json_t *params, char text[PARAMS_TEXT_SIZE])
{
	size_t used = 0;
	const char *key;
	json_t *value;

	strcpy(text, "(no parameters)");
	json_object_foreach((json_t *)params, key, value)
	{
		char word[PARAMS_TEXT_SIZE];

		if (used >= PARAMS_TEXT_SIZE)
			break;
		used += (size_t)snprintf(text + used, PARAMS_TEXT_SIZE - used, "%s%s=%s",
					 used ? " " : "", key, pairing_value_text(value, word));
	}
	text_clean(text);
	return text;
}

static int note_add(json_t *notes, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int note_add(json_t *notes, const char *fmt, ...)
{
	struct err line; /* for its way with what is not printable */
	char text[sizeof(line.text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	err_set(&line, EINVAL, "%s", text);
	return json_array_append_new(notes, json_string(line.text)) ? -ENOMEM : 0;
}

/* --- params that do not count ------------------------------------------------------------------ */

/* The first value that a param has in the runs; *varies if there are others. NULL: none has it. */
static const json_t *param_in_runs(const json_t *runs, const char *key, bool *varies)
{
	const json_t *run, *first = NULL;
	size_t i;

	*varies = false;
	json_array_foreach(runs, i, run)
	{
		const json_t *value = json_object_get(json_object_get(run, "params"), key);

		if (i == 0)
			first = value;
		else if (value != first && !(first && json_equal(value, first)))
			*varies = true;
		if (!first)
			first = value;
	}
	return first;
}

/* All params that any run has, as keys. */
static json_t *all_keys(const json_t *runs)
{
	json_t *keys = json_object();
	const json_t *run;
	size_t i;

	json_array_foreach(runs, i, run)
	{
		if (json_object_update_missing(keys, json_object_get(run, "params"))) {
			json_decref(keys);
			return NULL;
		}
	}
	return keys;
}

static int ignore_one_sided(json_t *skip, const json_t *const runs[2], int side, json_t *notes)
{
	static const char *const name[2] = {"BASE", "NEW"};
	json_t *keys = all_keys(runs[side]), *ignored;
	int ret = keys ? 0 : -ENOMEM;
	const char *key;

	if (json_object_size(keys) > PARAMS_MAX)
		json_object_clear(keys);
	json_object_foreach(keys, key, ignored)
	{
		bool varies, varies_there;
		const json_t *value = param_in_runs(runs[side], key, &varies);
		char text[PARAMS_TEXT_SIZE];

		if (varies || json_object_get(skip, key) ||
		    param_in_runs(runs[!side], key, &varies_there))
			continue;
		if (json_object_set_new(skip, key, json_true()) ||
		    note_add(notes, "only %s has the parameter %.30s (always %.30s); it is ignored",
			     name[side], key, pairing_value_text(value, text)))
			ret = -ENOMEM;
	}
	json_decref(keys);
	return ret;
}

json_t *pairing_ignored(const json_t *const runs[2], const json_t *ignored, json_t *notes)
{
	json_t *skip = ignored ? json_copy((json_t *)ignored) : json_object();

	for (int side = 0; side < 2; side++) {
		if (!skip || ignore_one_sided(skip, runs, side, notes)) {
			json_decref(skip);
			return NULL;
		}
	}
	return skip;
}

/* --- what has no partner ----------------------------------------------------------------------- */

/* Only those params that tell the groups of one side apart. */
static const char *group_text(const struct groups *g, size_t at, char text[PARAMS_TEXT_SIZE])
{
	json_t *params = json_copy(g->group[at].params), *value;
	const char *key;
	void *next;

	json_object_foreach_safe(params, next, key, value)
	{
		bool is_varied = false;

		for (size_t i = 0; i < g->count && !is_varied; i++) {
			const json_t *other = json_object_get(g->group[i].params, key);

			is_varied = !other || !json_equal(other, value);
		}
		if (!is_varied)
			json_object_del(params, key);
	}
	pairing_text(params, text);
	json_decref(params);
	return text;
}

static int note_lonely(const struct groups *g, const struct groups *other, const char *name,
		       json_t *notes)
{
	size_t lonely = 0, first = 0;
	char text[PARAMS_TEXT_SIZE];

	for (size_t i = 0; i < g->count; i++) {
		if (groups_find(other, g->group[i].params))
			continue;
		if (lonely++ == 0)
			first = i;
	}
	if (lonely == 0)
		return 0;
	return note_add(notes, "only %s has %zu cell%s, such as %.50s", name, lonely,
			lonely == 1 ? "" : "s", group_text(g, first, text));
}

int pairing_note_unpaired(const struct groups side[2], json_t *notes)
{
	int ret = note_lonely(&side[0], &side[1], "BASE", notes);

	return ret ? ret : note_lonely(&side[1], &side[0], "NEW", notes);
}

int pairing_note_metric(json_t *notes, const json_t *params, const char *metric, bool in_new)
{
	char text[PARAMS_TEXT_SIZE];

	if (json_array_size(notes) > NOTES_MAX)
		return 0;
	if (json_array_size(notes) == NOTES_MAX)
		return note_add(notes, "there are more metrics that only one side has");
	return note_add(notes, "only %s has the metric %.30s, at %.40s", in_new ? "NEW" : "BASE",
			metric, pairing_text(params, text));
}

int pairing_refuse(const struct groups *base, const struct groups *new, struct err *e)
{
	const json_t *theirs = base->group[0].params, *ours = new->group[0].params;
	char text[2][PARAMS_TEXT_SIZE];
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)ours, key, value)
	{
		const json_t *other = json_object_get(theirs, key);

		if (!other || !json_equal(value, other))
			return err_set(e, EINVAL,
				       "no runs of equal parameters: %s is %s in BASE and %s in "
				       "NEW; --ignore %s compares all the same",
				       key, pairing_value_text(other, text[0]),
				       pairing_value_text(value, text[1]), key);
	}
	return err_set(e, EINVAL, "no runs of equal parameters: BASE has %s, NEW %s",
		       pairing_text(theirs, text[0]), pairing_text(ours, text[1]));
}
