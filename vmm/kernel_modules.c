/* SPDX-License-Identifier: MIT */
/* Kernel modules and what they depend on, from the modules themselves. */
#include "vmm/kernel_modules.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vmm/file.h"
#include "vmm/unpack.h"

#define MODULE_BYTES_MAX  (256u << 20)
#define DIR_DEPTH_MAX     12
#define DEPENDS_DEPTH_MAX 16

static const uint8_t elf_magic[] = {0x7f, 'E', 'L', 'F'};

/* "kvm-amd.ko.xz" is the module kvm_amd. False: not the name of a module's file. */
static bool module_name(const char *file, char name[MODULE_NAME_MAX])
{
	const char *base = strrchr(file, '/');
	const char *end;
	size_t length;

	base = base ? base + 1 : file;
	end = strstr(base, ".ko");
	length = end ? (size_t)(end - base) : 0;
	if (!length || length + sizeof(".ko\n") > MODULE_NAME_MAX || (end[3] && end[3] != '.'))
		return false;
	for (size_t i = 0; i < length; i++)
		name[i] = base[i] == '-' ? '_' : base[i];
	name[length] = '\0';
	return true;
}

/* The path, malloc'ed, of a module's file in the tree; NULL: none. */
static char *find_file(const char *dir, const char *name, unsigned depth)
{
	DIR *d = depth < DIR_DEPTH_MAX ? opendir(dir) : NULL;
	char *found = NULL;
	struct dirent *n;

	while (d && !found && (n = readdir(d))) {
		char have[MODULE_NAME_MAX];
		char *path;

		if (n->d_name[0] == '.' || asprintf(&path, "%s/%s", dir, n->d_name) < 0)
			continue;
		if (n->d_type == DT_DIR)
			found = find_file(path, name, depth + 1);
		else if (module_name(n->d_name, have) && strcmp(have, name) == 0)
			found = strdup(path);
		free(path);
	}
	if (d)
		closedir(d);
	return found;
}

static bool is_builtin(const char *dir, const char *name)
{
	char *path, *rest, *line;
	bool found = false;
	uint8_t *text;
	size_t size;

	if (asprintf(&path, "%s/modules.builtin", dir) < 0)
		return false;
	if (file_read(path, MODULE_BYTES_MAX, &text, &size, NULL) == 0) {
		rest = strndup((const char *)text, size);
		for (char *next = rest; !found && (line = strsep(&next, "\n"));) {
			char have[MODULE_NAME_MAX];

			found = module_name(line, have) && strcmp(have, name) == 0;
		}
		free(rest);
		free(text);
	}
	free(path);
	return found;
}

/*
 * The value of a key in .modinfo, which holds "key=value" strings; found by its text, as the names of
 * the keys in question stand at the begin of a string there and nowhere else. Points into data.
 */
static const char *modinfo(const uint8_t *data, size_t size_bytes, const char *key)
{
	size_t length = strlen(key);
	const uint8_t *at = data, *end = data + size_bytes;

	while (at < end && (at = memmem(at, (size_t)(end - at), key, length))) {
		const uint8_t *value = at + length;

		if (at > data && at[-1] == '\0' && memchr(value, '\0', (size_t)(end - value)))
			return (const char *)value;
		at = value;
	}
	return NULL;
}

const char *module_vermagic(const uint8_t *data, size_t size_bytes)
{
	return modinfo(data, size_bytes, "vermagic=");
}

/* Reads a module's file, and unpacks it if it is not an ELF file as it is. */
static int read_module(const char *path, uint8_t **data, size_t *size_bytes, struct err *e)
{
	uint8_t *packed;
	struct err why;
	int ret = file_read(path, MODULE_BYTES_MAX, data, size_bytes, e);

	if (ret)
		return ret;
	if (*size_bytes >= sizeof(elf_magic) && memcmp(*data, elf_magic, sizeof(elf_magic)) == 0)
		return 0;
	packed = *data;
	ret = unpack(packed, *size_bytes, MODULE_BYTES_MAX, data, size_bytes, &why);
	free(packed);
	if (ret)
		return err_set(e, -ret, "module '%.120s': %.100s", path, why.text);
	if (*size_bytes >= sizeof(elf_magic) && memcmp(*data, elf_magic, sizeof(elf_magic)) == 0)
		return 0;
	free(*data);
	return err_set(e, EINVAL, "module '%.180s' is not an ELF file", path);
}

static bool has(const struct modules *m, const char *name)
{
	for (size_t i = 0; i < m->count; i++)
		if (strcmp(m->module[i].name, name) == 0)
			return true;
	return false;
}

static int add_with_needs(struct modules *m, const char *dir, const char *name, unsigned depth,
			  struct err *e);

/* What is missing here is wrong with the tree, and not for the caller to think about. */
static int add_needs(struct modules *m, const char *dir, const char *name, const char *depends,
		     unsigned depth, struct err *e)
{
	char *copy = strdup(depends ? depends : "");
	char *rest = copy, *need;
	int ret = copy ? 0 : err_set(e, ENOMEM, "out of memory");

	while (ret == 0 && (need = strsep(&rest, ","))) {
		ret = *need ? add_with_needs(m, dir, need, depth, e) : 0;
		if (ret == -ENOENT)
			ret = err_set(e, EINVAL, "'%.160s' has no module %.50s, which %s needs",
				      dir, need, name);
	}
	free(copy);
	return ret;
}

/* Takes data in any case. */
static int append(struct modules *m, const char *name, uint8_t *data, size_t size_bytes,
		  struct err *e)
{
	char *copy = strdup(name);

	if (copy && m->count < MODULES_MAX) {
		m->module[m->count++] = (struct module){copy, data, size_bytes};
		return 0;
	}
	free(copy);
	free(data);
	return copy ? err_set(e, E2BIG, "more than %d modules", MODULES_MAX)
		    : err_set(e, ENOMEM, "out of memory");
}

static int add_with_needs(struct modules *m, const char *dir, const char *name, unsigned depth,
			  struct err *e)
{
	char plain[MODULE_NAME_MAX + sizeof(".ko")], wanted[MODULE_NAME_MAX];
	uint8_t *data;
	size_t size;
	char *path;
	int ret;

	snprintf(plain, sizeof(plain), "%.*s.ko", MODULE_NAME_MAX - 1, name);
	if (!module_name(plain, wanted))
		return err_set(e, EINVAL, "'%.60s' is not a module's name", name);
	if (depth > DEPENDS_DEPTH_MAX)
		return err_set(e, ELOOP, "modules depend on each other in a circle: %s", wanted);
	if (has(m, wanted) || is_builtin(dir, wanted))
		return 0;
	path = find_file(dir, wanted, 0);
	if (!path)
		return err_set(e, ENOENT, "no module %s under '%.160s'", wanted, dir);
	ret = read_module(path, &data, &size, e);
	free(path);
	if (ret)
		return ret;
	ret = add_needs(m, dir, wanted, modinfo(data, size, "depends="), depth + 1, e);
	if (ret) {
		free(data);
		return ret;
	}
	return append(m, wanted, data, size, e);
}

int modules_add(struct modules *m, const char *dir, const char *name, struct err *e)
{
	struct stat st;

	if (stat(dir, &st) || !S_ISDIR(st.st_mode))
		return err_set(e, ENOTDIR, "'%.200s' is not a directory of modules", dir);
	return add_with_needs(m, dir, name, 0, e);
}

void modules_fini(struct modules *m)
{
	for (size_t i = 0; i < m->count; i++) {
		free(m->module[i].name);
		free(m->module[i].data);
	}
	*m = (struct modules){0};
}
