/* SPDX-License-Identifier: MIT */
/* Result files as rows of a table, one for each metric of each run. */
#include <errno.h>
#include <string.h>

#include "bench/report.h"
#include "vmm/metrics.h"

/* RFC 4180: in quotes where it has to be, with quotes doubled. */
static void csv_text(FILE *out, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

static void csv_value(FILE *out, const json_t *value)
{
	if (json_is_string(value))
		csv_text(out, json_string_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "true" : "false", out);
	else if (json_is_number(value))
		fprintf(out, "%.15g", json_number_value(value));
}

/* The params of all runs of all files, as keys: each has a column. */
static json_t *all_params(const struct report *r)
{
	json_t *keys = json_object(), *run;
	size_t i;

	for (size_t file = 0; file < r->count; file++) {
		json_array_foreach(json_object_get(r->document[file], "runs"), i, run)
		{
			if (json_object_update_missing(keys, json_object_get(run, "params"))) {
				json_decref(keys);
				return NULL;
			}
		}
	}
	return keys;
}

static void csv_run(FILE *out, const struct report *r, size_t file, size_t at, const json_t *run,
		    json_t *keys)
{
	const json_t *scenario = json_object_get(r->document[file], "scenario");
	json_t *metrics = json_object_get(run, "metrics"), *value, *unused;
	const char *metric, *key;

	json_object_foreach(metrics, metric, value)
	{
		csv_text(out, r->path[file]);
		putc(',', out);
		csv_value(out, scenario);
		fprintf(out, ",%zu", at);
		json_object_foreach(keys, key, unused)
		{
			putc(',', out);
			csv_value(out, json_object_get(json_object_get(run, "params"), key));
		}
		putc(',', out);
		csv_text(out, metric);
		fprintf(out, ",%s,", metric_unit(metric));
		csv_value(out, value);
		fputs("\r\n", out);
	}
}

int report_csv(FILE *out, const struct report *r)
{
	json_t *keys = all_params(r), *run, *unused;
	const char *key;
	size_t i;

	if (!keys)
		return -ENOMEM;
	fputs("file,scenario,run", out);
	json_object_foreach(keys, key, unused)
	{
		putc(',', out);
		csv_text(out, key);
	}
	fputs(",metric,unit,value\r\n", out);
	for (size_t file = 0; file < r->count; file++) {
		json_array_foreach(json_object_get(r->document[file], "runs"), i, run)
			csv_run(out, r, file, i, run, keys);
	}
	json_decref(keys);
	return 0;
}
