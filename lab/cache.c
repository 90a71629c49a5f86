/* SPDX-License-Identifier: MIT */
/* Files named KIND-KEY-CHECKSUM, written beside and renamed. */
#include "lab/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vmm/cache_dir.h"
#include "vmm/file.h"
#include "vmm/outfile.h"

#define ENTRY_BYTES_MAX (512ull << 20)
#define ENTRIES_KEPT    4 /* of a kind: those used last */

int cache_open(struct cache *c, struct err *e)
{
	*c = (struct cache){.lock_fd = -1};
	c->dir = cache_dir();
	if (!c->dir)
		return err_set(e, ENOENT,
			       "no place for a cache: set XDG_CACHE_HOME or HOME to a directory");
	if (cache_dir_make(c->dir)) {
		int code = errno;

		err_set(e, code, "can't make the cache '%.180s': %s", c->dir, strerror(code));
		cache_close(c);
		return -code;
	}
	return 0;
}

void cache_close(struct cache *c)
{
	cache_unlock(c);
	free(c->dir);
	c->dir = NULL;
}

char *cache_path(const struct cache *c, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", c->dir, name) < 0 ? NULL : path;
}

int cache_lock(struct cache *c, struct err *e)
{
	char *path = cache_path(c, "lock");
	int ret = 0;

	if (!path)
		return err_set(e, ENOMEM, "out of memory");
	c->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (c->lock_fd < 0)
		ret = err_set(e, errno, "can't open '%.180s': %s", path, strerror(errno));
	while (ret == 0 && flock(c->lock_fd, LOCK_EX)) {
		if (errno != EINTR)
			ret = err_set(e, errno, "can't lock '%.180s': %s", path, strerror(errno));
	}
	free(path);
	return ret;
}

void cache_unlock(struct cache *c)
{
	if (c->lock_fd >= 0)
		close(c->lock_fd);
	c->lock_fd = -1;
}

/* "KIND-KEY-", which the names of an entry begin with. */
static char *entry_prefix(const char *kind, struct digest key)
{
	char hex[DIGEST_HEX];
	char *prefix;

	digest_hex(key, hex);
	return asprintf(&prefix, "%s-%s-", kind, hex) < 0 ? NULL : prefix;
}

/* Is what the file holds what its name says? */
static bool entry_read(const char *path, const char *sum, uint8_t **data, size_t *size_bytes)
{
	char hex[DIGEST_HEX];

	if (file_read(path, ENTRY_BYTES_MAX, data, size_bytes, NULL))
		return false;
	digest_hex(digest_of(*data, *size_bytes), hex);
	if (strcmp(hex, sum) == 0)
		return true;
	free(*data);
	*data = NULL;
	return false;
}

int cache_get(struct cache *c, const char *kind, struct digest key, uint8_t **data,
	      size_t *size_bytes)
{
	char *prefix = entry_prefix(kind, key);
	DIR *dir = prefix ? opendir(c->dir) : NULL;
	struct dirent *d;
	int ret = -ENOENT;

	*data = NULL;
	while (dir && ret && (d = readdir(dir))) {
		char *path;

		if (strncmp(d->d_name, prefix, strlen(prefix)))
			continue;
		path = cache_path(c, d->d_name);
		if (!path)
			break;
		if (entry_read(path, d->d_name + strlen(prefix), data, size_bytes)) {
			utimensat(AT_FDCWD, path, NULL, 0); /* used now: kept for longer */
			ret = 0;
		} else {
			unlink(path);
		}
		free(path);
	}
	if (dir)
		closedir(dir);
	free(prefix);
	return ret;
}

struct candidate {
	char name[256];
	struct timespec used;
};

static bool is_older(const struct candidate *a, const struct candidate *b)
{
	if (a->used.tv_sec != b->used.tv_sec)
		return a->used.tv_sec < b->used.tv_sec;
	return a->used.tv_nsec < b->used.tv_nsec;
}

/* Finds the entry of that kind that has not been used for longest, and counts them all. */
static unsigned find_oldest(DIR *dir, const char *kind, struct candidate *oldest)
{
	size_t length = strlen(kind);
	unsigned count = 0;
	struct dirent *d;

	rewinddir(dir);
	while ((d = readdir(dir))) {
		struct candidate found;
		struct stat st;

		if (strncmp(d->d_name, kind, length) || d->d_name[length] != '-' ||
		    fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		found.used = st.st_mtim;
		snprintf(found.name, sizeof(found.name), "%s", d->d_name);
		if (count++ == 0 || is_older(&found, oldest))
			*oldest = found;
	}
	return count;
}

static void drop_oldest(const struct cache *c, const char *kind)
{
	DIR *dir = opendir(c->dir);
	struct candidate oldest;

	while (dir && find_oldest(dir, kind, &oldest) > ENTRIES_KEPT) {
		if (unlinkat(dirfd(dir), oldest.name, 0))
			break;
	}
	if (dir)
		closedir(dir);
}

int cache_put(struct cache *c, const char *kind, struct digest key, const void *data,
	      size_t size_bytes, struct err *e)
{
	char *prefix = entry_prefix(kind, key), *path = NULL;
	char hex[DIGEST_HEX];
	int ret;

	digest_hex(digest_of(data, size_bytes), hex);
	if (!prefix || asprintf(&path, "%s/%s%s", c->dir, prefix, hex) < 0) {
		free(prefix);
		return err_set(e, ENOMEM, "out of memory");
	}
	ret = outfile_write(path, data, size_bytes, e);
	if (ret == 0)
		drop_oldest(c, kind);
	free(path);
	free(prefix);
	return ret;
}
