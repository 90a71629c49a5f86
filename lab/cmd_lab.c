/* SPDX-License-Identifier: MIT */
/* `vpup lab`: any command of vpup inside a nested L1. */
#include "lab/cmd_lab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/stop.h"
#include "lab/cache.h"
#include "lab/fetch.h"
#include "lab/image.h"
#include "lab/l1_kernel.h"
#include "lab/l1_paths.h"
#include "lab/lab_options.h"
#include "lab/levels.h"
#include "lab/needs.h"
#include "lab/rig.h"
#include "lab/timeline_merge.h"
#include "lab/words.h"
#include "vmm/cli.h"
#include "vmm/file.h"
#include "vmm/outfile.h"

#define CMD "lab"

/*
 * tsc=reliable: L1's TSC is the host's. panic=-1: a panic ends L1 at once, which the engine takes for
 * the end of the run. What follows "--" are arguments of init.
 */
#define L1_APPEND "console=ttyS0 tsc=reliable panic=-1 rdinit=" L1_VPUP

struct lab {
	struct lab_options o;
	struct cache cache;
	struct words words;
	struct files files; /* what COMMAND needs in L1 */
	char **command;     /* owned: what L1's vpup is to do */
	struct l1_kernel kernel;
	uint8_t *image;
	size_t image_bytes;
	struct stop stop;
};

static int fail(int status, const struct err *e)
{
	cli_fail(CMD, "%s", e->text);
	return status;
}

/* What was asked for, or what this host lacks? */
static int status_of(int ret)
{
	return ret == -EINVAL || ret == -EISDIR ? VPUP_EXIT_USAGE : VPUP_EXIT_HOST;
}

static int read_inputs(struct lab *l)
{
	char *const timeline[] = {"lab", "--timeline", (char *)l->o.timeline, NULL};
	struct err e;
	int ret = words_find(&l->words, l->o.command, &e);

	if (ret == 0 && l->o.timeline)
		ret = words_find(&l->words, timeline, &e);
	if (ret == 0)
		ret = words_add_inputs(&l->words, l->o.command, &l->files, &e);
	return ret ? fail(VPUP_EXIT_USAGE, &e) : 0;
}

/* A file that was asked for and is not there is the user's to mend. */
static int read_kernel(struct lab *l)
{
	const struct l1_kernel_wanted wanted = {
		.kernel = l->o.l1_kernel,
		.modules = l->o.l1_modules,
		.kvm_module = engine_kvm_module(l->o.engine),
	};
	struct err e;
	int ret = l1_kernel_get(&l->kernel, &l->cache, &wanted, &e);

	if (ret == 0)
		return 0;
	return fail(l->o.l1_modules ? VPUP_EXIT_USAGE : status_of(ret), &e);
}

static int add_needs(struct lab *l)
{
	struct err e;

	return needs_add(&l->files, l->o.command, &e) ? fail(VPUP_EXIT_USAGE, &e) : 0;
}

static int make_image(struct lab *l)
{
	struct err e;
	int ret = levels_command(&l->command, &l->o, &e);

	if (ret == 0)
		ret = levels_add_files(&l->files, &l->o, &l->kernel, &e);
	if (ret == 0)
		ret = image_base(&l->cache, &l->kernel.modules, &l->image, &l->image_bytes, &e);
	if (ret == 0)
		ret = image_add_job(&l->image, &l->image_bytes, l->command, &l->words, &l->files,
				    &e);
	return ret ? fail(VPUP_EXIT_HOST, &e) : 0;
}

static void tell_times(const struct rig *r)
{
	double last_s = 0;

	for (size_t i = 0; i < r->marks; i++) {
		fprintf(stderr, "vpup lab: %-16s %7.3f s, at %7.3f s\n", r->mark[i].name,
			r->mark[i].s - last_s, r->mark[i].s);
		last_s = r->mark[i].s;
	}
	fprintf(stderr, "vpup lab: %-16s %7.3f s, at %7.3f s\n", "end", r->run_s - last_s,
		r->run_s);
}

