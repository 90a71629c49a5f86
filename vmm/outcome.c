/* SPDX-License-Identifier: MIT */
/* How a run ends: the first reason that anybody gives, with a way to wait for it. */
#include "vmm/outcome.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "vmm/tsc.h"

int outcome_init(struct outcome *o, struct err *e)
{
	*o = (struct outcome){.lock = PTHREAD_MUTEX_INITIALIZER};
	o->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (o->event_fd < 0)
		return err_set(e, errno, "can't create an eventfd: %s", strerror(errno));
	return 0;
}

void outcome_fini(struct outcome *o)
{
	if (o->event_fd >= 0)
		close(o->event_fd);
	o->event_fd = -1;
}

void outcome_set(struct outcome *o, enum outcome_kind kind, uint32_t code, const char *fmt, ...)
{
	va_list ap;

	pthread_mutex_lock(&o->lock);
	if (o->kind == OUTCOME_NONE) {
		o->kind = kind;
		o->code = code;
		o->end_tsc = tsc_now();
		if (fmt) {
			va_start(ap, fmt);
			vsnprintf(o->text, sizeof(o->text), fmt, ap);
			va_end(ap);
		}
		eventfd_write(o->event_fd, 1);
	}
	pthread_mutex_unlock(&o->lock);
}
