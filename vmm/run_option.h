/* SPDX-License-Identifier: MIT */
/* One option of `vpup run`: what it is called, and where its argument goes. */
#ifndef VPUP_VMM_RUN_OPTION_H
#define VPUP_VMM_RUN_OPTION_H

#include <stddef.h>

#include "vmm/config.h"

#define RUN_OPTION_CMD "run"

enum run_option_kind {
	RUN_OPTION_PARSED, /* parse() knows */
	RUN_OPTION_WORD,   /* const char *: the argument, as it is */
	RUN_OPTION_FLAG,   /* bool: true */
	RUN_OPTION_SWITCH, /* bool: "on" or "off" */
	RUN_OPTION_LIST,   /* const char *[max]: one more argument, as it is */
};

struct run_option {
	const char *name;
	char letter;     /* 0: long form only */
	const char *arg; /* NULL: it takes none */
	const char *help;
	enum run_option_kind kind;
	size_t field; /* in struct vm_config, but for RUN_OPTION_PARSED */
	size_t count; /* unsigned, of RUN_OPTION_LIST */
	unsigned max;
	int (*parse)(struct vm_config *cfg, const char *arg); /* 0, or VPUP_EXIT_USAGE */
};

/* Puts arg, NULL for an option without one, into cfg. 0, or VPUP_EXIT_USAGE with its line printed. */
int run_option_take(const struct run_option *o, struct vm_config *cfg, const char *arg);

/* Parts of that, for parse(). Likewise; name is the option's. */
int run_option_switch(const char *name, const char *arg, bool *out);
int run_option_append(const char *name, const char *arg, const char **list, unsigned *count,
		      unsigned max);

#endif
