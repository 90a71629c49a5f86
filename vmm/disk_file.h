/* SPDX-License-Identifier: MIT */
/* A raw disk image: the file behind a block device. */
#ifndef VPUP_VMM_DISK_FILE_H
#define VPUP_VMM_DISK_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "vmm/err.h"

struct disk_file {
	int fd; /* -1: not open */
	bool read_only;
	uint64_t size_bytes;
	char name[64]; /* without its directory, cut where it is too long */
};

/*
 * Opens "FILE" or "FILE,ro": a regular file or a block device, not empty, of whole sectors. It is
 * locked (fcntl(2), open file description locks), so that two VMs can't write to one disk. Returns 0,
 * or -errno with e naming the file and what is wrong. d is valid for disk_file_close() in any case.
 */
int disk_file_open(struct disk_file *d, const char *spec, struct err *e);
void disk_file_close(struct disk_file *d);

/*
 * Reads or writes all of iov at a byte offset. Returns 0 or -errno; -EIO where the file ends early,
 * as one does that became shorter.
 */
int disk_file_read(struct disk_file *d, const struct iovec *iov, unsigned count, uint64_t offset);
int disk_file_write(struct disk_file *d, const struct iovec *iov, unsigned count, uint64_t offset);

/* Returns once all that was written is on stable storage: 0 or -errno. */
int disk_file_flush(struct disk_file *d);

/*
 * Gives the space of a range of bytes back where the file system or device can, which is no error where it can't.
 * Where it did, the range reads as zeroes. Returns 0 or -errno.
 */
int disk_file_discard(struct disk_file *d, uint64_t offset, uint64_t size_bytes);

/* Makes a range read as zeroes; with may_unmap, without space behind it if possible. 0 or -errno. */
int disk_file_zero(struct disk_file *d, uint64_t offset, uint64_t size_bytes, bool may_unmap);

#endif
