/* SPDX-License-Identifier: MIT */
/* The list of built-in scenarios. */
#include "bench/scenario.h"

#include <string.h>

const struct scenario *const scenarios[] = {
	&scenario_lpj,
	&scenario_exits,
	&scenario_startup,
	NULL,
};

const struct scenario *scenario_find(const char *name)
{
	for (size_t i = 0; scenarios[i]; i++) {
		if (strcmp(scenarios[i]->name, name) == 0)
			return scenarios[i];
	}
	return NULL;
}
