/* SPDX-License-Identifier: MIT */
/* Kernel modules for the initramfs of --exec. */
#include "vmm/kernel_modules.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guest-kernel/abi/init.h"
#include "vmm/file.h"
#include "vmm/unpack.h"

#define MODULES_MAX      64
#define MODULE_MAX_BYTES (64u << 20)
#define DEPTH_MAX        16
#define NAME_BYTES       64
#define DEPENDS          "depends=" /* in a module's .modinfo: names, separated by commas */

/* Those that were added, in this order. */
struct set {
	struct cpio *c;
	const char *dir;
	unsigned count, depth;
	char name[MODULES_MAX][NAME_BYTES];
};

/* Is file the module name? In names '-' and '_' are the same. */
static bool is_module(const char *file, const char *name)
{
	for (; *name; name++, file++)
		if (*file != *name && !(strchr("-_", *file) && strchr("-_", *name) && *file))
			return false;
	return strncmp(file, ".ko", 3) == 0 && (file[3] == '\0' || file[3] == '.');
}

/* The module's path below dir, malloc'ed; NULL: it is not there. */
static char *find_module(const char *dir, const char *name)
{
	char *const roots[] = {(char *)dir, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	char *path = NULL;
	FTSENT *entry;

	while (walk && !path && (entry = fts_read(walk)))
		if (entry->fts_info == FTS_F && is_module(entry->fts_name, name))
			path = strdup(entry->fts_path);
	if (walk)
		fts_close(walk);
	return path;
}

static int read_module(const char *path, uint8_t **data, size_t *size, struct err *e)
{
	uint8_t *file;
	struct err why;
	int ret = file_read(path, MODULE_MAX_BYTES, &file, size, e);

	*data = file;
	if (ret || (*size > 4 && memcmp(file, "\x7f\x45LF", 4) == 0))
		return ret;
	ret = unpack(file, *size, MODULE_MAX_BYTES, data, size, &why);
	free(file);
	return ret ? err_set(e, -ret, "'%s' %s", path, why.text) : 0;
}

static int add(struct set *s, const char *name, const char *needed_by, struct err *e);

static int add_dependencies(struct set *s, const char *name, const uint8_t *data, size_t size,
			    struct err *e)
{
	const char *p = memmem(data, size, DEPENDS, strlen(DEPENDS));
	char list[1024] = "", *save = NULL;
	int ret = 0;

	if (p) {
		p += strlen(DEPENDS);
		size -= (size_t)((const uint8_t *)p - data);
		snprintf(list, sizeof(list), "%.*s", (int)strnlen(p, size), p);
	}
	for (char *dep = strtok_r(list, ",", &save); dep && ret == 0;
	     dep = strtok_r(NULL, ",", &save))
		ret = add(s, dep, name, e);
	return ret;
}

static int add_file(struct set *s, const char *name, const char *path, struct err *e)
{
	char target[NAME_BYTES + 64];
	uint8_t *data;
	size_t size;
	int ret = read_module(path, &data, &size, e);

	if (ret)
		return ret;
	ret = ++s->depth > DEPTH_MAX
		      ? err_set(e, ELOOP, "%s: modules depend on each other in a circle", path)
		      : add_dependencies(s, name, data, size, e);
	s->depth--;
	if (ret == 0 && s->count == MODULES_MAX)
		ret = err_set(e, E2BIG, "more than %d modules", MODULES_MAX);
	if (ret == 0) {
		snprintf(target, sizeof(target), "%s/%02u-%s.ko", &INIT_MODULES_DIR[1], s->count,
			 name);
		cpio_add_file(s->c, target, 0644, data, size);
		snprintf(s->name[s->count++], NAME_BYTES, "%s", name);
	}
	free(data);
	return ret;
}

static int add(struct set *s, const char *name, const char *needed_by, struct err *e)
{
	char *path;
	int ret;

	for (unsigned i = 0; i < s->count; i++)
		if (strcmp(s->name[i], name) == 0)
			return 0;
	if (strlen(name) >= NAME_BYTES)
		return err_set(e, ENAMETOOLONG, "a module's name is too long: %s", name);
	path = find_module(s->dir, name);
	if (!path && needed_by)
		return err_set(e, ENOENT, "'%s' has no module %s, which %s needs", s->dir, name,
			       needed_by);
	ret = path ? add_file(s, name, path, e) : 0;
	free(path);
	return ret;
}

int kernel_modules_add(struct cpio *c, const char *dir, const char *const *names, struct err *e)
{
	struct set s = {.c = c, .dir = dir};
	struct stat st;
	int ret = 0;

	if (stat(dir, &st) || !S_ISDIR(st.st_mode))
		return err_set(e, ENOENT, "modules: '%s' is not a directory", dir);
	cpio_add_parents(c, &INIT_MODULES_DIR[1]);
	cpio_add_dir(c, &INIT_MODULES_DIR[1]);
	for (; *names && ret == 0; names++)
		ret = add(&s, *names, NULL, e);
	return ret;
}
