/* SPDX-License-Identifier: MIT */
/* Table, outcome and host of a measurement. */
#include "bench/terminal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell_view.h"
#include "bench/table.h"
#include "bench/terminal_view.h"
#include "bench/wrap.h"

/* "lpj: what it is (smp=serial hz=250)": with the dimensions that have no column. */
static void write_title(FILE *out, const struct terminal_view *v)
{
	bool is_open = false;

	fprintf(out, "%s: %s", v->scenario->name, v->scenario->summary);
	for (size_t i = 0; i < v->m->dimensions; i++) {
		const struct dimension *d = &v->m->dimension[i];

		if (v->shown[i])
			continue;
		fprintf(out, "%s%s=%s", is_open ? " " : " (", d->kind->key, d->value[0]);
		is_open = true;
	}
	if (is_open)
		fputc(')', out);
}

static int print_title(FILE *out, const struct terminal_view *v)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return -ENOMEM;
	write_title(f, v);
	if (fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	wrap_print(out, text, TABLE_WIDTH);
	fputc('\n', out);
	free(text);
	return 0;
}

static const char *text_or(const json_t *object, const char *key, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : otherwise;
}

static void print_host(FILE *out, const json_t *host)
{
	const json_t *cpus = json_object_get(host, "cpus_online");

	fprintf(out, "Host: %s, ", text_or(host, "cpu_model", "unknown CPU"));
	if (json_is_integer(cpus))
		fprintf(out, "%lld CPUs, ", (long long)json_integer_value(cpus));
	fprintf(out, "Linux %s", text_or(host, "kernel", "of unknown release"));
	if (json_is_true(json_object_get(host, "is_guest")))
		fprintf(out, ", itself a guest of %s", text_or(host, "hypervisor", "a hypervisor"));
	fprintf(out, "\nKVM:  %s", text_or(host, "kvm_module", "unknown module"));
	if (json_is_true(json_object_get(host, "emulated")))
		fputs("; guest instructions are emulated", out);
	fputc('\n', out);
}

static void print_skipped(FILE *out, const struct scenario *scenario, const struct plan *plan)
{
	for (size_t i = 0; i < scenario->skips; i++) {
		char text[CONDITION_TEXT_SIZE];

		if (plan->skipped[i])
			fprintf(out, "Skipped: %zu cells, as %s\n", plan->skipped[i],
				cell_condition_text(&scenario->skip[i], text));
	}
}

/* A guest that slept because it was told to. */
static void print_modelled(FILE *out, const json_t *document)
{
	const json_t *run;
	size_t i;

	json_array_foreach(json_object_get(document, "runs"), i, run)
	{
		if (!json_is_true(json_object_get(run, "modelled")))
			continue;
		fputs("Modelled: stand-in costs, which the guest sleeps for, are in these times.\n",
		      out);
		return;
	}
}

int terminal_print(FILE *out, const struct scenario *scenario, const struct plan *plan,
		   const json_t *document, const struct summary *summary)
{
	const struct matrix *m = &plan->matrix;
	struct terminal_view v = {
		.scenario = scenario,
		.m = m,
		.summary = summary,
		.runs = json_object_get(document, "runs"),
		.style = term_style_of(out),
	};
	int ret;

	for (size_t i = 0; i < m->dimensions; i++)
		v.shown[i] = m->dimension[i].values > 1;
	for (size_t i = 0; i < scenario->dimensions; i++) {
		size_t at = matrix_find(m, scenario->dimension[i].key);

		if (at < m->dimensions)
			v.shown[at] |= scenario->dimension[i].is_shown;
	}
	ret = print_title(out, &v);
	if (ret == 0)
		ret = terminal_table(out, &v);
	if (ret)
		return ret;
	fputc('\n', out);
	ret = terminal_claims(out, &v);
	print_modelled(out, document);
	print_skipped(out, scenario, plan);
	print_host(out, json_object_get(document, "host"));
	return ret;
}
