/* SPDX-License-Identifier: MIT */
/* What goes into an initramfs: files and directories by their path, and the archive of them all. */
#ifndef VPUP_LAB_FILES_H
#define VPUP_LAB_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lab/digest.h"
#include "vmm/err.h"

#define FILES_INPUT_MAX    (1ull << 30)   /* of a file that is copied into L1 */
#define FILES_TREE_MAX     (256ull << 20) /* of all files of a directory */
#define FILES_TREE_ENTRIES 40000          /* files, directories and links of one */

struct files_entry {
	char *path;    /* owned; absolute */
	mode_t mode;   /* type and permissions */
	uint8_t *data; /* owned; a link's target; NULL for a directory */
	size_t size_bytes;
};

/* Start with zeroes. */
struct files {
	struct files_entry **entry; /* [count], owned, in the order in which they came */
	size_t count;
	void *by_path; /* the same, as tsearch() finds them */
	bool failed;   /* an addition found no memory; files_archive() tells */
};

/* Adds a file and takes data, also on failure; or a directory. What is there already stays. */
void files_add(struct files *f, const char *path, mode_t permissions, uint8_t *data,
	       size_t size_bytes);
void files_add_dir(struct files *f, const char *path);

/* Adds the host's file at `from` as `path`. Returns 0, or -errno with e naming it. */
int files_copy(struct files *f, const char *path, const char *from, struct err *e);

/*
 * Adds the host's directory at `from` as `path`, with all that is in it: files, directories, symbolic links. Others
 * are left out, and file systems that are mounted below it are empty directories. Returns 0; -EFBIG
 * where that is more than FILES_TREE_MAX or FILES_TREE_ENTRIES; or another -errno, each with e set.
 */
int files_copy_tree(struct files *f, const char *path, const char *from, struct err *e);

const struct files_entry *files_find(const struct files *f, const char *path);
void files_fini(struct files *f);

/* Of all paths, modes and contents. 0 or -ENOMEM. */
int files_digest(const struct files *f, struct digest *d, struct err *e);

/*
 * The newc archive of all entries, in their order, each after its parent directories. Archives may
 * follow one another in an initramfs. *data is malloc'ed. Returns 0, or -errno with e set.
 */
int files_archive(const struct files *f, uint8_t **data, size_t *size_bytes, struct err *e);

#endif
