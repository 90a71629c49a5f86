/* SPDX-License-Identifier: MIT */
/* `vpup predict`: bring-up times of machines that are not there, from a model. */
#include "bench/cmd_predict.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/predict_claims.h"
#include "bench/predict_fit.h"
#include "bench/predict_options.h"
#include "bench/result_file.h"
#include "vmm/cli.h"

#define CMD              "predict"
#define LINE_MAX_COLUMNS 96
#define SHOWN_US         0.05 /* costs below it are not worth a word */

static int fail_memory(void)
{
	cli_fail(CMD, "out of memory");
	return VPUP_EXIT_HOST;
}

static double error_percent(double modelled, double measured)
{
	return (modelled / measured - 1) * 100;
}

/* --- claims ----------------------------------------------------------------------------------- */

static int print_claims(void)
{
	bool fitted = false;

	printf("%-40s  %12s  %11s  %8s\n", "", "published ms", "modelled ms", "error");
	for (const struct predict_claim *c = predict_claims; c->name; c++) {
		double ms;

		if (predict_claim_ms(c, &ms))
			return fail_memory();
		printf("%-40s  %12.4g  %11.4g  %+6.1f %%%s\n", c->name, c->published_ms, ms,
		       error_percent(ms, c->published_ms), c->is_fitted ? " *" : "");
		fitted |= c->is_fitted;
	}
	if (fitted)
		puts("* The costs come from this figure itself: that it agrees shows nothing. See "
		     "docs/predict.md.");
	return VPUP_EXIT_OK;
}

/* --- costs that were given --------------------------------------------------------------------- */

static bool is_any(const bool *mode)
{
	return memchr(mode, true, PREDICT_MODES * sizeof(*mode));
}

static int print_given(const struct predict_options *o)
{
	puts("Modelled, not measured. smp_bringup_ms:\n");
	printf("%-7s %7s %7s %12s\n", "smp", "cpus", "cores", "modelled ms");
	for (unsigned mode = 0; mode < PREDICT_MODES; mode++) {
		if (is_any(o->mode) && !o->mode[mode])
			continue;
		for (size_t i = 0; i < o->cpus.count; i++) {
			struct predict_machine m = o->given;
			size_t j = 0;

			m.mode = mode;
			m.vps = o->cpus.value[i];
			do {
				double ms;

				m.cores = o->cores.count ? o->cores.value[j] : m.vps;
				if (predict_bring_up(&m, &ms))
					return fail_memory();
				printf("%-7s %7" PRIu32 " %7" PRIu32 " %12.4g\n",
				       predict_mode_name(mode), m.vps, m.cores, ms);
			} while (++j < o->cores.count);
		}
	}
	return VPUP_EXIT_OK;
}

/* --- costs that were fitted -------------------------------------------------------------------- */

static void print_params(const struct predict_set *s)
{
	int column = 0;
	const char *key;
	json_t *value;

	json_object_foreach(s->params, key, value)
	{
		char text[LINE_MAX_COLUMNS];

		if (json_is_string(value))
			snprintf(text, sizeof(text), "%s=%s", key, json_string_value(value));
		else
			snprintf(text, sizeof(text), "%s=%" JSON_INTEGER_FORMAT, key,
				 json_integer_value(value));
		if (column + 1 + (int)strlen(text) > LINE_MAX_COLUMNS) {
			puts("");
			column = 0;
		}
		column += printf("%s%s", column ? " " : "", text);
	}
	puts("");
}

static void print_costs(const struct predict_set *s, const struct predict_fit *f)
{
	const uint32_t least = s->sample[0].vps, most = s->sample[s->samples - 1].vps;
	struct predict_machine low = predict_machine_at(s, f, least, s->machine.cores);
	struct predict_machine high = predict_machine_at(s, f, most, s->machine.cores);

	printf("  costs, fitted: us of each VP, of %" PRIu32 " and of %" PRIu32 "\n", least, most);
	for (unsigned c = 0; c < PREDICT_COSTS; c++) {
		if (low.cost_us[c] >= SHOWN_US || high.cost_us[c] >= SHOWN_US)
			printf("  %-16s %12.4g %12.4g\n", predict_cost_name(c), low.cost_us[c],
			       high.cost_us[c]);
	}
}

