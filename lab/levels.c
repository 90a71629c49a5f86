/* SPDX-License-Identifier: MIT */
/* Nests labs in labs: L1 has the kernel and the modules of which it is made itself. */
#include "lab/levels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/l1_paths.h"

#define L1_KERNEL "/lab/vmlinux"

/* Each level has half the memory of the one around it, and as many CPUs. */
static char *inner[] = {
	"lab",          "--engine", "vpup",        "--l1-kernel", L1_KERNEL,
	"--l1-modules", L1_MODULES, "--l1-memory", "1G",          "--hyperv",
};

#define INNER (sizeof(inner) / sizeof(inner[0]))

int levels_command(char ***command, const struct lab_options *o, struct err *e)
{
	static char *const depth[] = {"1", "2", "3"};
	size_t words = 0, n = 0;
	char **list;

	while (o->command[words])
		words++;
	list = malloc((words + INNER + 5) * sizeof(*list));
	if (!list)
		return err_set(e, ENOMEM, "out of memory");
	if (o->depth > 1) {
		memcpy(list, inner, sizeof(inner));
		n = INNER;
		list[n++] = (char *)o->hyperv;
		list[n++] = "--depth";
		list[n++] = depth[o->depth - 2];
		list[n++] = "--";
	}
	memcpy(list + n, o->command, (words + 1) * sizeof(*list));
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
