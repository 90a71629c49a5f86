/* SPDX-License-Identifier: MIT */
/* Programs and libraries of this host for L1. */
#include "lab/libs.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "vmm/program_files.h"

#define SHELL "/bin/sh"

/* Adds all that are listed but `without`, as they are here; ends the list. */
static int add_listed(struct files *f, struct file_list *l, const char *without, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; i < l->count && ret == 0; i++)
		if (strcmp(l->path[i], without) && !files_find(f, l->path[i]))
			ret = files_copy(f, l->path[i], l->path[i], e);
	file_list_fini(l);
	return ret;
}

int libs_add_program(struct files *f, const char *path, const char *program, struct err *e)
{
	struct file_list list = {0};
	int ret = files_copy(f, path, program, e);

	if (ret == 0)
		ret = program_files_add(&list, program, e);
	if (ret) {
		file_list_fini(&list);
		return ret;
	}
	return add_listed(f, &list, program, e);
}

int libs_add_command(struct files *f, const char *command, struct err *e)
{
	struct file_list list = {0};
	int ret = program_files_add(&list, SHELL, e);

	if (ret == 0)
		ret = program_files_add_words(&list, command, e);
	if (ret) {
		file_list_fini(&list);
		return ret;
	}
	return add_listed(f, &list, "", e);
}

int libs_add_library(struct files *f, const char *name, struct err *e)
{
	void *handle = dlopen(name, RTLD_LAZY);
	struct link_map *map;
	int ret = 0;

	if (!handle)
		return 0;
	/* It, and whatever has been loaded into this process: what it needs is behind it. */
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) {
		for (; map && ret == 0; map = map->l_next)
			if (map->l_name[0] == '/' && !files_find(f, map->l_name))
				ret = files_copy(f, map->l_name, map->l_name, e);
	}
	dlclose(handle);
	return ret;
}
