/* SPDX-License-Identifier: MIT */
/* Where the guest's serial console goes: the terminal, a file, or nowhere. */
#include "vmm/console.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define PARTIAL_LINE_NS 5000000 /* a prompt appears this soon */

static void set_raw(struct console *c)
{
	struct termios t;

	if (tcgetattr(c->in_fd, &c->saved) < 0)
		return;
	t = c->saved;
	t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	t.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	c->raw = tcsetattr(c->in_fd, TCSANOW, &t) == 0;
}

static int open_stdio(struct console *c, struct err *e)
{
	bool terminal = isatty(STDIN_FILENO);

	c->out_fd = STDOUT_FILENO;
	c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (c->timer_fd < 0)
		return err_set(e, errno, "can't create a timer: %s", strerror(errno));
	/* A job in the background must not touch the terminal: it would be stopped. */
	if (terminal && tcgetpgrp(STDIN_FILENO) != getpgrp())
		return 0;
	c->in_fd = STDIN_FILENO;
	if (terminal)
		set_raw(c);
	return 0;
}

int console_init(struct console *c, const struct vm_config *cfg, struct outcome *o, struct err *e)
{
	c->in_fd = -1;
	c->out_fd = -1;
	c->timer_fd = -1;
	c->owns_out = false;
	c->raw = false;
	c->outcome = o;
	c->used = 0;
	pthread_mutex_init(&c->lock, NULL);
	if (cfg->console == CONSOLE_NONE)
		return 0;
	if (cfg->console == CONSOLE_STDIO)
		return open_stdio(c, e);
	c->out_fd = open(cfg->console_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (c->out_fd < 0)
		return err_set(e, errno, "console file '%s': %s", cfg->console_path,
			       strerror(errno));
	c->owns_out = true;
	return 0;
}

static void flush_locked(struct console *c)
{
	size_t done = 0;

	while (done < c->used) {
		ssize_t n = write(c->out_fd, c->buffer + done, c->used - done);

		if (n < 0 && errno == EINTR)
			continue;
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
	if (c->out_fd < 0)
		return;
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < size; i++) {
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
	if (c->out_fd < 0)
		return;
	pthread_mutex_lock(&c->lock);
	flush_locked(c);
	pthread_mutex_unlock(&c->lock);
}

void console_fini(struct console *c)
{
	console_flush(c);
	if (c->raw)
		tcsetattr(c->in_fd, TCSANOW, &c->saved);
	if (c->owns_out)
		close(c->out_fd);
	if (c->timer_fd >= 0)
		close(c->timer_fd);
	pthread_mutex_destroy(&c->lock);
}
