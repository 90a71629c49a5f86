/* SPDX-License-Identifier: MIT */
/* `vpup decode`: from a debug console capture to a summary and a result file. */
#include "bench/cmd_decode.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/table.h"
#include "bench/tap.h"
#include "vmm/cli.h"
#include "vmm/metrics.h"
#include "vmm/result.h"

#define CMD       "decode"
#define READ_SIZE 65536u

struct decode_options {
	const char *file; /* "-": stdin */
	const char *json; /* or NULL */
	const char *impl;
	bool tap;
};

static void print_help(void)
{
	fputs("usage: vpup decode [options] FILE\n"
	      "\n"
	      "Reads the bundled guest's trace out of what a debug console (port 0xE9) caught, "
	      "such\n"
	      "as QEMU's -debugcon file:FILE. '-' is standard input.\n"
	      "\n"
	      "      --json FILE|-     write it as a result; with '-' stdout has only that\n"
	      "      --impl NAME       name of the VMM for the result (default unknown)\n"
	      "      --tap             print what the guest's tests found (test=), and nothing "
	      "else\n"
	      "  -h, --help            this text\n"
	      "\n"
	      "Exit status: 0 done, 1 the trace is not whole, VPs are missing or a test failed, "
	      "2 bad\n"
	      "usage or no trace in FILE.\n",
	      stdout);
}

