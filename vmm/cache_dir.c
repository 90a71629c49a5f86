/* SPDX-License-Identifier: MIT */
/* The cache's place, and the names of cached kernels. */
#include "vmm/cache_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *cache_dir(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char *path;
	int n = -1;

	/* The XDG base directory specification: a relative path is to be ignored. */
	if (cache && cache[0] == '/')
		n = asprintf(&path, "%s/vpup", cache);
	else if (home && home[0] == '/')
		n = asprintf(&path, "%s/.cache/vpup", home);
	return n < 0 ? NULL : path;
}

int cache_dir_make(const char *path)
{
	char *copy = strdup(path);
	int ret = copy ? 0 : -1;

	for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash && ret == 0;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		ret = mkdir(copy, 0777) && errno != EEXIST ? -1 : 0;
		*slash = '/';
	}
	if (ret == 0)
		ret = mkdir(copy, 0777) && errno != EEXIST ? -1 : 0;
	free(copy);
	return ret;
}

bool kernel_name_is_cached(const char *name)
{
	return strncmp(name, KERNEL_NAME_PREFIX, strlen(KERNEL_NAME_PREFIX)) == 0;
}

/* A path beside the kernel that such a name stands for, malloc'ed. NULL: no place for a cache. */
static char *in_cache(const char *name, const char *file)
{
	char *dir = cache_dir(), *path;

	if (!dir ||
	    asprintf(&path, "%s/kernel-%s/%s", dir, name + strlen(KERNEL_NAME_PREFIX), file) < 0)
		path = NULL;
	free(dir);
	return path;
}

int kernel_name_path(const char *name, char **path, struct err *e)
{
	const char *version = name + strlen(KERNEL_NAME_PREFIX);

	if (!kernel_name_is_cached(name)) {
		*path = strdup(name);
		return *path ? 0 : err_set(e, ENOMEM, "out of memory");
	}
	if (!*version || strchr(version, '/'))
		return err_set(e, ENOENT, "'%.60s' is not lab:6.1 or lab:6.12", name);
	*path = in_cache(name, "vmlinuz");
	if (!*path)
		return err_set(e, ENOMEM, "no place for a cache: set XDG_CACHE_HOME or HOME");
	if (access(*path, F_OK) == 0)
		return 0;
	free(*path);
	*path = NULL;
	return err_set(e, ENOENT, "%s is not in the cache; 'vpup lab fetch %s' gets it", name,
		       version);
}

char *kernel_name_modules(const char *name)
{
	return kernel_name_is_cached(name) ? in_cache(name, "modules") : NULL;
}
