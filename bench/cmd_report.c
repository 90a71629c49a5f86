/* SPDX-License-Identifier: MIT */
/* `vpup report RESULT... -o FILE`. */
#include "bench/cmd_report.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/report.h"
#include "bench/result_file.h"
#include "vmm/cli.h"
#include "vmm/outfile.h"

#define CMD       "report"
#define FILES_MAX 64

enum format { FORMAT_HTML, FORMAT_TRACE, FORMAT_CSV };

static void print_help(void)
{
	fputs("usage: vpup report RESULT... -o FILE\n"
	      "\n"
	      "Shows result files. What is written depends on how the name of FILE ends:\n"
	      "\n"
	      "  .html  a page with tables, plots and timelines; it needs nothing outside itself\n"
	      "  .json  a trace for ui.perfetto.dev and chrome://tracing: a process per cell, a "
	      "track per VP\n"
	      "  .csv   a row for each metric of each run\n"
	      "\n"
	      "  -o, --output FILE  where to write it\n"
	      "  -h, --help         this text\n"
	      "\n"
	      "Exit status: 0 done, 2 bad usage or input.\n",
	      stdout);
}

/* Returns 0 or an exit status. */
static int find_format(const char *output, enum format *format)
{
	static const char *const ends[] = {
		[FORMAT_HTML] = ".html", [FORMAT_TRACE] = ".json", [FORMAT_CSV] = ".csv"};
	size_t length = strlen(output);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end = strlen(ends[i]);

		if (length > end && strcmp(output + length - end, ends[i]) == 0) {
			*format = (enum format)i;
			return 0;
		}
	}
	return cli_fail(CMD, "--output: '%s' does not end in .html, .json or .csv", output);
}

/* The same run twice would count twice. And a result is not to be overwritten by its report. */
static int check_files(char **path, size_t count, const char *output)
{
	struct stat st[FILES_MAX + 1];

	if (count > FILES_MAX)
		return cli_fail(CMD, "%zu result files; at most %d fit a report", count, FILES_MAX);
	for (size_t i = 0; i <= count; i++) {
		if (stat(i < count ? path[i] : output, &st[i]))
			st[i].st_ino = 0;
		for (size_t k = 0; k < i && st[i].st_ino; k++) {
			if (st[k].st_ino != st[i].st_ino || st[k].st_dev != st[i].st_dev)
				continue;
			if (i == count)
				return cli_fail(CMD, "--output: '%s' is one of the results",
						output);
			return cli_fail(CMD, "'%s' is given twice", path[i]);
		}
	}
	return 0;
}

/* Returns true to go on; else *status is the exit status. */
static bool parse_options(int argc, char **argv, const char **output, enum format *format,
			  int *status)
{
	static const struct option options[] = {{"output", required_argument, NULL, 'o'},
						{"help", no_argument, NULL, 'h'},
						{0}};
	int c;

	opterr = 0;
	optind = 1;
	*status = 0;
	*output = NULL;
	while (*status == 0 && (c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
		if (c == 'h') {
			print_help();
			return false;
		}
		if (c == 'o')
			*output = optarg;
		else
			*status = cli_bad_option(CMD, c, argv, options);
	}
	if (*status == 0 && optind == argc)
		*status = cli_fail(CMD, "no result file given; vpup bench --json FILE writes one");
	if (*status == 0 && !*output)
		*status = cli_fail(CMD, "no output given; --output report.html writes a page");
	if (*status == 0)
		*status = find_format(*output, format);
	if (*status == 0)
		*status = check_files(argv + optind, (size_t)(argc - optind), *output);
	return *status == 0;
}

static int report_write(const struct report *r, enum format format, FILE *out, struct err *e)
{
	json_t *data = format == FORMAT_CSV ? NULL : report_data(r, e);
	int ret;

	if (format != FORMAT_CSV && !data)
		return -EINVAL;
	if (format == FORMAT_CSV)
		ret = report_csv(out, r);
	else if (format == FORMAT_TRACE)
		ret = report_trace(out, data);
	else
		ret = report_html(out, data);
	json_decref(data);
	return ret ? err_set(e, ENOMEM, "out of memory") : 0;
}

/* The output is opened only when all that goes into it could be read. Returns an exit status. */
static int report_files(struct report *r, enum format format, const char *output)
{
	struct outfile out = {.f = NULL};
	struct err e;
	int ret = 0;

	for (size_t i = 0; i < r->count; i++) {
		r->document[i] = result_file_read(r->path[i], &e);
		if (!r->document[i])
			return cli_fail(CMD, "%s", e.text);
	}
	if (outfile_open(&out, output, &e))
		return cli_fail(CMD, "%s", e.text);
	ret = report_write(r, format, out.f, &e);
	if (ret) {
		outfile_abort(&out);
		return cli_fail(CMD, "%s", e.text);
	}
	if (outfile_commit(&out, &e) == 0)
		return VPUP_EXIT_OK;
	cli_fail(CMD, "%s", e.text);
	return VPUP_EXIT_HOST;
}

int cmd_report(int argc, char **argv)
{
	struct report r = {.count = 0};
	const char *output;
	enum format format = FORMAT_HTML;
	int status;

	if (!parse_options(argc, argv, &output, &format, &status))
		return status;
	r.path = argv + optind;
	r.count = (size_t)(argc - optind);
	r.document = calloc(r.count, sizeof(*r.document));
	if (r.document)
		status = report_files(&r, format, output);
	else
		status = cli_fail(CMD, "out of memory");
	for (size_t i = 0; r.document && i < r.count; i++)
		json_decref(r.document[i]);
	free(r.document);
	return status;
}
