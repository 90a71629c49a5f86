/* SPDX-License-Identifier: MIT */
/* Watches an engine: its three pipes, the clock, and whoever wants it stopped. */
#include "lab/rig.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/frame.h"
#include "lab/received.h"
#include "lab/rig_child.h"
#include "vmm/cli.h"
#include "vmm/file.h"
#include "vmm/outfile.h"
#include "vmm/tsc.h"

#define CMD            "lab"
#define BOOT_S         120 /* until L1's init speaks up, also on a slow machine */
#define LOG_KEPT_BYTES (1u << 20)
#define ERR_KEPT_BYTES 16384u
#define LAST_LINES     10
#define READ_BYTES     65536

enum end { END_NONE, END_EXIT, END_FAILED, END_CLOSED, END_LATE, END_STOPPED, END_BAD };

struct watch {
	struct rig *rig;
	struct rig_child child;
	struct buffer log, err;
	struct frame_decoder *decoder;
	struct received received;
	uint64_t start_us;
	enum end end;
	uint32_t status; /* END_EXIT: wait status; END_FAILED: exit status */
	struct err why;  /* END_FAILED, END_BAD */
};

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static double since_start(const struct watch *w)
{
	return (double)(now_us() - w->start_us) / 1e6;
}

static void take_mark(struct watch *w, const uint8_t *data, size_t size_bytes)
{
	struct rig *r = w->rig;
	struct rig_mark *m = &r->mark[r->marks];

	if (r->marks == RIG_MARKS_MAX || size_bytes < sizeof(m->l1_tsc))
		return;
	memcpy(&m->l1_tsc, data, sizeof(m->l1_tsc));
	m->host_tsc = tsc_now();
	m->s = since_start(w);
	snprintf(m->name, sizeof(m->name), "%.*s", (int)(size_bytes - sizeof(m->l1_tsc)),
		 (const char *)data + sizeof(m->l1_tsc));
	r->marks++;
}

/* The number that these frames begin with. */
static uint32_t take_status(const uint8_t *data, size_t size_bytes)
{
	uint32_t status = 0;

	memcpy(&status, data, size_bytes < sizeof(status) ? size_bytes : sizeof(status));
	return status;
}

static int take_frame(void *ctx, uint32_t type, const uint8_t *data, size_t size_bytes)
{
	struct watch *w = ctx;

	switch (type) {
	case FRAME_MARK:
		take_mark(w, data, size_bytes);
		return 0;
	case FRAME_STDOUT:
	case FRAME_STDERR:
		/* It may fail: nobody reads it any more. */
		file_write_all(type == FRAME_STDOUT ? STDOUT_FILENO : STDERR_FILENO, data,
			       size_bytes);
		return 0;
	case FRAME_FILE:
	case FRAME_DATA:
	case FRAME_FILE_END:
		return received_frame(&w->received, type, data, size_bytes, &w->why);
	case FRAME_FAIL:
		w->end = END_FAILED;
		w->status = take_status(data, size_bytes);
		err_set(&w->why, EIO, "%.*s", size_bytes > 4 ? (int)size_bytes - 4 : 0,
			(const char *)data + 4);
		return 1;
	case FRAME_EXIT:
		if (w->received.path)
			return err_set(&w->why, EBADMSG, "L1 sent '%.180s' only in part",
				       w->received.path);
		w->end = END_EXIT;
		w->status = take_status(data, size_bytes);
		return 1;
	default:
		return -EBADMSG;
	}
}

static void take_channel(struct watch *w, const uint8_t *data, size_t size_bytes)
{
	int ret = frame_decode(w->decoder, data, size_bytes);

	if (ret >= 0)
		return;
	w->end = END_BAD;
	if (!w->why.text[0])
		err_set(&w->why, EBADMSG, "what L1 sent was damaged on its way");
}

/* Returns false at the end of the pipe, which is closed then. */
static bool read_pipe(int *fd, uint8_t *data, size_t *size_bytes)
{
	ssize_t n = read(*fd, data, READ_BYTES);

	*size_bytes = n > 0 ? (size_t)n : 0;
	if (n > 0 || (n < 0 && errno == EINTR))
		return true;
	close(*fd);
	*fd = -1;
	return false;
}

/* Seconds that are left. */
static double patience(const struct watch *w)
{
	const struct rig *r = w->rig;
	double limit = r->timeout_s > 0 ? r->timeout_s : 1e9;

	if (r->marks == 0 && limit > BOOT_S)
		limit = BOOT_S;
	return limit - since_start(w);
}

static void step(struct watch *w)
{
	struct rig_child *c = &w->child;
	struct pollfd fd[] = {
		{.fd = c->channel_fd, .events = POLLIN},
		{.fd = c->log_fd, .events = POLLIN},
		{.fd = c->err_fd, .events = POLLIN},
		{.fd = w->rig->stop_fd, .events = POLLIN},
	};
	double left = patience(w);
	uint8_t data[READ_BYTES];
	size_t size;

	if (left <= 0) {
		w->end = END_LATE;
		return;
	}
	if (poll(fd, 4, left < 1 ? (int)(left * 1000) + 1 : 1000) < 0)
		return;
	if (fd[1].revents && read_pipe(&c->log_fd, data, &size))
		buffer_add(&w->log, data, size, LOG_KEPT_BYTES);
	if (fd[2].revents && read_pipe(&c->err_fd, data, &size))
		buffer_add(&w->err, data, size, ERR_KEPT_BYTES);
	if (fd[0].revents) {
		if (read_pipe(&c->channel_fd, data, &size))
			take_channel(w, data, size);
		else if (w->end == END_NONE)
			w->end = END_CLOSED;
	}
	if (fd[3].revents && w->end == END_NONE)
		w->end = END_STOPPED;
}

