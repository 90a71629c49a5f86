/* SPDX-License-Identifier: MIT */
/* Debian kernels in the cache: unpacked by dpkg-deb, checked against sums taken then. */
#include "lab/store.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/spawn.h"
#include "vmm/cache_dir.h"
#include "vmm/file.h"
#include "vmm/outfile.h"

#define STORED_BYTES_MAX (512ull << 20)
#define TREE_FDS         16
#define SUMS_BYTES       (2 * DIGEST_HEX) /* of two lines */

static char *join(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

static char *version_dir(const struct cache *c, const char *version)
{
	char *name, *path;

	if (asprintf(&name, "kernel-%s", version) < 0)
		return NULL;
	path = cache_path(c, name);
	free(name);
	return path;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, TREE_FDS, FTW_DEPTH | FTW_PHYS);
}

/* The digest of a file, or of nothing where it can't be read. */
static struct digest file_digest(const char *path)
{
	struct digest d = {0};
	uint8_t *data;
	size_t size;

	if (file_read(path, STORED_BYTES_MAX, &data, &size, NULL) == 0) {
		d = digest_of(data, size);
		free(data);
	}
	return d;
}

/*
 * The sum over a tree: of its files' own digests and names, added up, so that their order on disk
 * does not matter. nftw() has no argument for its function, so this walks by itself.
 */
static void tree_sum(const char *dir, struct digest *sum)
{
	DIR *d = opendir(dir);
	struct dirent *n;

	while (d && (n = readdir(d))) {
		char *path = n->d_name[0] == '.' ? NULL : join(dir, n->d_name);

		if (path && n->d_type == DT_DIR) {
			tree_sum(path, sum);
		} else if (path && n->d_type == DT_REG) {
			struct digest file = file_digest(path);
			struct digest name = digest_of(n->d_name, strlen(n->d_name));

			sum->low += file.low ^ name.low;
			sum->high += file.high ^ name.high;
		}
		free(path);
	}
	if (d)
		closedir(d);
}

/* Of the kernel and its modules together. */
static void content_hex(const char *dir, char hex[DIGEST_HEX])
{
	char *kernel = join(dir, "vmlinuz"), *modules = join(dir, "modules");
	struct digest sum = kernel ? file_digest(kernel) : (struct digest){0};

	if (modules)
		tree_sum(modules, &sum);
	digest_hex(sum, hex);
	free(modules);
	free(kernel);
}

static void package_hex(const char *dir, char hex[DIGEST_HEX])
{
	char *package = join(dir, "package.deb");

	digest_hex(package ? file_digest(package) : (struct digest){0}, hex);
	free(package);
}

enum state { STORE_WHOLE, STORE_DAMAGED, STORE_LOST };

/* Damaged: it can be unpacked again. Lost: so is the package. */
static enum state check(const char *dir)
{
	char *path = join(dir, "sums");
	enum state state = STORE_LOST;
	char hex[DIGEST_HEX];
	uint8_t *then;
	size_t size;

	if (path && file_read(path, SUMS_BYTES, &then, &size, NULL) == 0) {
		content_hex(dir, hex);
		if (size == SUMS_BYTES && memcmp(then, hex, DIGEST_HEX - 1) == 0)
			state = STORE_WHOLE;
		else
			package_hex(dir, hex);
		if (state == STORE_LOST && size == SUMS_BYTES &&
		    memcmp(then + DIGEST_HEX, hex, DIGEST_HEX - 1) == 0)
			state = STORE_DAMAGED;
		free(then);
	}
	free(path);
	return state;
}

/* The one entry of a directory whose name begins like that, malloc'ed; NULL: none. */
static char *only_entry(const char *dir, const char *prefix)
{
	DIR *d = opendir(dir);
	char *found = NULL;
	struct dirent *n;

	while (d && !found && (n = readdir(d)))
		if (n->d_name[0] != '.' && strncmp(n->d_name, prefix, strlen(prefix)) == 0)
			found = join(dir, n->d_name);
	if (d)
		closedir(d);
	return found;
}

/* Moves what a package has under `from` (its first entry like prefix) to DIR/to. */
static int take(const char *dir, const char *from, const char *prefix, const char *to)
{
	char *where = join(dir, from), *target = join(dir, to);
	char *source = where ? only_entry(where, prefix) : NULL;
	int ret = source && target && rename(source, target) == 0 ? 0 : -ENOENT;

	free(source);
	free(target);
	free(where);
	return ret;
}

