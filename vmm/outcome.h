/* SPDX-License-Identifier: MIT */
/* How a run ends: the first reason that anybody gives, with a way to wait for it. */
#ifndef VPUP_VMM_OUTCOME_H
#define VPUP_VMM_OUTCOME_H

#include <pthread.h>
#include <stdint.h>

#include "vmm/err.h"

enum outcome_kind {
	OUTCOME_NONE,  /* still running */
	OUTCOME_EXIT,  /* the guest wrote `code` to the exit port */
	OUTCOME_QUIT,  /* a person at the console ended the run */
	OUTCOME_OFF,   /* the guest turned itself off */
	OUTCOME_RESET, /* the guest asked for a reset */
	OUTCOME_CRASH, /* triple fault, emulation failure, a failed VM entry */
	OUTCOME_TIMEOUT,
	OUTCOME_SIGNAL,     /* signal number `code` asked vpup to end */
	OUTCOME_HOST_ERROR, /* KVM or a host file failed */
};

struct outcome {
	pthread_mutex_t lock;
	enum outcome_kind kind;
	uint32_t code;
	uint64_t end_tsc;
	char text[256]; /* for a person; "" when there is nothing to add */
	int event_fd;   /* readable once the outcome is there */
};

/* Returns 0 or -errno with e set. */
int outcome_init(struct outcome *o, struct err *e);
void outcome_fini(struct outcome *o);

/* Sets the outcome unless there is one already. Any thread; fmt may be NULL. */
void outcome_set(struct outcome *o, enum outcome_kind kind, uint32_t code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
