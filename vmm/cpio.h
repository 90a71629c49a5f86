/* SPDX-License-Identifier: MIT */
/*
 * cpio archives in memory, in the format that Linux unpacks as initramfs ("newc",
 * Documentation/driver-api/early-userspace/buffer-format.rst).
 */
#ifndef VPUP_VMM_CPIO_H
#define VPUP_VMM_CPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Start with zeroes. Running out of memory sticks: look at `failed` once, at the end. */
struct cpio {
	uint8_t *data; /* owned */
	size_t size_bytes;
	size_t capacity;
	uint32_t entries;
	bool failed;
};

/* Paths have no leading '/'. Parent directories must have been added before; see cpio_add_parents(). */
void cpio_add_dir(struct cpio *c, const char *path);
void cpio_add_file(struct cpio *c, const char *path, mode_t permissions, const void *data,
		   size_t size_bytes);
void cpio_add_symlink(struct cpio *c, const char *path, const char *target);
void cpio_add_char_device(struct cpio *c, const char *path, unsigned major, unsigned minor);

/* Adds each directory that leads to path. Linux takes it well when one comes twice. */
void cpio_add_parents(struct cpio *c, const char *path);

/* Ends the archive, padded so that another one may follow it. */
void cpio_end(struct cpio *c);

void cpio_fini(struct cpio *c);

#endif
