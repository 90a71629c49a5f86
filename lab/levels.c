/* SPDX-License-Identifier: MIT */
/* Nests labs in labs: L1 has the kernel and the modules of which it is made itself. */
#include "lab/levels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/l1_paths.h"
#include "lab/words.h"

#define L1_KERNEL "/lab/vmlinux"

#define WORDS_ADDED 16 /* at most */

/* What COMMAND names as its timeline, or NULL. */
static const char *named_timeline(char *const *command)
{
	const char *found = NULL;

	for (; *command && !found; command++)
		found = words_argument("--timeline", command);
	return found;
}

const char *levels_timeline(const struct lab_options *o)
{
	const char *named = o->depth == 1 ? named_timeline(o->command) : NULL;

	if (!o->timeline || named)
		return o->timeline ? named : NULL;
	return o->depth > 1 || strcmp(o->command[0], "run") == 0 ? o->timeline : NULL;
}

/* Each level has half the memory of the one around it, and this machine's CPUs. */
static size_t add_lab(char **list, const struct lab_options *o)
{
	static char *const depth[] = {"1", "2", "3"};
	static char *const memory[] = {"256M", "512M", "1G", "2G", "4G"};
	static char *const fixed[] = {
		"lab",     "--engine",     "vpup",     "--l1-kernel",
		L1_KERNEL, "--l1-modules", L1_MODULES, "--l1-memory",
	};
	size_t n = sizeof(fixed) / sizeof(fixed[0]), m = 0;

	memcpy(list, fixed, sizeof(fixed));
	while (m + 1 < sizeof(memory) / sizeof(memory[0]) &&
	       o->l1_memory_bytes >> 1 >= LEVELS_MEMORY_MIN << (m + 1))
		m++;
	list[n++] = memory[m];
	list[n++] = "--hyperv";
	list[n++] = (char *)o->hyperv;
	list[n++] = "--depth";
	list[n++] = depth[o->depth - 2];
	return n;
}

int levels_command(char ***command, const struct lab_options *o, struct err *e)
{
	const char *timeline = levels_timeline(o);
	size_t words = 0, n = 0, from = 0;
	char **list;

	while (o->command[words])
		words++;
	list = malloc((words + WORDS_ADDED + 1) * sizeof(*list));
	if (!list)
		return err_set(e, ENOMEM, "out of memory");
	if (o->depth > 1)
		n = add_lab(list, o);
	else
		list[n++] = o->command[from++];
	if (timeline && timeline == o->timeline) {
		list[n++] = "--timeline";
		list[n++] = (char *)timeline;
	}
	if (o->depth > 1)
		list[n++] = "--";
	memcpy(list + n, o->command + from, (words - from + 1) * sizeof(*list));
	*command = list;
	return 0;
}

int levels_add_files(struct files *f, const struct lab_options *o, const struct l1_kernel *k,
		     struct err *e)
{
	uint8_t *copy;

	if (o->depth > 1) {
		copy = malloc(k->size_bytes);
		if (!copy)
			return err_set(e, ENOMEM, "out of memory");
		memcpy(copy, k->data, k->size_bytes);
		files_add(f, L1_KERNEL, 0644, copy, k->size_bytes);
	}
	return 0;
}