/* A file that is missing counts as one that is different from any. */
static bool is_same(const struct stat *before, const char *path)
{
	struct stat now;

	return stat(path, &now) == 0 && file_is_same(before, &now);
}

/* from: COMMAND's timeline, and what was there before it ran. */
static int write_timeline(const struct lab *l, const struct rig *r, const char *from,
			  const struct stat *before)
{
	struct err e;

	if (from && is_same(before, from))
		from = NULL; /* COMMAND did not come to it */
	if (timeline_merge_write(l->o.timeline, r, from, &e))
		return fail(VPUP_EXIT_HOST, &e);
	return 0;
}

static int run_l1(struct lab *l, const char *append, const char *failure_log)
{
	const struct engine_config machine = {
		.cpus = (uint32_t)l->o.l1_cpus,
		.memory_bytes = l->o.l1_memory_bytes,
		.append = append,
		.hyperv = l->o.hyperv,
	};
	struct rig rig = {
		.engine = l->o.engine,
		.machine = &machine,
		.kernel = {l->kernel.data, l->kernel.size_bytes},
		.initrd = {l->image, l->image_bytes},
		.words = &l->words,
		.timeout_s = l->o.timeout_s,
		.stop_fd = l->stop.fd,
		.log_path = l->o.l1_log,
		.failure_log = failure_log,
	};
	const char *timeline = levels_timeline(&l->o);
	struct stat before = {0};
	int status, ret = 0;

	if (timeline)
		stat(timeline, &before);
	status = rig_run(&rig);
	if (l->o.verbose)
		tell_times(&rig);
	if (l->o.timeline && status != RIG_STOPPED)
		ret = write_timeline(l, &rig, timeline, &before);
	return status ? status : ret;
}

static int run(struct lab *l)
{
	char *append, *log;
	struct err e;
	int status;

	if (stop_open(&l->stop, &e))
		return fail(VPUP_EXIT_HOST, &e);
	log = l->o.l1_log ? NULL : cache_path(&l->cache, "l1.log");
	if (asprintf(&append, "%s %s -- %s", L1_APPEND, l->o.l1_append ? l->o.l1_append : "",
		     L1_INIT) < 0)
		return cli_fail(CMD, "out of memory");
	status = run_l1(l, append, log);
	free(append);
	free(log);
	if (status != RIG_STOPPED)
		return status;
	stop_die(&l->stop);
	return VPUP_EXIT_FAIL; /* for the case that the signal does not end us */
}

/* The lab's own; COMMAND's are its own affair. */
static int check_outputs(const struct lab *l)
{
	const char *const paths[] = {l->o.l1_log, l->o.timeline};
	int status = 0;
	struct err e;

	for (size_t i = 0; status == 0 && i < sizeof(paths) / sizeof(paths[0]); i++)
		if (paths[i] && outfile_check(paths[i], &e))
			status = fail(VPUP_EXIT_USAGE, &e);
	return status;
}

static int prepare(struct lab *l)
{
	struct err e;
	int status = check_outputs(l);

	if (status == 0)
		status = read_inputs(l);

	if (status == 0 && cache_open(&l->cache, &e))
		status = fail(VPUP_EXIT_HOST, &e);
	if (status == 0)
		status = read_kernel(l);
	if (status == 0)
		status = add_needs(l);
	return status ? status : make_image(l);
}

int cmd_lab(int argc, char **argv)
{
	struct lab l = {.cache = {.lock_fd = -1}, .stop = {.fd = -1}};
	int status;

	if (argc > 1 && strcmp(argv[1], "fetch") == 0)
		return cmd_lab_fetch(argc - 1, argv + 1);
	if (lab_options_parse(&l.o, argc, argv, &status))
		return status;
	status = prepare(&l);
	if (status == 0)
		status = run(&l);
	stop_close(&l.stop);
	l1_kernel_fini(&l.kernel);
	words_fini(&l.words);
	files_fini(&l.files);
	cache_close(&l.cache);
	free(l.command);
	free(l.image);
	return status;
}
