/* SPDX-License-Identifier: MIT */
/* Takes the argument of a `vpup run` option by its kind. */
#include "vmm/run_option.h"

#include <string.h>

#include "vmm/cli.h"

int run_option_switch(const char *name, const char *arg, bool *out)
{
	*out = strcmp(arg, "on") == 0;
	if (!*out && strcmp(arg, "off"))
		return cli_fail(RUN_OPTION_CMD, "--%s: '%s' is not on or off", name, arg);
	return 0;
}

int run_option_append(const char *name, const char *arg, const char **list, unsigned *count,
		      unsigned max)
{
	if (*count == max)
		return cli_fail(RUN_OPTION_CMD, "--%s: more than %u of them", name, max);
	list[(*count)++] = arg;
	return 0;
}

int run_option_take(const struct run_option *o, struct vm_config *cfg, const char *arg)
{
	void *field = (char *)cfg + o->field;

	switch (o->kind) {
	case RUN_OPTION_WORD:
		*(const char **)field = arg;
		return 0;
	case RUN_OPTION_FLAG:
		*(bool *)field = true;
		return 0;
	case RUN_OPTION_SWITCH:
		return run_option_switch(o->name, arg, field);
	case RUN_OPTION_LIST:
		return run_option_append(o->name, arg, field, (unsigned *)((char *)cfg + o->count),
					 o->max);
	default:
		return o->parse(cfg, arg);
	}
}