/* Two lines: kernel and modules, and the package. */
static int write_sums(const char *dir, struct err *e)
{
	char content[DIGEST_HEX], package[DIGEST_HEX], text[SUMS_BYTES + 1];
	char *path = join(dir, "sums");
	int ret = path ? 0 : err_set(e, ENOMEM, "out of memory");

	content_hex(dir, content);
	package_hex(dir, package);
	snprintf(text, sizeof(text), "%s\n%s\n", content, package);
	if (ret == 0)
		ret = outfile_write(path, text, SUMS_BYTES, e);
	free(path);
	return ret;
}

/* Makes dir, which is new, from the package, which moves into it. */
static int fill(const char *dir, const char *package, struct err *e)
{
	char *argv[] = {"dpkg-deb", "-x", (char *)package, (char *)dir, NULL};
	char *kept = join(dir, "package.deb"), *out;
	size_t size;
	int ret = kept ? 0 : err_set(e, ENOMEM, "out of memory");

	if (ret == 0 && cache_dir_make(dir))
		ret = err_set(e, errno, "can't make '%.180s': %s", dir, strerror(errno));
	if (ret == 0)
		ret = spawn_output(argv, &out, &size, e);
	if (ret == 0) {
		free(out);
		if (take(dir, "boot", "vmlinuz-", "vmlinuz") ||
		    (take(dir, "lib/modules", "", "modules") &&
		     take(dir, "usr/lib/modules", "", "modules")))
			ret = err_set(e, EINVAL, "'%.180s' is not a package of a kernel", package);
	}
	if (ret == 0 && rename(package, kept))
		ret = err_set(e, errno, "can't keep '%.180s': %s", package, strerror(errno));
	free(kept);
	return ret ? ret : write_sums(dir, e);
}

int store_add(struct cache *c, const char *version, const char *package, struct err *e)
{
	char *dir = version_dir(c, version), *fresh = NULL;
	int ret = 0;

	if (!dir || asprintf(&fresh, "%s.new", dir) < 0)
		ret = err_set(e, ENOMEM, "out of memory");
	if (ret == 0) {
		remove_tree(fresh);
		ret = fill(fresh, package, e);
	}
	if (ret == 0) {
		remove_tree(dir);
		if (rename(fresh, dir))
			ret = err_set(e, errno, "can't make '%.180s': %s", dir, strerror(errno));
	}
	if (ret && fresh)
		remove_tree(fresh);
	free(fresh);
	free(dir);
	return ret;
}

/* Unpacks a damaged kernel once more, from its own package. */
static int repair(struct cache *c, const char *version, const char *dir, struct err *e)
{
	char *package = join(dir, "package.deb"), *moved = cache_path(c, "package.deb");
	int ret = package && moved ? 0 : err_set(e, ENOMEM, "out of memory");

	if (ret == 0 && rename(package, moved))
		ret = err_set(e, errno, "can't move '%.180s': %s", package, strerror(errno));
	if (ret == 0)
		ret = store_add(c, version, moved, e);
	free(package);
	free(moved);
	return ret;
}

static int find_locked(struct cache *c, const char *version, const char *dir, struct err *e)
{
	switch (check(dir)) {
	case STORE_WHOLE:
		return 0;
	case STORE_DAMAGED:
		return repair(c, version, dir, e);
	case STORE_LOST:
		break;
	}
	return err_set(e, ENOENT,
		       "no kernel %s in the cache, or a damaged one; 'vpup lab fetch %s' gets it",
		       version, version);
}

int store_find(struct cache *c, const char *version, char **kernel, char **modules, struct err *e)
{
	char *dir = version_dir(c, version);
	int ret = dir ? cache_lock(c, e) : err_set(e, ENOMEM, "out of memory");

	*kernel = *modules = NULL;
	if (ret == 0)
		ret = find_locked(c, version, dir, e);
	cache_unlock(c);
	if (ret == 0) {
		*kernel = join(dir, "vmlinuz");
		*modules = join(dir, "modules");
		if (!*kernel || !*modules)
			ret = err_set(e, ENOMEM, "out of memory");
	}
	free(dir);
	return ret;
}
