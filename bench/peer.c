/* SPDX-License-Identifier: MIT */
/* A VMM seen from outside. */
#include "bench/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vmm/child_process.h"
#include "vmm/cli.h"
#include "vmm/rss.h"

#define ONLINE_TEXT "Brought up"
#define SAID_SIZE   4096

const char *const peer_mark_names[] = {"entry", "init", "online", NULL};

struct watch {
	const struct peer_run *run;
	pid_t pid;
	int out_fd; /* its serial port */
	int err_fd; /* a memory file with what it said */
	double start_ms;
	size_t used; /* of text, the end of what came */
	char text[8192];
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int peer_debugcon_init(struct peer_debugcon *d, struct err *e)
{
	int fd[2];

	*d = (struct peer_debugcon){.read_fd = -1, .write_fd = -1};
	if (pipe2(fd, O_CLOEXEC))
		return err_set(e, errno, "can't make a pipe: %s", strerror(errno));
	d->read_fd = fd[0];
	d->write_fd = fd[1];
	snprintf(d->path, sizeof(d->path), "/proc/self/fd/%d", fd[1]);
	if (fcntl(fd[1], F_SETFD, 0))
		return err_set(e, errno, "can't share a pipe: %s", strerror(errno));
	return 0;
}

void peer_debugcon_fini(struct peer_debugcon *d)
{
	if (d->read_fd >= 0)
		close(d->read_fd);
	if (d->write_fd >= 0)
		close(d->write_fd);
	d->read_fd = d->write_fd = -1;
}

/* Takes what came on the serial port. Returns false at its end. */
static bool take_text(struct watch *w, bool *is_marked)
{
	const size_t keep = strlen(ONLINE_TEXT);
	ssize_t n = read(w->out_fd, w->text + w->used, sizeof(w->text) - w->used);

	if (n <= 0)
		return n < 0 && errno == EINTR;
	w->used += (size_t)n;
	if (w->run->mark == PEER_ONLINE)
		*is_marked = memmem(w->text, w->used, ONLINE_TEXT, keep);
	if (w->used > keep) { /* the text may begin in what is kept */
		memmove(w->text, w->text + w->used - keep, keep);
		w->used = keep;
	}
	return true;
}

/* Its last line that says something, in e. */
static int ended_early(const struct watch *w, struct err *e)
{
	char text[SAID_SIZE] = "", *rest = text, *line, *last = NULL;
	ssize_t n = pread(w->err_fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	while ((line = strsep(&rest, "\r\n")))
		if (*line)
			last = line;
	err_set(e, EIO, "%s ended before the mark '%s'%s%.300s", w->run->argv[0],
		peer_mark_names[w->run->mark], last ? ": " : "", last ? last : "");
	return VPUP_EXIT_FAIL;
}

/* Returns 0 at the mark. */
static int wait_for_mark(struct watch *w, struct err *e)
{
	const struct peer_run *r = w->run;
	bool is_marked = false;

	while (!is_marked) {
		struct pollfd fd[] = {
			{.fd = w->out_fd, .events = POLLIN},
			{.fd = r->mark == PEER_ONLINE ? -1 : r->debugcon->read_fd,
			 .events = POLLIN},
		};
		double left_ms = w->start_ms + r->timeout_s * 1e3 - now_ms();

		if (r->timeout_s > 0 && left_ms <= 0) {
			err_set(e, ETIMEDOUT, "%s did not come to the mark '%s' within %g s",
				r->argv[0], peer_mark_names[r->mark], r->timeout_s);
			return VPUP_EXIT_TIMEOUT;
		}
		if (poll(fd, 2, r->timeout_s > 0 ? (int)left_ms + 1 : -1) < 0)
			continue;
		if (fd[1].revents & POLLIN)
			return 0;
		if (fd[0].revents && !take_text(w, &is_marked))
			return ended_early(w, e);
	}
	return 0;
}

static int start(struct watch *w, struct err *e)
{
	const struct peer_run *r = w->run;
	int out[2] = {-1, -1}, code = 0;

	w->err_fd = memfd_create("stderr", MFD_CLOEXEC);
	if (w->err_fd < 0 || pipe2(out, O_CLOEXEC))
		code = errno;
	w->out_fd = out[0];
	w->start_ms = now_ms();
	if (code == 0)
		code = child_start(&(struct child_start){.exe = r->exe,
							 .argv = r->argv,
							 .out_fd = out[1],
							 .err_fd = w->err_fd,
							 .in_path = true},
				   &w->pid);
	if (out[1] >= 0)
		close(out[1]);
	if (code)
		err_set(e, code, "can't start %s: %s", r->exe, strerror(code));
	return code ? VPUP_EXIT_HOST : 0;
}

static void end(struct watch *w)
{
	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (w->out_fd >= 0)
		close(w->out_fd);
	if (w->err_fd >= 0)
		close(w->err_fd);
}

int peer_run(const struct peer_run *r, struct peer_seen *seen, struct err *e)
{
	struct watch w = {.run = r, .out_fd = -1, .err_fd = -1};
	int status = start(&w, e);

	if (status == 0)
		status = wait_for_mark(&w, e);
	if (status == 0) {
		seen->mark_ms = now_ms() - w.start_ms;
		seen->rss_kib = rss_of_vmm_kib(w.pid, r->ram_bytes);
	}
	end(&w);
	return status;
}