/* The log's and the engine's last words, which may still be in the pipes. */
static void drain(struct watch *w)
{
	int *const fd[] = {&w->child.log_fd, &w->child.err_fd};
	struct buffer *const to[] = {&w->log, &w->err};
	uint8_t data[READ_BYTES];
	size_t size;

	for (unsigned i = 0; i < 2; i++) {
		if (*fd[i] < 0)
			continue;
		fcntl(*fd[i], F_SETFL, O_NONBLOCK);
		while (read_pipe(fd[i], data, &size) && size)
			buffer_add(to[i], data, size, LOG_KEPT_BYTES);
	}
}

/* Where the last lines of a text begin, or where a panic does, which pushes its reason up. */
static const uint8_t *last_lines(const struct buffer *b, unsigned lines)
{
	static const char panic[] = "Kernel panic";
	const uint8_t *end = b->data + b->size_bytes;
	const uint8_t *at = memmem(b->data, b->size_bytes, panic, strlen(panic));

	if (at)
		lines = 1;
	else
		at = end > b->data && end[-1] == '\n' ? end - 1 : end;
	while (at > b->data) {
		if (at[-1] == '\n' && --lines == 0)
			break;
		at--;
	}
	return at;
}

/* On a terminal, what L1 prints must stay text. */
static void print_lines(const char *prefix, const struct buffer *b, unsigned lines)
{
	const uint8_t *at, *end = b->data + b->size_bytes;
	bool begins = true;

	if (b->size_bytes == 0)
		return;
	for (at = last_lines(b, lines); at < end && lines; at++) {
		if (*at == '\r')
			continue;
		if (begins)
			fputs(prefix, stderr);
		begins = *at == '\n';
		lines -= begins;
		fputc(*at == '\n' || (*at >= 0x20 && *at < 0x7f) ? *at : '.', stderr);
	}
	if (!begins)
		fputc('\n', stderr);
}

static void keep_log(const char *path, const struct buffer *log, bool tell)
{
	struct err e;

	if (!path)
		return;
	if (outfile_write(path, log->data ? (const void *)log->data : "", log->size_bytes, &e))
		fprintf(stderr, "vpup lab: %s\n", e.text);
	else if (tell)
		fprintf(stderr, "L1's log is in %s\n", path);
}

static void print_log(const struct watch *w)
{
	print_lines("  L1: ", &w->log, LAST_LINES);
	keep_log(w->rig->failure_log, &w->log, true);
}

/* What the line ends with that says what became of L1: print_log() follows. */
static const char *last_words(const struct watch *w)
{
	return w->log.size_bytes ? "; its last lines:" : ", and has printed nothing";
}

static int ended_early(const struct watch *w)
{
	int status = w->child.wait_status;
	bool booted = w->log.size_bytes || w->rig->marks;

	if (!booted && WIFEXITED(status) && WEXITSTATUS(status)) {
		cli_fail(CMD, "%s ended with status %d before L1 began to boot",
			 w->rig->engine->name, WEXITSTATUS(status));
		print_lines("  ", &w->err, 3);
	} else if (WIFSIGNALED(status) && WTERMSIG(status) != 9) {
		cli_fail(CMD, "%s was killed by signal %d (%s)", w->rig->engine->name,
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	} else {
		cli_fail(CMD, "L1 ended before COMMAND did%s", last_words(w));
		print_log(w);
	}
	return VPUP_EXIT_HOST;
}

static int verdict(const struct watch *w)
{
	const struct rig *r = w->rig;

	switch (w->end) {
	case END_EXIT:
		if (WIFSIGNALED(w->status))
			return 128 + WTERMSIG(w->status);
		return WEXITSTATUS(w->status);
	case END_FAILED:
		cli_fail(CMD, "%s", w->why.text);
		print_log(w);
		return w->status == VPUP_EXIT_USAGE ? VPUP_EXIT_USAGE : VPUP_EXIT_HOST;
	case END_STOPPED:
		return RIG_STOPPED;
	case END_LATE:
		if (r->marks == 0)
			cli_fail(CMD, "L1 did not come up within %.0f s%s", r->run_s,
				 last_words(w));
		else
			cli_fail(CMD,
				 "COMMAND did not end within %g s (--timeout); L1's last lines:",
				 r->timeout_s);
		print_log(w);
		return VPUP_EXIT_TIMEOUT;
	case END_BAD:
		cli_fail(CMD, "%s", w->why.text);
		return VPUP_EXIT_HOST;
	case END_CLOSED:
	case END_NONE:
		break;
	}
	return ended_early(w);
}

int rig_run(struct rig *r)
{
	struct frame_decoder decoder = {.take = take_frame};
	struct watch w = {.rig = r, .decoder = &decoder, .received = {.words = r->words}};
	int status;

	decoder.ctx = &w;
	r->marks = 0;
	r->start_tsc = tsc_now();
	w.start_us = now_us();
	if (rig_child_start(&w.child, r, &w.why)) {
		cli_fail(CMD, "%s", w.why.text);
		return VPUP_EXIT_HOST;
	}
	while (w.end == END_NONE)
		step(&w);
	/* One that closed its pipes is about to end by itself, which tells more than our signal. */
	for (unsigned i = 0; w.end == END_CLOSED && i < 100 && !rig_child_has_ended(&w.child); i++)
		usleep(10000);
	drain(&w);
	rig_child_end(&w.child);
	r->end_tsc = tsc_now();
	r->run_s = since_start(&w);
	status = verdict(&w);
	keep_log(r->log_path, &w.log, false);
	received_fini(&w.received);
	buffer_fini(&w.log);
	buffer_fini(&w.err);
	return status;
}
