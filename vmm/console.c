/* SPDX-License-Identifier: MIT */
/* Where the guest's serial console goes. */
#include "vmm/console.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "vmm/console_open.h"
#include "vmm/terminal.h"

#define PARTIAL_LINE_NS 5000000 /* a prompt appears this soon */

static int open_stdio(struct console *c, const struct vm_config *cfg)
{
	bool bundled = !cfg->kernel;

	c->out_fd = STDOUT_FILENO;
	c->is_pipe = !isatty(STDIN_FILENO);
	if (!c->is_pipe && !terminal_raw(bundled))
		return 0; /* in the background: to touch the terminal would stop it */
	c->in_fd = STDIN_FILENO;
	c->escapes = !c->is_pipe && !bundled;
	if (c->escapes && !cfg->quiet)
		fputs("vpup run: Ctrl-a x quits, Ctrl-a h helps\n", stderr);
	return 0;
}

int console_init_other(struct console *c, const struct console_config *cfg, struct outcome *o,
		       struct err *e)
{
	*c = (struct console){
		.in_fd = -1,
		.out_fd = -1,
		.timer_fd = -1,
		.listen_fd = -1,
		.hold_fd = -1,
		.outcome = o,
	};
	pthread_mutex_init(&c->lock, NULL);
	if (cfg->kind != CONSOLE_NONE && cfg->kind != CONSOLE_FILE) {
		c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		if (c->timer_fd < 0)
			return err_set(e, errno, "can't create a timer: %s", strerror(errno));
	}
	switch (cfg->kind) {
	case CONSOLE_FILE:
		return console_open_file(c, cfg->path, e);
	case CONSOLE_PTY:
		return console_open_pty(c, e);
	case CONSOLE_UNIX:
		return console_open_socket(c, cfg->path, e);
	case CONSOLE_STDIO:
	case CONSOLE_NONE:
		break;
	}
	return 0;
}

int console_init(struct console *c, const struct vm_config *cfg, struct outcome *o, struct err *e)
{
	int ret = console_init_other(c, &cfg->console, o, e);

	return ret == 0 && cfg->console.kind == CONSOLE_STDIO ? open_stdio(c, cfg) : ret;
}

static void flush_locked(struct console *c)
{
	size_t done = 0;

	while (done < c->used) {
		ssize_t n = write(c->out_fd, c->buffer + done, c->used - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && c->lossy)
			break;
		if (n < 0) {
			outcome_set(c->outcome, OUTCOME_HOST_ERROR, (uint32_t)errno,
				    "can't write the console's output: %s", strerror(errno));
			break;
		}
		done += (size_t)n;
	}
	c->used = 0;
}

static void arm_timer(struct console *c)
{
	const struct itimerspec due = {.it_value = {.tv_nsec = PARTIAL_LINE_NS}};

	if (c->timer_fd >= 0)
		timerfd_settime(c->timer_fd, 0, &due, NULL);
}

void console_write(struct console *c, const uint8_t *data, size_t size)
{
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; c->out_fd >= 0 && i < size; i++) {
		if (c->used == 0 && data[i] != '\n')
			arm_timer(c);
		c->buffer[c->used++] = data[i];
		if (data[i] == '\n' || c->used == sizeof(c->buffer))
			flush_locked(c);
	}
	pthread_mutex_unlock(&c->lock);
}

void console_flush(struct console *c)
{
	pthread_mutex_lock(&c->lock);
	if (c->out_fd >= 0)
		flush_locked(c);
	pthread_mutex_unlock(&c->lock);
}

void console_type(struct console *c, const void *data, size_t size)
{
	if (size > sizeof(c->typed) - c->typed_size)
		return;
	memcpy(c->typed + c->typed_size, data, size);
	c->typed_size += size;
}

void console_accept(struct console *c)
{
	int fd = accept4(c->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	pthread_mutex_lock(&c->lock);
	c->in_fd = c->out_fd = fd;
	c->used = 0;
	pthread_mutex_unlock(&c->lock);
}

void console_input_end(struct console *c)
{
	int fd = c->in_fd;

	c->in_fd = -1;
	if (c->listen_fd < 0)
		return;
	pthread_mutex_lock(&c->lock);
	c->out_fd = -1;
	pthread_mutex_unlock(&c->lock);
	close(fd);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void console_fini(struct console *c)
{
	console_flush(c);
	terminal_restore();
	if (c->owns_out || c->listen_fd >= 0)
		close_fd(c->out_fd);
	close_fd(c->hold_fd);
	close_fd(c->listen_fd);
	close_fd(c->timer_fd);
	if (c->socket_path)
		unlink(c->socket_path);
	free(c->socket_path);
	c->socket_path = NULL;
	pthread_mutex_destroy(&c->lock);
}
