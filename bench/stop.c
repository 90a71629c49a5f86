/* SPDX-License-Identifier: MIT */
/* Signals that end a command which has children to end first. */
#include "bench/stop.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

int stop_open(struct stop *s, struct err *e)
{
	s->fd = -1;
	sigemptyset(&s->signals);
	sigaddset(&s->signals, SIGINT);
	sigaddset(&s->signals, SIGTERM);
	sigaddset(&s->signals, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &s->signals, NULL))
		return err_set(e, errno, "can't block signals: %s", strerror(errno));
	s->fd = signalfd(-1, &s->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return err_set(e, errno, "can't watch signals: %s", strerror(errno));
	return 0;
}

void stop_close(struct stop *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

void stop_die(struct stop *s)
{
	struct signalfd_siginfo info;

	if (read(s->fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	signal((int)info.ssi_signo, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &s->signals, NULL);
	raise((int)info.ssi_signo);
}
