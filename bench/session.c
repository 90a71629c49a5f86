/* SPDX-License-Identifier: MIT */
/* Runs the cells of a measurement one after the other. */
#include "bench/session.h"

#include <errno.h>
#include <string.h>

#include "bench/progress.h"
#include "bench/runner.h"
#include "vmm/cli.h"
#include "vmm/result.h"

#define DEADLINE_GRACE_S 10 /* for a child that does not keep its own --timeout */

static void tick(void *ctx)
{
	progress_show(ctx);
}

/* Sees that the run did what the cell says, as far as it tells, and adds the rest. */
static int take_params(const json_t *run, const struct matrix *m, const struct cell *cell,
		       struct err *e)
{
	json_t *params = json_object_get(run, "params");

	for (size_t i = 0; i < m->dimensions; i++) {
		const struct dimension_kind *kind = m->dimension[i].kind;
		json_t *wanted = matrix_param(kind, cell->value[i]);
		bool is_equal = json_equal(json_object_get(params, kind->key), wanted);

		if (!wanted)
			return err_set(e, ENOMEM, "out of memory");
		if (kind->is_told) {
			json_decref(wanted);
			if (!is_equal)
				return err_set(e, EINVAL, "the run reports another value of %s",
					       kind->key);
		} else if (json_object_set_new(params, kind->key, wanted)) {
			return err_set(e, ENOMEM, "out of memory");
		}
	}
	return 0;
}

static int check_metrics(const json_t *run, const struct scenario *scenario, struct err *e)
{
	double value;

	for (size_t i = 0; i < scenario->requireds; i++) {
		if (!result_metric(run, scenario->required[i], &value))
			return err_set(e, EINVAL, "the run reports no %s", scenario->required[i]);
	}
	return 0;
}

/* Moves the child's only run into the document. Returns 0 or an exit status with e set. */
static int session_take(const struct session *s, const struct cell *cell, json_t *document,
			json_t *child, struct err *e)
{
	json_t *run = json_array_get(json_object_get(child, "runs"), 0);
	int ret = take_params(run, s->matrix, cell, e);

	if (ret == 0)
		ret = check_metrics(run, s->scenario, e);
	if (ret)
		return VPUP_EXIT_BUG;
	if (json_object_size(json_object_get(document, "host")) == 0)
		ret = json_object_set(document, "host", json_object_get(child, "host"));
	if (ret || result_add_run(document, json_incref(run))) {
		err_set(e, ENOMEM, "out of memory");
		return VPUP_EXIT_HOST;
	}
	return 0;
}

/* What runs the cell: another program only where the matrix varies that. */
static const char *session_exe(const struct session *s, const struct cell *cell)
{
	for (size_t i = 0; i < s->matrix->dimensions; i++) {
		const struct dimension_kind *kind = s->matrix->dimension[i].kind;

		if (kind->goes == TO_EXE && strcmp(cell->value[i], kind->neutral) != 0 &&
		    strcmp(cell->value[i], MATRIX_QEMU) != 0)
			return cell->value[i];
	}
	return s->exe;
}

/* at: position in s->cell. */
static int session_cell(const struct session *s, size_t at, struct progress *p, json_t *document,
			struct err *e)
{
	struct runner runner = {
		.deadline_s = s->timeout_s + DEADLINE_GRACE_S,
		.stop_fd = s->stop_fd,
		.tick = tick,
		.ctx = p,
	};
	struct cell_command command;
	char label[CELL_TEXT_SIZE];
	struct cell cell;
	struct err why;
	json_t *child;
	int ret;

	matrix_cell(s->matrix, s->cell[at], &cell);
	matrix_cell_command(s->matrix, &cell, s->timeout_s, &command);
	runner.exe = session_exe(s, &cell);
	progress_begin(p, at, matrix_cell_text(s->matrix, &cell, false, label));
	ret = runner_run(&runner, command.argv, &child, &why);
	if (ret == 0) {
		ret = session_take(s, &cell, document, child, &why);
		json_decref(child);
	}
	if (ret > 0)
		err_set(e, EIO, "%s: %s", label, why.text);
	if (ret == 0)
		progress_end(p);
	p->label = ""; /* it is ours, and gone with us */
	return ret;
}

int session_run(const struct session *s, json_t *document, struct err *e)
{
	struct progress p;
	int ret = 0;

	if (progress_init(&p, s->progress_to, s->progress_width, s->cells, s->repeats)) {
		err_set(e, ENOMEM, "out of memory");
		ret = VPUP_EXIT_HOST;
	}
	for (size_t run = 0; ret == 0 && run < s->cells * s->repeats; run++)
		ret = session_cell(s, run % s->cells, &p, document, e);
	progress_fini(&p);
	if (ret && json_object_set_new(document, "incomplete", json_true()))
		return VPUP_EXIT_HOST; /* no memory; e says already that something is wrong */
	return ret;
}
