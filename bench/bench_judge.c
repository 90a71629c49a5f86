/* SPDX-License-Identifier: MIT */
/* Judges a measurement as soon as it is made. */
#include "bench/bench_judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/judge.h"
#include "bench/result_file.h"
#include "vmm/cli.h"

#define CMD "bench"

char *bench_judge_impl(const char *against, struct err *e)
{
	struct stat st;
	char *list;

	if (strchr(against, '"')) {
		err_set(e, EINVAL, "--against: a path with a double quote can't be used");
		return NULL;
	}
	if (stat(against, &st) || access(against, X_OK)) {
		err_set(e, errno, "--against: can't run '%s': %s", against, strerror(errno));
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		err_set(e, EINVAL, "--against: '%s' is not a program", against);
		return NULL;
	}
	if (asprintf(&list, "\"%s\",vpup", against) < 0) {
		err_set(e, ENOMEM, "out of memory");
		return NULL;
	}
	return list;
}

/* Whether the run is one of the cell's, as far as both say. */
static bool run_is_of_cell(const json_t *run, json_t *wanted)
{
	const json_t *params = json_object_get(run, "params");
	const char *key;
	json_t *value;

	json_object_foreach(wanted, key, value)
	{
		const json_t *there = json_object_get(params, key);

		if (there && !json_equal(there, value))
			return false;
	}
	return true;
}

static bool has_cell(const json_t *runs, const struct matrix *m, size_t index)
{
	struct cell cell;
	const json_t *run;
	json_t *wanted;
	bool found = false;
	size_t i;

	matrix_cell(m, index, &cell);
	wanted = matrix_cell_params(m, &cell);
	json_array_foreach(runs, i, run) found = found || run_is_of_cell(run, wanted);
	json_decref(wanted);
	return found;
}

int bench_judge_open(struct bench_judge *j, const struct plan *plan, struct err *e)
{
	const json_t *runs;

	if (!j->baseline)
		return 0;
	j->earlier = result_file_read(j->baseline, e);
	if (!j->earlier)
		return -EINVAL;
	runs = json_object_get(j->earlier, "runs");
	for (size_t i = 0; i < plan->cells; i++) {
		if (has_cell(runs, &plan->matrix, plan->cell[i]))
			return 0;
	}
	return err_set(e, EINVAL, "--baseline: '%s' has none of the cells that are to be measured",
		       j->baseline);
}

/* The document with only those runs whose impl is, or is not, `impl`: a new reference. */
static json_t *runs_of(const json_t *document, const char *impl, bool is_wanted)
{
	json_t *part = json_copy((json_t *)document), *runs = json_array(), *run;
	size_t i;
	int bad = 0;

	json_array_foreach(json_object_get(document, "runs"), i, run)
	{
		const char *its =
			json_string_value(json_object_get(json_object_get(run, "params"), "impl"));

		if ((its && strcmp(its, impl) == 0) == is_wanted)
			bad |= json_array_append(runs, run);
	}
	if (json_object_set_new(part, "runs", runs) || bad) {
		json_decref(part);
		return NULL;
	}
	return part;
}

static int judge_against(struct judge *judge, const json_t *document, const char *against)
{
	json_t *base = runs_of(document, against, true), *new = runs_of(document, against, false);
	json_t *ignored = json_pack("{s:b}", "impl", 1);
	int status = VPUP_EXIT_HOST;

	judge->ignored = ignored;
	judge->options.is_interleaved = true;
	if (base && new &&ignored)
		status = judge_documents(judge, base, new);
	else
		cli_fail(CMD, "out of memory");
	json_decref(ignored);
	json_decref(new);
	json_decref(base);
	return status;
}

int bench_judge(const struct bench_judge *j, const json_t *document, FILE *out)
{
	struct judge judge = {
		.cmd = CMD,
		.options = {COMPARE_ALPHA, COMPARE_MIN_EFFECT, false},
		.names = {j->baseline ? j->baseline : j->against, "this measurement"},
		.out = out,
	};

	fprintf(out, "\n%s (base), and this measurement (new):\n\n", judge.names[0]);
	if (j->against)
		return judge_against(&judge, document, j->against);
	return judge_documents(&judge, j->earlier, document);
}

void bench_judge_close(struct bench_judge *j)
{
	json_decref(j->earlier);
}