/* Returns true to go on. */
static bool parse_options(struct decode_options *o, int argc, char **argv, int *status)
{
	static const struct option options[] = {
		{"json", required_argument, NULL, 'j'},
		{"impl", required_argument, NULL, 'i'},
		{"tap", no_argument, NULL, 't'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	*o = (struct decode_options){.impl = "unknown"};
	*status = VPUP_EXIT_OK;
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (c) {
		case 'j':
			o->json = optarg;
			break;
		case 'i':
			o->impl = optarg;
			break;
		case 't':
			o->tap = true;
			break;
		case 'h':
			print_help();
			return false;
		default:
			*status = cli_bad_option(CMD, c, argv, options);
			return false;
		}
	}
	if (optind >= argc)
		*status = cli_fail(CMD, "no FILE given");
	else if (o->tap && o->json && strcmp(o->json, "-") == 0)
		*status = cli_fail(CMD, "--tap and --json can't both go to stdout");
	else if (optind + 1 < argc)
		*status = cli_fail(CMD, "unexpected argument '%s'", argv[optind + 1]);
	else
		o->file = argv[optind];
	return *status == VPUP_EXIT_OK;
}

static int read_fd(int fd, struct frame_reader *reader)
{
	uint8_t data[READ_SIZE];
	ssize_t n;

	while ((n = read(fd, data, sizeof(data))) != 0) {
		if (n > 0)
			frame_reader_push(reader, data, (size_t)n);
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static int read_capture(const char *file, struct guest_trace *trace, struct err *e)
{
	bool is_stdin = strcmp(file, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
	struct frame_reader reader;
	int ret;

	if (fd < 0)
		return err_set(e, errno, "can't read %s: %s", file, strerror(errno));
	frame_reader_init(&reader, trace);
	ret = read_fd(fd, &reader);
	frame_reader_fini(&reader);
	if (!is_stdin)
		close(fd);
	if (ret)
		return err_set(e, -ret, "can't read %s: %s", file, strerror(-ret));
	return 0;
}

/*
 * The trace as a run without a host: its clock is the guest's, and there are as many VPs as the
 * guest found, unless it is lying: then as many as it describes.
 */
static struct run_record capture_record(const struct guest_trace *trace)
{
	struct run_record r = {.guest = *trace, .tsc_khz = trace->info.tsc_khz};

	r.vps = trace->info.vps_found;
	if (r.vps > trace->vp_count)
		r.vps = (uint32_t)trace->vp_count;
	return r;
}

static const char *tsc_source_name(uint32_t source)
{
	switch (source) {
	case TRACE_TSC_HYPERV:
		return "from Hyper-V's MSR";
	case TRACE_TSC_CPUID:
		return "from CPUID";
	case TRACE_TSC_KVM:
		return "from KVM's clock";
	case TRACE_TSC_PIT:
		return "measured against the PIT";
	default:
		return "from an unknown source";
	}
}

static void print_metric(const struct metrics *m, enum metric id, const char *label)
{
	char number[NUMBER_TEXT_SIZE];

	if (m->have[id])
		printf("%-14s%s %s\n", label, table_number(number, m->value[id]),
		       metric_unit(metric_name(id)));
}

static void print_summary(const struct guest_trace *trace, const struct metrics *m)
{
	const struct trace_info *info = &trace->info;
	const char *smp = guest_smp_name(info->smp), *lpj = guest_lpj_name(info->lpj);

	printf("%-14s%" PRIu32 " of %" PRIu32 " online, %" PRIu32 " node%s\n", "VPs",
	       info->vps_online, info->vps_found, info->nodes, info->nodes == 1 ? "" : "s");
	printf("%-14ssmp=%s lpj=%s hz=%" PRIu32 "\n", "mode", smp ? smp : "?", lpj ? lpj : "?",
	       info->hz);
	printf("%-14s%" PRIu64 ".%03" PRIu64 " MHz, %s\n", "TSC", info->tsc_khz / 1000,
	       info->tsc_khz % 1000, tsc_source_name(info->tsc_source));
	if (guest_is_modelled(trace))
		printf("%-14smodelled\n", "costs");
	print_metric(m, METRIC_SMP_BRINGUP_MS, "bring-up");
	print_metric(m, METRIC_STAGE_KICK_MS, "  kick");
	print_metric(m, METRIC_STAGE_INIT_MS, "  init");
	print_metric(m, METRIC_STAGE_CALIBRATE_MS, "  calibrate");
	print_metric(m, METRIC_STAGE_ONLINE_MS, "  online");
	if (m->have[METRIC_LPJ_MIN])
		printf("%-14s%.0f to %.0f\n", "lpj", m->value[METRIC_LPJ_MIN],
		       m->value[METRIC_LPJ_MAX]);
	print_metric(m, METRIC_LPJ_ERROR_PPM, "lpj error");
}

static int write_result(const struct decode_options *o, const struct run_record *r, char **argv,
			struct err *e)
{
	json_t *document = result_document("decode", NULL, argv);
	struct outfile out;
	int ret;

	if (!document || result_add_run(document, result_capture_object(r, o->impl)))
		ret = err_set(e, ENOMEM, "out of memory");
	else
		ret = outfile_open(&out, o->json, e);
	if (ret == 0)
		ret = result_commit(document, &out, e);
	json_decref(document);
	return ret;
}

static int report(const struct decode_options *o, const struct run_record *r, char **argv)
{
	struct vp_view *view = guest_view_new(&r->guest, r->vps);
	struct metrics m;
	struct err e;
	int ret = 0;

	if ((!view && r->vps) || metrics_compute(&m, r, view))
		ret = err_set(&e, ENOMEM, "out of memory");
	free(view);
	if (ret == 0 && o->json)
		ret = write_result(o, r, argv, &e);
	if (ret)
		return cli_fail(CMD, "%s", e.text);
	if (o->tap)
		printf("TAP version 13\n%s",
		       r->guest.tap ? r->guest.tap : "1..0 # SKIP no tests\n");
	else if (r->guest.have_info && !(o->json && strcmp(o->json, "-") == 0))
		print_summary(&r->guest, &m);
	return VPUP_EXIT_OK;
}

/* What is wrong with a trace that could be read, if anything. */
static int verdict(const struct decode_options *o, const struct guest_trace *trace)
{
	const struct trace_info *info = &trace->info;

	if (!trace->complete)
		cli_fail(CMD, "%s: the trace is not whole: its end or a frame is missing", o->file);
	else if (!trace->have_info)
		cli_fail(CMD, "%s: the trace does not describe its guest", o->file);
	else if (info->vps_online != info->vps_found)
		cli_fail(CMD, "%s: only %" PRIu32 " of %" PRIu32 " VPs came online", o->file,
			 info->vps_online, info->vps_found);
	else if (o->tap && tap_count(trace->tap).failed)
		cli_fail(CMD, "%s: tests failed", o->file);
	else
		return VPUP_EXIT_OK;
	return VPUP_EXIT_FAIL;
}

int cmd_decode(int argc, char **argv)
{
	struct guest_trace trace = {0};
	struct decode_options options;
	struct run_record record;
	struct err e;
	int status;

	if (!parse_options(&options, argc, argv, &status))
		return status;
	if (read_capture(options.file, &trace, &e)) {
		status = cli_fail(CMD, "%s", e.text);
	} else if (trace.frames == 0) {
		status = cli_fail(CMD, "%s: no trace of the bundled guest in it", options.file);
	} else {
		record = capture_record(&trace);
		status = report(&options, &record, argv);
		if (status == VPUP_EXIT_OK)
			status = verdict(&options, &trace);
	}
	guest_trace_fini(&trace);
	return status;
}