static void print_row(const char *what, uint32_t vps, uint32_t cores, double measured,
		      double modelled, const char *note)
{
	printf("  %-9s %6" PRIu32 " %6" PRIu32, what, vps, cores);
	if (measured > 0)
		printf(" %12.4g %12.4g %+8.1f %%", measured, modelled,
		       error_percent(modelled, measured));
	else
		printf(" %12s %12.4g %10s", "-", modelled, "-");
	printf("  %s\n", note);
}

/* Each VP count from a fit without it. */
static int print_held_out(const struct predict_set *s)
{
	for (size_t i = 0; i < s->samples; i++) {
		const struct predict_sample *p = &s->sample[i];
		struct predict_machine m;
		struct predict_fit f;
		double ms;

		if (predict_fit(&f, s, i))
			return -ENOMEM;
		m = predict_machine_at(s, &f, p->vps, s->machine.cores);
		if (predict_bring_up(&m, &ms))
			return -ENOMEM;
		print_row("bring-up", p->vps, m.cores, p->bring_up_ms, ms, "held out");
		if (p->synic_ms > 0)
			print_row("synic", p->vps, m.cores, p->synic_ms,
				  predict_set_synic_ms(s, &f, p->vps, m.cores), "held out");
	}
	return 0;
}

static int print_predicted(const struct predict_set *s, const struct predict_fit *f, uint32_t vps,
			   uint32_t cores)
{
	const struct predict_sample *largest = &s->sample[s->samples - 1];
	struct predict_machine m = predict_machine_at(s, f, vps, cores);
	char note[64] = "modelled";
	double ms;

	if (vps > largest->vps)
		snprintf(note, sizeof(note), "modelled, %.3g times as many VPs",
			 (double)vps / largest->vps);
	if (predict_bring_up(&m, &ms))
		return -ENOMEM;
	print_row("bring-up", vps, cores, 0, ms, note);
	if (largest->synic_ms > 0)
		print_row("synic", vps, cores, 0, predict_set_synic_ms(s, f, vps, cores), note);
	return 0;
}

static int print_set(const struct predict_options *o, const struct predict_set *s)
{
	struct predict_fit f;
	int ret = predict_fit(&f, s, s->samples);

	if (ret)
		return ret;
	print_params(s);
	print_costs(s, &f);
	printf("  %-9s %6s %6s %12s %12s %10s\n", "", "cpus", "cores", "measured ms", "modelled ms",
	       "error");
	if (s->samples > 1)
		ret = print_held_out(s);
	else
		puts("  one VP count was measured: the costs are taken as the same at all, and "
		     "nothing checks that");
	for (size_t i = 0; ret == 0 && i < o->cpus.count; i++) {
		size_t j = 0;

		do
			ret = print_predicted(s, &f, o->cpus.value[i],
					      o->cores.count ? o->cores.value[j]
							     : s->machine.cores);
		while (ret == 0 && ++j < o->cores.count);
	}
	puts("");
	return ret;
}

static int predict_file(const struct predict_options *o)
{
	struct predict_sets sets = {.count = 0};
	struct err e;
	json_t *document = result_file_read(o->file, &e);
	int ret = document ? predict_sets_read(&sets, document, &e) : -EINVAL;
	int status = VPUP_EXIT_OK;

	if (!document)
		status = cli_fail(CMD, "%s", e.text);
	else if (ret)
		status = cli_fail(CMD, "'%s': %s", o->file, e.text);
	else
		puts("\"modelled\" was not measured: docs/predict.md says what the model leaves "
		     "out.\n");
	for (size_t i = 0; status == VPUP_EXIT_OK && i < sets.count; i++) {
		if (print_set(o, &sets.set[i]))
			status = fail_memory();
	}
	predict_sets_fini(&sets);
	json_decref(document);
	return status;
}

int cmd_predict(int argc, char **argv)
{
	struct predict_options o;
	int status;

	if (!predict_options_parse(&o, argc, argv, &status))
		return status;
	if (o.claims)
		status = print_claims();
	else if (o.have_costs)
		status = print_given(&o);
	else
		status = predict_file(&o);
	return fflush(stdout) && status == VPUP_EXIT_OK ? VPUP_EXIT_HOST : status;
}
