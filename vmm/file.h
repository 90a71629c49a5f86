/* SPDX-License-Identifier: MIT */
/* Whole input files, read into memory. */
#ifndef VPUP_VMM_FILE_H
#define VPUP_VMM_FILE_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "vmm/err.h"

/*
 * Reads the regular file at path, at most max_bytes. *data is malloc'ed and never NULL on success,
 * also for an empty file. Returns 0 or -errno with e naming the file and what is wrong with it.
 */
int file_read(const char *path, uint64_t max_bytes, uint8_t **data, size_t *size_bytes,
	      struct err *e);

/* Is it still that file, unchanged? What vpup writes is new: it renames files to their names. */
bool file_is_same(const struct stat *before, const struct stat *now);

/* Writes all of it to fd, however often that takes. Returns 0 or -errno. */
int file_write_all(int fd, const void *data, size_t size_bytes);

/*
 * Path of a file that belongs to vpup: beside the running program (the build tree), else in
 * ../lib/vpup. Returns a malloc'ed string, or NULL when out of memory.
 */
char *file_of_vpup(const char *name);

#endif
