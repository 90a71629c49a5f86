/* SPDX-License-Identifier: MIT */
/* Reads result documents that others wrote, and checks the type of everything in them. */
#include "vmm/result.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The place in the document that is looked at, for messages: "runs[3].metrics". */
struct place {
	char text[96];
	struct err *e;
};

static struct place place_at(const struct place *outer, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static struct place place_at(const struct place *outer, const char *fmt, ...)
{
	struct place p = {.e = outer->e};
	size_t used = strlen(outer->text);
	va_list ap;

	memcpy(p.text, outer->text, used);
	va_start(ap, fmt);
	vsnprintf(p.text + used, sizeof(p.text) - used, fmt, ap);
	va_end(ap);
	return p;
}

static int place_fail(const struct place *p, const char *what)
{
	return err_set(p->e, EINVAL, "not a result file: %s %s", p->text, what);
}

static int check_object(const json_t *value, const struct place *p)
{
	return json_is_object(value) ? 0 : place_fail(p, "is not an object");
}

static int check_array(const json_t *value, const struct place *p)
{
	return json_is_array(value) ? 0 : place_fail(p, "is not an array");
}

static int check_number(const json_t *value, const struct place *p)
{
	if (!json_is_number(value) || !isfinite(json_number_value(value)))
		return place_fail(p, "is not a number");
	return 0;
}

static int check_string(const json_t *value, const struct place *p)
{
	return json_is_string(value) ? 0 : place_fail(p, "is not a string");
}

/* Parameters are compared and printed, so they are plain values. */
static int check_params(json_t *params, const struct place *p)
{
	const char *key;
	json_t *value;

	if (check_object(params, p))
		return -EINVAL;
	json_object_foreach(params, key, value)
	{
		struct place at = place_at(p, ".%.32s", key);

		if (!json_is_string(value) && !json_is_boolean(value) && check_number(value, &at))
			return place_fail(&at, "is not a plain value");
	}
	return 0;
}

static int check_numbers(json_t *object, const struct place *p)
{
	const char *key;
	json_t *value;

	if (check_object(object, p))
		return -EINVAL;
	json_object_foreach(object, key, value)
	{
		struct place at = place_at(p, ".%.32s", key);

		if (check_number(value, &at))
			return -EINVAL;
	}
	return 0;
}

static int check_vp(const json_t *vp, const struct place *p)
{
	struct place at = place_at(p, ".vp");

	return check_object(vp, p) || check_number(json_object_get(vp, "vp"), &at) ? -EINVAL : 0;
}

static int check_run(const json_t *run, const struct place *p)
{
	struct place params = place_at(p, ".params"), metrics = place_at(p, ".metrics");
	struct place vps = place_at(p, ".vps");
	const json_t *list = json_object_get(run, "vps");
	const json_t *vp;
	size_t i;

	if (check_object(run, p) || check_params(json_object_get(run, "params"), &params) ||
	    check_numbers(json_object_get(run, "metrics"), &metrics) || check_array(list, &vps))
		return -EINVAL;
	json_array_foreach(list, i, vp)
	{
		struct place at = place_at(&vps, "[%zu]", i);

		if (check_vp(vp, &at))
			return -EINVAL;
	}
	return 0;
}

static int check_summary_row(const json_t *row, const struct place *p)
{
	static const char *const number[] = {"n", "median", "p5", "p95", "mad"};
	static const char *const string[] = {"metric", "unit"};
	struct place params = place_at(p, ".params"), at = place_at(p, ".ci95");
	const json_t *ci95;

	if (check_object(row, p) || check_params(json_object_get(row, "params"), &params))
		return -EINVAL;
	ci95 = json_object_get(row, "ci95");
	if (check_array(ci95, &at))
		return -EINVAL;
	if (json_array_size(ci95) != 2 || !json_is_number(json_array_get(ci95, 0)) ||
	    !json_is_number(json_array_get(ci95, 1)))
		return place_fail(&at, "is not a pair of numbers");
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		at = place_at(p, ".%s", number[i]);
		if (check_number(json_object_get(row, number[i]), &at))
			return -EINVAL;
	}
	for (size_t i = 0; i < sizeof(string) / sizeof(string[0]); i++) {
		at = place_at(p, ".%s", string[i]);
		if (check_string(json_object_get(row, string[i]), &at))
			return -EINVAL;
	}
	return 0;
}

static int check_list(const json_t *document, const char *key, struct err *e,
		      int (*check)(const json_t *element, const struct place *p))
{
	const json_t *list = json_object_get(document, key);
	struct place top = {.e = e}, at = place_at(&top, "%s", key);
	const json_t *element;
	size_t i;

	if (check_array(list, &at))
		return -EINVAL;
	json_array_foreach(list, i, element)
	{
		struct place p = place_at(&at, "[%zu]", i);

		if (check(element, &p))
			return -EINVAL;
	}
	return 0;
}

static int check_document(const json_t *document, struct err *e)
{
	static const char *const objects[] = {"tool", "host"};
	struct place top = {.e = e}, at;
	const char *schema;

	schema = json_string_value(json_object_get(document, "schema"));
	if (!schema)
		return err_set(e, EINVAL, "not a result file: it names no schema");
	if (strcmp(schema, RESULT_SCHEMA))
		return err_set(e, EINVAL, "result file of schema '%.40s'; this vpup reads '%s'",
			       schema, RESULT_SCHEMA);
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		at = place_at(&top, "%s", objects[i]);
		if (check_object(json_object_get(document, objects[i]), &at))
			return -EINVAL;
	}
	at = place_at(&top, "scenario");
	if (check_string(json_object_get(document, "scenario"), &at) ||
	    check_list(document, "runs", e, check_run) ||
	    check_list(document, "summary", e, check_summary_row))
		return -EINVAL;
	return 0;
}

/*
 * About how much memory the values of a text take, by what jansson allocates for an object or array,
 * and for a value in one. Commas within strings count too, but a result has few.
 */
static size_t parsed_bytes(const char *text, size_t size_bytes)
{
	size_t total = 0;

	for (size_t i = 0; i < size_bytes; i++) {
		if (text[i] == '{' || text[i] == '[')
			total += 350;
		else if (text[i] == ',')
			total += 100;
	}
	return total;
}

json_t *result_read(const char *text, size_t size_bytes, struct err *e)
{
	json_error_t error;
	json_t *document;

	if (size_bytes > RESULT_SIZE_MAX) {
		err_set(e, EFBIG, "not a result file: larger than %u MiB", RESULT_SIZE_MAX >> 20);
		return NULL;
	}
	if (size_bytes == 0) {
		err_set(e, EINVAL, "not a result file: it is empty");
		return NULL;
	}
	if (parsed_bytes(text, size_bytes) > RESULT_MEMORY_MAX) {
		err_set(e, EFBIG, "it would take more than %u MiB of memory to read",
			RESULT_MEMORY_MAX >> 20);
		return NULL;
	}
	document = json_loadb(text, size_bytes, JSON_REJECT_DUPLICATES, &error);
	if (!document) {
		err_set(e, EINVAL, "not a result file: line %d: %s", error.line, error.text);
		return NULL;
	}
	if (check_document(document, e)) {
		json_decref(document);
		return NULL;
	}
	return document;
}

bool result_metric(const json_t *run, const char *name, double *value)
{
	const json_t *number = json_object_get(json_object_get(run, "metrics"), name);

	if (!json_is_number(number))
		return false;
	*value = json_number_value(number);
	return true;
}
