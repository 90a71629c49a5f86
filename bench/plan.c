/* SPDX-License-Identifier: MIT */
/* What a measurement is going to run: a scenario's matrix as the command line wants it. */
#include "bench/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell_view.h"

static const char *setting_find(const struct plan_settings *s, const char *key)
{
	for (size_t i = 0; i < s->count; i++) {
		if (strcmp(s->setting[i].key, key) == 0)
			return s->setting[i].list;
	}
	return NULL;
}

static bool scenario_varies(const struct scenario *scenario, const char *key)
{
	for (size_t i = 0; i < scenario->dimensions; i++) {
		if (strcmp(scenario->dimension[i].key, key) == 0)
			return true;
	}
	return false;
}

static int set_dimensions(struct plan *p, const struct scenario *scenario,
			  const struct plan_settings *settings, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < settings->count; i++) {
		const struct plan_setting *new = &settings->setting[i];

		if (!scenario_varies(scenario, new->key))
			ret = matrix_set(&p->matrix, new->key, new->list, e);
	}
	for (size_t i = 0; ret == 0 && i < scenario->dimensions; i++) {
		const struct scenario_dimension *d = &scenario->dimension[i];
		const char *list = setting_find(settings, d->key);

		ret = matrix_set(&p->matrix, d->key, list ? list : d->values, e);
	}
	for (size_t i = 0; ret == 0 && i < scenario->zips; i++)
		ret = matrix_zip(&p->matrix, scenario->zip[i], e);
	return ret ? ret : matrix_check(&p->matrix, e);
}

static int check_size(const struct matrix *m, size_t repeats, struct err *e)
{
	size_t cells = matrix_cells(m), runs;

	if (cells == SIZE_MAX)
		return err_set(e, EINVAL, "the matrix has more cells than can be counted");
	if (__builtin_mul_overflow(cells, repeats, &runs) || runs > PLAN_RUNS_MAX)
		return err_set(e, EINVAL, "%zu cells, %zu times each, are more than %d runs", cells,
			       repeats, PLAN_RUNS_MAX);
	return 0;
}

/* Whether a condition leaves the cell out: the first that does counts it. */
static bool is_skipped(struct plan *p, const struct scenario *scenario, size_t index)
{
	struct cell cell;

	matrix_cell(&p->matrix, index, &cell);
	for (size_t i = 0; i < scenario->skips; i++) {
		if (cell_holds(&p->matrix, &cell, &scenario->skip[i])) {
			p->skipped[i]++;
			return true;
		}
	}
	return false;
}

static int choose_cells(struct plan *p, const struct scenario *scenario, struct err *e)
{
	size_t cells = matrix_cells(&p->matrix);
	char text[CONDITION_TEXT_SIZE];

	p->cell = calloc(cells, sizeof(*p->cell));
	if (!p->cell)
		return err_set(e, ENOMEM, "out of memory");
	for (size_t i = 0; i < cells; i++) {
		if (!is_skipped(p, scenario, i))
			p->cell[p->cells++] = i;
	}
	for (size_t i = 0; p->cells == 0 && i < scenario->skips; i++) {
		if (p->skipped[i])
			return err_set(e, ENODEV,
				       "nothing to run: of %zu cells %zu are skipped, as %s", cells,
				       p->skipped[i],
				       cell_condition_text(&scenario->skip[i], text));
	}
	return 0;
}

int plan_build(struct plan *p, const struct scenario *scenario,
	       const struct plan_settings *settings, size_t repeats, struct err *e)
{
	int ret;

	*p = (struct plan){.cells = 0};
	ret = set_dimensions(p, scenario, settings, e);
	if (ret == 0)
		ret = check_size(&p->matrix, repeats, e);
	return ret ? ret : choose_cells(p, scenario, e);
}

size_t plan_skipped(const struct plan *p)
{
	size_t cells = 0;

	for (size_t i = 0; i < SCENARIO_SKIPS; i++)
		cells += p->skipped[i];
	return cells;
}

json_t *plan_skipped_json(const struct plan *p, const struct scenario *scenario)
{
	json_t *list = json_array();

	for (size_t i = 0; i < scenario->skips; i++) {
		char text[CONDITION_TEXT_SIZE];
		json_t *row;

		if (p->skipped[i] == 0)
			continue;
		row = json_pack("{s:s, s:I}", "condition", condition_text(&scenario->skip[i], text),
				"cells", (json_int_t)p->skipped[i]);
		if (json_array_append_new(list, row)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

void plan_fini(struct plan *p)
{
	matrix_fini(&p->matrix);
	free(p->cell);
	*p = (struct plan){.cells = 0};
}
