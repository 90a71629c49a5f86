/* SPDX-License-Identifier: MIT */
/* What the main thread does while the VPs run: console input, timeout, signals, the end. */
#include "vmm/run_loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "vmm/glue.h"
#include "vmm/hv_side.h"
#include "vmm/terminal.h"

#define CTRL_D 0x04

enum {
	FD_OUTCOME,
	FD_SIGNAL,
	FD_TIMEOUT,
	FD_POWER_OFF,
	FD_CONSOLE_TIMER,
	FD_UART_SPACE,
	FD_HYPERV,
	FD_INPUT,
	FD_CONSOLE_LISTEN,
	FDS
};

int run_loop_signals(struct err *e)
{
	static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPWR};
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++)
		sigaddset(&set, handled[i]);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_set(e, errno, "can't create a signalfd: %s", strerror(errno)) : fd;
}

static int timeout_fd(double seconds)
{
	struct itimerspec due = {0};
	int fd;

	if (seconds <= 0)
		return -1;
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	due.it_value.tv_sec = (time_t)seconds;
	due.it_value.tv_nsec = (long)((seconds - (double)due.it_value.tv_sec) * 1e9);
	if (due.it_value.tv_sec == 0 && due.it_value.tv_nsec == 0)
		due.it_value.tv_nsec = 1;
	if (fd >= 0)
		timerfd_settime(fd, 0, &due, NULL);
	return fd;
}

static void on_signal(struct machine *m, int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGPWR)
		power_dev_press(m->power);
	else
		outcome_set(&m->outcome, OUTCOME_SIGNAL, info.ssi_signo, NULL);
}

static void type_size(struct machine *m)
{
	unsigned rows, columns;
	char line[64];
	int n;

	terminal_size(&rows, &columns);
	n = snprintf(line, sizeof(line), "stty rows %u cols %u\n", rows, columns);
	console_type(&m->console, line, (size_t)n);
}

static void act(struct machine *m, enum console_action action)
{
	switch (action) {
	case CONSOLE_QUIT:
		outcome_set(&m->outcome, OUTCOME_QUIT, 0, NULL);
		break;
	case CONSOLE_HELP:
		fputs(CONSOLE_KEYS_HELP, stderr);
		break;
	case CONSOLE_POWER:
		power_dev_press(m->power);
		break;
	case CONSOLE_SIZE:
		type_size(m);
		break;
	case CONSOLE_NOTHING:
		break;
	}
}

/* What a person typed: the keys of vpup's own are taken out. */
static void on_keys(struct machine *m, uint8_t *data, size_t size)
{
	enum console_action action;
	size_t used, kept;

	for (size_t done = 0; done < size; done += used) {
		used = console_keys_filter(&m->console.keys, data + done, size - done, data + done,
					   &kept, &action);
		uart_dev_input(m->com1, data + done, kept);
		act(m, action);
	}
}

/*
 * Passes on what COM1 has room for. At the end of the input a console just stays silent; a command
 * (--exec) is told.
 */
static void on_input(struct machine *m, struct pollfd *p)
{
	static const uint8_t end_of_file[] = {CTRL_D};
	uint8_t data[64];
	size_t room = uart_dev_room(m->com1);
	ssize_t n;

	if (room == 0)
		return;
	n = read(p->fd, data, room < sizeof(data) ? room : sizeof(data));
	if (n > 0 && m->console.escapes)
		on_keys(m, data, (size_t)n);
	else if (n > 0)
		uart_dev_input(m->com1, data, (size_t)n);
	if (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)))
		return;
	if (m->cfg->exec && m->console.is_pipe)
		console_type(&m->console, end_of_file, sizeof(end_of_file));
	console_input_end(&m->console);
}

/* True: COM1 has room for more. What comes before a guest listens would be lost. */
static bool feed_typed(struct machine *m)
{
	struct console *c = &m->console;
	size_t taken;

	if ((m->cfg->exec && !atomic_load(&m->input_ready)) || uart_dev_room(m->com1) == 0)
		return false;
	if (c->typed_size == 0)
		return true;
	taken = uart_dev_input(m->com1, c->typed, c->typed_size);
	c->typed_size -= taken;
	memmove(c->typed, c->typed + taken, c->typed_size);
	return uart_dev_room(m->com1) != 0;
}

static void drain(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof(count)) < 0)
		return; /* somebody else was faster */
}

void run_loop(struct machine *m, int signal_fd)
{
	struct pollfd p[FDS] = {
		[FD_OUTCOME] = {.fd = m->outcome.event_fd, .events = POLLIN},
		[FD_SIGNAL] = {.fd = signal_fd, .events = POLLIN},
		[FD_TIMEOUT] = {.fd = timeout_fd(m->cfg->timeout_s), .events = POLLIN},
		[FD_POWER_OFF] = {.fd = timeout_fd(m->cfg->power_off_s), .events = POLLIN},
		[FD_CONSOLE_TIMER] = {.fd = m->console.timer_fd, .events = POLLIN},
		[FD_UART_SPACE] = {.fd = uart_dev_space_fd(m->com1), .events = POLLIN},
		[FD_HYPERV] = {.fd = m->hv_side ? m->hv_side->fd(m) : -1, .events = POLLIN},
		[FD_INPUT] = {.fd = -1, .events = POLLIN},
		[FD_CONSOLE_LISTEN] = {.fd = -1, .events = POLLIN},
	};

	while (!p[FD_OUTCOME].revents) {
		/* Negative descriptors are left out by poll(). */
		p[FD_INPUT].fd = feed_typed(m) ? m->console.in_fd : -1;
		p[FD_CONSOLE_LISTEN].fd = m->console.in_fd < 0 ? m->console.listen_fd : -1;
		if (poll(p, FDS, -1) < 0)
			continue; /* EINTR: a stop and continue */
		if (p[FD_SIGNAL].revents)
			on_signal(m, signal_fd);
		if (p[FD_TIMEOUT].revents)
			outcome_set(&m->outcome, OUTCOME_TIMEOUT, 0, NULL);
		if (p[FD_POWER_OFF].revents) {
			drain(p[FD_POWER_OFF].fd);
			power_dev_press(m->power);
		}
		if (p[FD_CONSOLE_TIMER].revents) {
			drain(p[FD_CONSOLE_TIMER].fd);
			console_flush(&m->console);
		}
		if (p[FD_UART_SPACE].revents)
			drain(p[FD_UART_SPACE].fd);
		if (p[FD_HYPERV].revents)
			m->hv_side->serve(m);
		if (p[FD_CONSOLE_LISTEN].revents)
			console_accept(&m->console);
		if (p[FD_INPUT].revents)
			on_input(m, &p[FD_INPUT]);
	}
	if (p[FD_TIMEOUT].fd >= 0)
		close(p[FD_TIMEOUT].fd);
	if (p[FD_POWER_OFF].fd >= 0)
		close(p[FD_POWER_OFF].fd);
}
