/* SPDX-License-Identifier: MIT */
/* One run of the guest's conformance tests in a child process. */
#include "bench/conformance_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/runner.h"
#include "bench/tap.h"
#include "vmm/cli.h"

#define DEADLINE_EXTRA 10 /* s from the child's own timeout until it is killed */

/* KVM's own Hyper-V fills its page with VMCALL, which works there. */
static const char *append_end(const struct conformance_run *r)
{
	return strcmp(r->hyperv, "kernel") == 0 ? " quiet vmcall=ok" : " quiet";
}

static int run_guest(struct conformance_run *r, const struct conformance_setup *s,
		     const char *append)
{
	const char *args[] = {"vpup",      "run",      "--json",   "-",     "--quiet",
			      "--hyperv",  r->hyperv,  "--cpus",   s->cpus, "--hv-testdev",
			      "--timeout", s->timeout, "--append", append,  r->hv ? "--hv" : NULL,
			      r->hv,       NULL};
	const struct runner runner = {
		.exe = "/proc/self/exe",
		.deadline_s = s->timeout_s + DEADLINE_EXTRA,
		.stop_fd = s->stop_fd,
		.keep_failed = true,
	};

	return runner_run(&runner, (char *const *)args, &r->document, &r->e);
}

/* What the run's status and its lines come to. e is why, where the guest did not say it. */
static void judge(struct conformance_run *r)
{
	struct tap_counts n = tap_count(r->tap);

	if (r->status == VPUP_EXIT_OK && (!n.planned || n.failed)) {
		err_set(&r->e, EPROTO, "the guest's tests did not come to their end");
		r->status = VPUP_EXIT_FAIL;
	} else {
		r->told = r->status == VPUP_EXIT_OK ||
			  (r->status == VPUP_EXIT_FAIL && n.planned && n.failed);
	}
}

void conformance_run(struct conformance_run *r, const struct conformance_setup *s)
{
	char *append;

	r->told = false;
	r->document = NULL;
	r->tap = NULL;
	if (asprintf(&append, "test=%s%s", s->tests, append_end(r)) < 0) {
		err_set(&r->e, ENOMEM, "out of memory");
		r->status = VPUP_EXIT_HOST;
		return;
	}
	r->status = run_guest(r, s, append);
	free(append);
	if (r->status == RUNNER_STOPPED)
		return;
	r->tap = json_string_value(
		json_object_get(json_array_get(json_object_get(r->document, "runs"), 0), "tap"));
	judge(r);
}

void conformance_run_free(struct conformance_run *r)
{
	json_decref(r->document);
	r->document = NULL;
	r->tap = NULL;
}

/* How a mode's default set has to change: '+', '-' or, not at all, 0. */
static char change(const struct hv_feature_row *row, enum hv_mode mode)
{
	if (row->modes == (HV_MODE_USER | HV_MODE_KERNEL))
		return row->default_for && !(row->default_for & mode) ? '+' : 0;
	return row->default_for & mode ? '-' : 0;
}

char *conformance_common_features(enum hv_mode mode, const char *extra)
{
	char *list = NULL;
	size_t size;
	FILE *out = open_memstream(&list, &size);
	const char *comma = "";

	if (!out)
		return NULL;
	for (unsigned f = 0; f < HV_FEATURES; f++) {
		const struct hv_feature_row *row = hv_feature_row(f);
		char sign = change(row, mode);

		if (!sign)
			continue;
		fprintf(out, "%s%c%s", comma, sign, row->name);
		comma = ",";
	}
	if (extra)
		fprintf(out, "%s%s", comma, extra);
	if (fclose(out)) {
		free(list);
		return NULL;
	}
	return list;
}
