/* SPDX-License-Identifier: MIT */
/* `vpup bench`: from a command line to a table and a result file. */
#include "bench/cmd_bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_options.h"
#include "bench/claim.h"
#include "bench/session.h"
#include "bench/stop.h"
#include "bench/summary.h"
#include "bench/term_style.h"
#include "bench/terminal.h"
#include "vmm/cli.h"
#include "vmm/result.h"

#define CMD "bench"

struct bench {
	struct bench_options options;
	json_t *document;
	struct outfile json; /* open from the beginning, so that hours of work have a place to go */
	struct stop stop;
};

static int host_fail(const struct err *e)
{
	cli_fail(CMD, "%s", e->text);
	return VPUP_EXIT_HOST;
}

/* What was computed from the runs, into the document. */
static int bench_conclude(struct bench *b, const struct summary *summary, struct err *e)
{
	const struct bench_options *o = &b->options;
	int ret = json_object_set_new(b->document, "summary", summary_json(summary));

	if (ret == 0 && o->scenario.claims)
		ret = json_object_set_new(b->document, "claims",
					  claims_json(&o->scenario, &o->plan.matrix, summary));
	if (ret == 0 && plan_skipped(&o->plan))
		ret = json_object_set_new(b->document, "skipped",
					  plan_skipped_json(&o->plan, &o->scenario));
	return ret ? err_set(e, ENOMEM, "no summary: out of memory") : 0;
}

static bool bench_shows_table(const struct bench_options *o)
{
	return !o->json || strcmp(o->json, "-") != 0;
}

/* Summary, table and file of all runs that were finished. Returns an exit status. */
static int bench_report(struct bench *b)
{
	const struct bench_options *o = &b->options;
	const json_t *runs = json_object_get(b->document, "runs");
	struct summary summary;
	struct err e;
	int ret = summary_compute(&summary, runs, &e);
	char broken[CLAIMS_TEXT_SIZE];
	size_t breaks;

	if (ret == 0)
		ret = bench_conclude(b, &summary, &e);
	if (ret == 0 && json_array_size(runs) && bench_shows_table(o) &&
	    terminal_print(stdout, &o->scenario, &o->plan, b->document, &summary))
		ret = err_set(&e, ENOMEM, "no table: out of memory");
	breaks = o->check ? claims_broken(&o->scenario, &o->plan.matrix, &summary, broken) : 0;
	summary_fini(&summary);
	if (ret == 0 && fflush(stdout))
		ret = err_set(&e, errno, "can't write standard output: %s", strerror(errno));
	if (ret == 0 && o->json && json_array_size(runs)) /* else an old file is worth more */
		ret = result_commit(b->document, &b->json, &e);
	if (ret)
		return host_fail(&e);
	if (breaks)
		cli_fail(CMD, "claims that do not hold: %s", broken);
	return breaks ? VPUP_EXIT_FAIL : VPUP_EXIT_OK;
}

static int bench_run(struct bench *b, char **argv)
{
	const struct term_style style = term_style_of(stderr);
	const struct session session = {
		.scenario = &b->options.scenario,
		.matrix = &b->options.plan.matrix,
		.cell = b->options.plan.cell,
		.cells = b->options.plan.cells,
		.repeats = b->options.repeats,
		.timeout_s = b->options.timeout_s,
		.exe = "/proc/self/exe",
		.stop_fd = b->stop.fd,
		.progress_to = !b->options.quiet && style.is_terminal ? stderr : NULL,
		.progress_width = style.width,
	};
	struct err e;
	int status, reported;

	b->document = result_document(session.scenario->name, NULL, argv);
	if (!b->document) {
		err_set(&e, ENOMEM, "out of memory");
		return host_fail(&e);
	}
	status = session_run(&session, b->document, &e);
	if (status == SESSION_STOPPED)
		cli_fail(CMD, "stopped; what was finished is kept");
	else if (status)
		cli_fail(CMD, "%s", e.text);
	reported = bench_report(b);
	if (status == 0 && reported == 0 && (b->options.judge.baseline || b->options.judge.against))
		return bench_judge(&b->options.judge, b->document,
				   bench_shows_table(&b->options) ? stdout : stderr);
	return status ? status : reported;
}

int cmd_bench(int argc, char **argv)
{
	struct bench b = {.stop.fd = -1};
	int status = VPUP_EXIT_OK;
	struct err e;

	if (!bench_options_parse(&b.options, argc, argv, &status))
		goto out;
	if (b.options.json && outfile_open(&b.json, b.options.json, &e)) {
		status = cli_fail(CMD, "%s", e.text);
		goto out;
	}
	status = stop_open(&b.stop, &e) ? host_fail(&e) : bench_run(&b, argv);
	outfile_abort(&b.json);
	if (status == SESSION_STOPPED) {
		status = VPUP_EXIT_FAIL; /* for the case that the signal does not end us */
		stop_die(&b.stop);
	}
out:
	stop_close(&b.stop);
	json_decref(b.document);
	bench_options_fini(&b.options);
	return status;
}
