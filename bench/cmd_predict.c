/* SPDX-License-Identifier: MIT */
/* `vpup predict`: bring-up times of machines that are not there, from a model. */
#include "bench/cmd_predict.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/predict_options.h"
#include "bench/predict_print.h"
#include "bench/result_file.h"
#include "vmm/cli.h"
#include "vmm/result.h"

#define CMD "predict"

/* Where predictions go. */
struct output {
	FILE *text;       /* NULL: nowhere */
	bool want_json;   /* document is to be made */
	json_t *document; /* owned */
};

static int fail_memory(void)
{
	cli_fail(CMD, "out of memory");
	return VPUP_EXIT_HOST;
}

/* Takes the document that was made where one is wanted. Returns an exit status. */
static int finish(struct output *out, json_t *document)
{
	out->document = document;
	return out->want_json && !document ? fail_memory() : VPUP_EXIT_OK;
}

static int predict_published(struct output *out)
{
	if (out->text && predict_print_claims(out->text))
		return fail_memory();
	return finish(out, out->want_json ? predict_json_claims() : NULL);
}

static int predict_given(const struct predict_options *o, struct output *out)
{
	struct predict_rows rows = {0};
	int status;

	if (predict_rows_of_costs(&rows, o)) {
		status = fail_memory();
	} else {
		if (out->text)
			predict_print_costs(out->text, &rows);
		status = finish(out, out->want_json ? predict_json_costs(o, &rows) : NULL);
	}
	predict_rows_fini(&rows);
	return status;
}

/* Predicts by one set, and adds it to sets. 0 or -ENOMEM. */
static int predict_set(const struct predict_options *o, const struct predict_set *s,
		       struct output *out, json_t *sets)
{
	struct predict_rows rows = {0};
	struct predict_fit f;
	int ret = predict_fit(&f, s, s->samples);

	if (ret == 0)
		ret = predict_rows_of_set(&rows, o, s, &f);
	if (ret == 0 && out->text)
		predict_print_set(out->text, s, &f, &rows);
	if (ret == 0 && out->want_json &&
	    json_array_append_new(sets, predict_json_set(s, &f, &rows)))
		ret = -ENOMEM;
	predict_rows_fini(&rows);
	return ret;
}

static int predict_sets(const struct predict_options *o, const struct predict_sets *sets,
			struct output *out)
{
	json_t *list = json_array();

	if (out->text)
		fputs("\"modelled\" was not measured: docs/predict.md says what the model leaves "
		      "out.\n\n",
		      out->text);
	for (size_t i = 0; i < sets->count; i++) {
		if (predict_set(o, &sets->set[i], out, list)) {
			json_decref(list);
			return fail_memory();
		}
	}
	if (out->want_json)
		return finish(out, predict_json_sets(o->file, list));
	json_decref(list);
	return VPUP_EXIT_OK;
}

static int predict_file(const struct predict_options *o, struct output *out)
{
	struct predict_sets sets = {.count = 0};
	struct err e;
	json_t *document = result_file_read(o->file, &e);
	int ret = document ? predict_sets_read(&sets, document, &e) : -EINVAL;
	int status;

	if (!document)
		status = cli_fail(CMD, "%s", e.text);
	else if (ret)
		status = cli_fail(CMD, "'%s': %s", o->file, e.text);
	else
		status = predict_sets(o, &sets, out);
	predict_sets_fini(&sets);
	json_decref(document);
	return status;
}

static int predict(const struct predict_options *o, struct output *out)
{
	if (o->claims)
		return predict_published(out);
	return o->have_costs ? predict_given(o, out) : predict_file(o, out);
}

/* Puts out what was made. Returns an exit status. */
static int commit(struct output *out, struct outfile *file)
{
	struct err e;

	if (out->text && fflush(out->text)) {
		cli_fail(CMD, "can't write to stdout: %s", strerror(errno));
		return VPUP_EXIT_HOST;
	}
	if (out->want_json && result_commit(out->document, file, &e)) {
		cli_fail(CMD, "%s", e.text);
		return VPUP_EXIT_HOST;
	}
	return VPUP_EXIT_OK;
}

int cmd_predict(int argc, char **argv)
{
	struct outfile file = {.f = NULL};
	struct output out = {.text = stdout};
	struct predict_options o;
	struct err e;
	int status;

	if (!predict_options_parse(&o, argc, argv, &status))
		return status;
	if (o.json && outfile_open(&file, o.json, &e))
		return cli_fail(CMD, "%s", e.text);
	out.want_json = o.json != NULL;
	if (o.json && strcmp(o.json, "-") == 0)
		out.text = NULL;
	status = predict(&o, &out);
	if (status == VPUP_EXIT_OK)
		status = commit(&out, &file);
	outfile_abort(&file);
	json_decref(out.document);
	return status;
}
