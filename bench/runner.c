/* SPDX-License-Identifier: MIT */
/* Starts, watches and reaps the children of a measurement. */
#include "bench/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vmm/child_process.h"
#include "vmm/cli.h"
#include "vmm/result.h"

#define KILL_AFTER_MS 500 /* from SIGTERM to SIGKILL */
#define KILL_AGAIN_MS 20  /* for one that does not go at once */
#define REAP_MS       2
#define ERR_TEXT_MAX  32768u
#define READ_SIZE     65536u

struct buffer {
	char *data;
	size_t size;
	size_t capacity;
	bool failed; /* no memory */
};

enum child_end {
	CHILD_EXITED,
	CHILD_STOPPED,
	CHILD_LATE,
	CHILD_TOO_LOUD,
};

struct child {
	pid_t pid;
	int out_fd;
	int err_fd;
	struct buffer out;
	struct buffer err; /* its last part */
	enum child_end end;
	uint64_t deadline_ms;
	uint64_t kill_ms; /* when SIGTERM has had its time; 0: not sent */
	int wait_status;
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void buffer_append(struct buffer *b, const char *data, size_t size)
{
	if (b->size + size > b->capacity) {
		size_t capacity = 2 * (b->size + size);
		char *grown = realloc(b->data, capacity);

		if (!grown) {
			b->failed = true;
			return;
		}
		b->data = grown;
		b->capacity = capacity;
	}
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

/* Messages are short, and the last ones count. */
static void buffer_keep_tail(struct buffer *b, size_t size)
{
	if (b->size <= size)
		return;
	memmove(b->data, b->data + b->size - size, size);
	b->size = size;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Reads what is there. Closes the descriptor at its end. */
static void child_read(int *fd, struct buffer *b)
{
	char data[READ_SIZE];
	ssize_t n = read(*fd, data, sizeof(data));

	if (n > 0)
		buffer_append(b, data, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_fd(fd);
}

/* A pipe whose reading end does not block and whose ends no other child inherits. */
static int pipe_open(int fd[2])
{
	if (pipe2(fd, O_CLOEXEC))
		return errno;
	return fcntl(fd[0], F_SETFL, O_NONBLOCK) ? errno : 0;
}

static int child_launch(struct child *c, const struct runner *r, char *const *argv, struct err *e)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1};
	int code = pipe_open(out);

	if (code == 0)
		code = pipe_open(err);
	if (code == 0)
		code = child_start(&(struct child_start){.exe = r->exe,
							 .argv = argv,
							 .out_fd = out[1],
							 .err_fd = err[1],
							 .own_group = true},
				   &c->pid);
	close_fd(&out[1]);
	close_fd(&err[1]);
	c->out_fd = out[0];
	c->err_fd = err[0];
	if (code)
		return err_set(e, code, "can't start %s: %s", r->exe, strerror(code));
	return 0;
}

static void child_terminate(struct child *c, enum child_end why)
{
	if (c->kill_ms)
		return;
	c->end = why;
	c->kill_ms = now_ms() + KILL_AFTER_MS;
	kill(-c->pid, SIGTERM);
}

/* Leaves it a zombie, so that its ID stays its own. */
static bool child_has_ended(const struct child *c)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == c->pid;
}

/*
 * How long nothing may happen before we look again. The end of a child shows as the end of its
 * pipes, a moment before it can be waited for; only one that leaves them to others is noticed late.
 */
static int child_patience_ms(const struct child *c)
{
	uint64_t now = now_ms(), until = c->kill_ms ? c->kill_ms : c->deadline_ms;
	uint64_t left = until > now ? until - now : KILL_AGAIN_MS;
	uint64_t most = c->out_fd < 0 && c->err_fd < 0 ? REAP_MS : RUNNER_TICK_MS;

	return (int)(left < most ? left : most);
}

/* Waits for the next thing to happen. Returns true once the child has ended. */
static bool child_step(struct child *c, const struct runner *r)
{
	struct pollfd fd[] = {
		{.fd = c->out_fd, .events = POLLIN},
		{.fd = c->err_fd, .events = POLLIN},
		{.fd = c->kill_ms ? -1 : r->stop_fd, .events = POLLIN},
	};

	if (poll(fd, 3, child_patience_ms(c)) < 0)
		memset(fd, 0, sizeof(fd)); /* a signal that is not blocked: look again */
	if (fd[0].revents)
		child_read(&c->out_fd, &c->out);
	if (fd[1].revents)
		child_read(&c->err_fd, &c->err);
	buffer_keep_tail(&c->err, ERR_TEXT_MAX);
	if (child_has_ended(c))
		return true;
	if (fd[2].revents)
		child_terminate(c, CHILD_STOPPED);
	if (c->out.size > RESULT_SIZE_MAX) {
		close_fd(&c->out_fd);
		child_terminate(c, CHILD_TOO_LOUD);
	}
	if (c->kill_ms && now_ms() >= c->kill_ms)
		kill(-c->pid, SIGKILL);
	else if (now_ms() >= c->deadline_ms)
		child_terminate(c, CHILD_LATE);
	return false;
}

/* What the child has written before its end may still be in the pipes. */
static void child_drain(int *fd, struct buffer *b)
{
	size_t before;

	do {
		before = b->size;
		if (*fd >= 0)
			child_read(fd, b);
	} while (b->size > before && b->size <= RESULT_SIZE_MAX);
}

static void child_watch(struct child *c, const struct runner *r)
{
	uint64_t tick_ms = now_ms() + RUNNER_TICK_MS;

	c->deadline_ms = now_ms() + (uint64_t)(r->deadline_s * 1000);
	while (!child_step(c, r)) {
		if (r->tick && now_ms() >= tick_ms) {
			tick_ms = now_ms() + RUNNER_TICK_MS;
			r->tick(r->ctx);
		}
	}
	child_drain(&c->out_fd, &c->out);
	child_drain(&c->err_fd, &c->err);
	buffer_keep_tail(&c->err, ERR_TEXT_MAX);
}

/* Ends what is left of the child's group; the zombie keeps its ID from being used again. */
static void child_fini(struct child *c)
{
	if (c->pid > 0) {
		kill(-c->pid, SIGKILL);
		while (waitpid(c->pid, &c->wait_status, 0) < 0 && errno == EINTR)
			;
	}
	close_fd(&c->out_fd);
	close_fd(&c->err_fd);
}

/*
 * The line that says what went wrong: the last one of vpup, or else the last one. Cuts it out of
 * the text, which ends with a NUL.
 */
static const char *message_find(char *text)
{
	static const char prefix[] = "vpup run: ";
	const char *found = NULL, *last = NULL;
	char *rest = text, *line;

	while ((line = strsep(&rest, "\r\n"))) {
		if (*line)
			last = line;
		if (strncmp(line, "vpup", 4) == 0)
			found = line;
	}
	if (!found)
		return last;
	return strncmp(found, prefix, strlen(prefix)) ? found : found + strlen(prefix);
}

/* The child's exit status, if it is one of vpup's. */
static int child_status(int status)
{
	if (status == CHILD_NOT_EXECUTED)
		return VPUP_EXIT_HOST;
	return status <= VPUP_EXIT_CRASH ? status : VPUP_EXIT_BUG;
}

static int child_failed(struct child *c, const struct runner *r, struct err *e)
{
	const char *message;
	int status;

	buffer_append(&c->err, "", 1);
	message = c->err.data && !c->err.failed ? message_find(c->err.data) : NULL;
	if (WIFSIGNALED(c->wait_status)) {
		err_set(e, EIO, "killed by signal %d (%s)%s%s", WTERMSIG(c->wait_status),
			strsignal(WTERMSIG(c->wait_status)), message ? ": " : "",
			message ? message : "");
		return WTERMSIG(c->wait_status) == SIGKILL ? VPUP_EXIT_HOST : VPUP_EXIT_BUG;
	}
	status = WEXITSTATUS(c->wait_status);
	if (message)
		err_set(e, EIO, "%s", message);
	else if (status == CHILD_NOT_EXECUTED)
		err_set(e, EIO, "can't start %s", r->exe);
	else
		err_set(e, EIO, "ended with exit status %d and no message", status);
	return child_status(status);
}

/* The result, which has one run, or NULL with e set. */
static json_t *child_document(const struct child *c, struct err *e)
{
	json_t *document;

	if (c->out.failed) {
		err_set(e, ENOMEM, "out of memory");
		return NULL;
	}
	document = result_read(c->out.data, c->out.size, e);
	if (!document || json_array_size(json_object_get(document, "runs")) == 1)
		return document;
	json_decref(document);
	err_set(e, EINVAL, "its result has not exactly one run");
	return NULL;
}

static int child_result(struct child *c, const struct runner *r, json_t **document, struct err *e)
{
	switch (c->end) {
	case CHILD_STOPPED:
		return RUNNER_STOPPED;
	case CHILD_LATE:
		err_set(e, ETIMEDOUT, "still running after %g s", r->deadline_s);
		return VPUP_EXIT_TIMEOUT;
	case CHILD_TOO_LOUD:
		err_set(e, EFBIG, "more than %u MiB of output", RESULT_SIZE_MAX >> 20);
		return VPUP_EXIT_BUG;
	case CHILD_EXITED:
		break;
	}
	if (!WIFEXITED(c->wait_status) || WEXITSTATUS(c->wait_status)) {
		if (r->keep_failed)
			*document = child_document(c, NULL);
		return child_failed(c, r, e);
	}
	*document = child_document(c, e);
	return *document ? 0 : VPUP_EXIT_BUG;
}

int runner_run(const struct runner *r, char *const *argv, json_t **document, struct err *e)
{
	struct child c = {.out_fd = -1, .err_fd = -1, .end = CHILD_EXITED};
	int ret = VPUP_EXIT_HOST;

	*document = NULL;
	if (child_launch(&c, r, argv, e) == 0) {
		child_watch(&c, r);
		child_fini(&c);
		ret = child_result(&c, r, document, e);
	} else {
		child_fini(&c);
	}
	free(c.out.data);
	free(c.err.data);
	return ret;
}
