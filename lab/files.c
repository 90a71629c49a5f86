/* SPDX-License-Identifier: MIT */
/* Files and directories for an initramfs. */
#include "lab/files.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vmm/cpio.h"
#include "vmm/file.h"

#define DIR_MODE (S_IFDIR | 0755)

static int compare_paths(const void *a, const void *b)
{
	const struct files_entry *x = a, *y = b;

	return strcmp(x->path, y->path);
}

const struct files_entry *files_find(const struct files *f, const char *path)
{
	const struct files_entry wanted = {.path = (char *)path};
	struct files_entry *const *found = tfind(&wanted, &f->by_path, compare_paths);

	return found ? *found : NULL;
}

static void entry_free(struct files_entry *n)
{
	free(n->path);
	free(n->data);
	free(n);
}

/* False: no memory. */
static bool append(struct files *f, struct files_entry *n)
{
	bool is_full = (f->count & (f->count - 1)) == 0; /* room is for a power of two */
	struct files_entry **grown;

	if (is_full) {
		grown = realloc(f->entry, (f->count ? 2 * f->count : 1) * sizeof(*grown));
		if (!grown)
			return false;
		f->entry = grown;
	}
	if (!tsearch(n, &f->by_path, compare_paths))
		return false;
	f->entry[f->count++] = n;
	return true;
}

static void add(struct files *f, struct files_entry entry)
{
	struct files_entry *n = malloc(sizeof(*n));

	if (!n) {
		free(entry.path);
		free(entry.data);
		f->failed = true;
		return;
	}
	*n = entry;
	if (entry.path && files_find(f, entry.path)) {
		entry_free(n);
	} else if (!entry.path || !append(f, n)) {
		entry_free(n);
		f->failed = true;
	}
}

/* All directories above path, from the top. */
static void add_parents(struct files *f, const char *path)
{
	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/'))
		add(f, (struct files_entry){.path = strndup(path, (size_t)(slash - path)),
					    .mode = DIR_MODE});
}

void files_add(struct files *f, const char *path, mode_t permissions, uint8_t *data,
	       size_t size_bytes)
{
	add_parents(f, path);
	add(f, (struct files_entry){.path = strdup(path),
				    .mode = S_IFREG | permissions,
				    .data = data,
				    .size_bytes = size_bytes});
}

void files_add_dir(struct files *f, const char *path)
{
	if (strcmp(path, "/") == 0)
		return;
	add_parents(f, path);
	add(f, (struct files_entry){.path = strdup(path), .mode = DIR_MODE});
}

int files_copy(struct files *f, const char *path, const char *from, struct err *e)
{
	uint8_t *data;
	size_t size;
	struct stat st;
	int ret = file_read(from, FILES_INPUT_MAX, &data, &size, e);

	if (ret)
		return ret;
	files_add(f, path, stat(from, &st) ? 0644 : st.st_mode & 0777, data, size);
	return 0;
}

static int copy_entry(struct files *f, const char *path, const FTSENT *n, struct err *e)
{
	char target[PATH_MAX];
	ssize_t length;

	switch (n->fts_info) {
	case FTS_D:
		files_add_dir(f, path);
		return 0;
	case FTS_F:
		return files_copy(f, path, n->fts_path, e);
	case FTS_SL:
	case FTS_SLNONE:
		length = readlink(n->fts_path, target, sizeof(target));
		if (length > 0)
			add(f,
			    (struct files_entry){.path = strdup(path),
						 .mode = S_IFLNK | 0777,
						 .data = (uint8_t *)strndup(target, (size_t)length),
						 .size_bytes = (size_t)length});
		return 0;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return err_set(e, n->fts_errno, "can't read '%.180s': %s", n->fts_path,
			       strerror(n->fts_errno));
	default:
		return 0;
	}
}

int files_copy_tree(struct files *f, const char *path, const char *from, struct err *e)
{
	char *const roots[] = {(char *)from, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	uint64_t bytes = 0, entries = 0;
	FTSENT *n;
	int ret = walk ? 0 : err_set(e, errno, "can't read '%.180s'", from);

	while (ret == 0 && (n = fts_read(walk))) {
		char *to;

		bytes += n->fts_info == FTS_F ? (uint64_t)n->fts_statp->st_size : 0;
		if (bytes > FILES_TREE_MAX)
			ret = err_set(e, EFBIG,
				      "'%.160s' has more than %llu MiB, which is what L1 gets of a "
				      "directory",
				      from, FILES_TREE_MAX >> 20);
		else if (n->fts_info != FTS_DP && ++entries > FILES_TREE_ENTRIES)
			ret = err_set(e, EFBIG,
				      "'%.160s' has more than %d entries, which is what L1 gets of "
				      "a directory",
				      from, FILES_TREE_ENTRIES);
		else if (asprintf(&to, "%s%s", path, n->fts_path + strlen(from)) < 0)
			ret = err_set(e, ENOMEM, "out of memory");
		if (ret)
			break;
		ret = copy_entry(f, to, n, e);
		free(to);
	}
	if (walk)
		fts_close(walk);
	return ret;
}

/* The tree's nodes go alone. */
static void keep_entry(void *entry)
{
	(void)entry;
}

void files_fini(struct files *f)
{
	tdestroy(f->by_path, keep_entry);
	for (size_t i = 0; i < f->count; i++)
		entry_free(f->entry[i]);
	free(f->entry);
	*f = (struct files){0};
}

int files_digest(const struct files *f, struct digest *d, struct err *e)
{
	struct digest_state *s = digest_new();

	if (!s)
		return err_set(e, ENOMEM, "out of memory");
	for (size_t i = 0; i < f->count; i++) {
		const struct files_entry *n = f->entry[i];

		digest_add(s, n->path, strlen(n->path));
		digest_add(s, &n->mode, sizeof(n->mode));
		digest_add(s, n->data ? (const void *)n->data : "", n->size_bytes);
	}
	*d = digest_end(s);
	return 0;
}

int files_archive(const struct files *f, uint8_t **data, size_t *size_bytes, struct err *e)
{
	struct cpio c = {0};

	for (size_t i = 0; i < f->count; i++) {
		const struct files_entry *n = f->entry[i];

		if (S_ISDIR(n->mode))
			cpio_add_dir(&c, n->path + 1);
		else if (S_ISLNK(n->mode))
			cpio_add_symlink(&c, n->path + 1, (const char *)n->data);
		else
			cpio_add_file(&c, n->path + 1, n->mode & 0777, n->data, n->size_bytes);
	}
	cpio_end(&c);
	if (f->failed || c.failed) {
		cpio_fini(&c);
		return err_set(e, ENOMEM, "out of memory");
	}
	*data = c.data;
	*size_bytes = c.size_bytes;
	return 0;
}
