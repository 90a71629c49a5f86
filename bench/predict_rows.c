/* SPDX-License-Identifier: MIT */
/* Runs the model for all that was asked for. */
#include "bench/predict_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

double predict_error_percent(double modelled_ms, double measured_ms)
{
	return (modelled_ms / measured_ms - 1) * 100;
}

static int add(struct predict_rows *r, struct predict_row row)
{
	struct predict_row *grown = realloc(r->row, (r->count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	r->row = grown;
	r->row[r->count++] = row;
	return 0;
}

/* --- costs that were given --------------------------------------------------------------------- */

static int add_given(struct predict_rows *r, struct predict_machine m)
{
	struct predict_row row = {.mode = m.mode, .vps = m.vps, .cores = m.cores};

	if (predict_bring_up(&m, &row.modelled_ms))
		return -ENOMEM;
	return add(r, row);
}

static bool is_any(const bool *mode)
{
	return memchr(mode, true, PREDICT_MODES * sizeof(*mode));
}

int predict_rows_of_costs(struct predict_rows *r, const struct predict_options *o)
{
	struct predict_machine m = o->given;
	int ret = 0;

	for (unsigned mode = 0; ret == 0 && mode < PREDICT_MODES; mode++) {
		if (is_any(o->mode) && !o->mode[mode])
			continue;
		m.mode = mode;
		for (size_t i = 0; ret == 0 && i < o->cpus.count; i++) {
			size_t j = 0;

			m.vps = o->cpus.value[i];
			do {
				m.cores = o->cores.count ? o->cores.value[j] : m.vps;
				ret = add_given(r, m);
			} while (ret == 0 && ++j < o->cores.count);
		}
	}
	return ret;
}

/* --- costs that were fitted -------------------------------------------------------------------- */

/* Bring-up, and SynIC set-up where that was measured; row says what both have in common. */
static int add_fitted(struct predict_rows *r, const struct predict_set *s,
		      const struct predict_fit *f, struct predict_row row,
		      const struct predict_sample *measured)
{
	struct predict_machine m = predict_machine_at(s, f, row.vps, row.cores);
	int ret = predict_bring_up(&m, &row.modelled_ms);

	row.mode = m.mode;
	row.measured_ms = row.is_held_out ? measured->bring_up_ms : 0;
	if (ret == 0)
		ret = add(r, row);
	if (ret || measured->synic_ms <= 0)
		return ret;
	row.is_synic = true;
	row.measured_ms = row.is_held_out ? measured->synic_ms : 0;
	row.modelled_ms = predict_set_synic_ms(s, f, row.vps, row.cores);
	return add(r, row);
}

static int add_held_out(struct predict_rows *r, const struct predict_set *s, size_t i)
{
	struct predict_row row = {.is_held_out = true,
				  .vps = s->sample[i].vps,
				  .cores = s->machine.cores};
	struct predict_fit f;
	int ret = predict_fit(&f, s, i);

	return ret ? ret : add_fitted(r, s, &f, row, &s->sample[i]);
}

static int add_predicted(struct predict_rows *r, const struct predict_set *s,
			 const struct predict_fit *f, uint32_t vps, uint32_t cores)
{
	const struct predict_sample *largest = &s->sample[s->samples - 1];
	struct predict_row row = {.vps = vps, .cores = cores};

	if (vps > largest->vps)
		row.beyond = (double)vps / largest->vps;
	return add_fitted(r, s, f, row, largest);
}

int predict_rows_of_set(struct predict_rows *r, const struct predict_options *o,
			const struct predict_set *s, const struct predict_fit *f)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && s->samples > 1 && i < s->samples; i++)
		ret = add_held_out(r, s, i);
	for (size_t i = 0; ret == 0 && i < o->cpus.count; i++) {
		size_t j = 0;

		do
			ret = add_predicted(r, s, f, o->cpus.value[i],
					    o->cores.count ? o->cores.value[j] : s->machine.cores);
		while (ret == 0 && ++j < o->cores.count);
	}
	return ret;
}

void predict_rows_fini(struct predict_rows *r)
{
	free(r->row);
	*r = (struct predict_rows){0};
}
