/* SPDX-License-Identifier: MIT */
/* The single values that the runs of a cell, or their VPs, have. */
#include "bench/cell_runs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "bench/summary.h"
#include "vmm/result.h"

static int values_add(struct cell_values *values, double value)
{
	double *grown = values->value;

	/* Grows at each power of two. */
	if ((values->count & (values->count - 1)) == 0)
		grown = reallocarray(grown, values->count ? 2 * values->count : 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	values->value = grown;
	grown[values->count++] = value;
	return 0;
}

static int vps_add(struct cell_values *values, const json_t *run, const char *name)
{
	const json_t *vp;
	size_t i;
	int ret = 0;

	json_array_foreach(json_object_get(run, "vps"), i, vp)
	{
		const json_t *value = json_object_get(vp, name);

		if (json_is_number(value))
			ret = values_add(values, json_number_value(value));
		if (ret)
			break;
	}
	return ret;
}

static int collect(struct cell_values *values, const json_t *runs, const struct matrix *m,
		   const struct cell *cell, const char *name, bool of_vps)
{
	json_t *wanted = matrix_cell_params(m, cell);
	const json_t *run;
	size_t i;
	int ret = wanted ? 0 : -ENOMEM;

	*values = (struct cell_values){.count = 0};
	json_array_foreach(runs, i, run)
	{
		double value;

		if (ret)
			break;
		if (!summary_params_match(json_object_get(run, "params"), wanted))
			continue;
		if (of_vps)
			ret = vps_add(values, run, name);
		else if (result_metric(run, name, &value))
			ret = values_add(values, value);
	}
	json_decref(wanted);
	return ret;
}

int cell_run_values(struct cell_values *values, const json_t *runs, const struct matrix *m,
		    const struct cell *cell, const char *metric)
{
	return collect(values, runs, m, cell, metric, false);
}

int cell_vp_values(struct cell_values *values, const json_t *runs, const struct matrix *m,
		   const struct cell *cell, const char *name)
{
	return collect(values, runs, m, cell, name, true);
}

int cell_values_one(struct cell_values *values, const struct stats *s)
{
	*values = (struct cell_values){.count = 0};
	return s ? values_add(values, s->median) : 0;
}

void cell_values_fini(struct cell_values *values)
{
	free(values->value);
	*values = (struct cell_values){.count = 0};
}
