/* SPDX-License-Identifier: MIT */
/* A raw disk image. */
#include "vmm/disk_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR_BYTES  512
#define ZEROES_BYTES  65536
#define READ_ONLY_END ",ro"

/* Where the path ends: read-only is what stands behind it. */
static size_t path_length(const char *spec, bool *read_only)
{
	size_t len = strlen(spec), end = strlen(READ_ONLY_END);

	*read_only = len > end && strcmp(spec + len - end, READ_ONLY_END) == 0;
	return *read_only ? len - end : len;
}

static int lock(const struct disk_file *d, const char *path, struct err *e)
{
	struct flock l = {.l_type = d->read_only ? F_RDLCK : F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(d->fd, F_OFD_SETLK, &l) == 0)
		return 0;
	if (errno == EAGAIN || errno == EACCES)
		return err_set(e, EBUSY,
			       "disk '%s' is in use by another program; several may use it with "
			       "',ro' alone",
			       path);
	return err_set(e, errno, "can't lock disk '%s': %s", path, strerror(errno));
}

/* lseek() tells the size of a block device, too. */
static int measure(struct disk_file *d, const char *path, struct err *e)
{
	off_t size = lseek(d->fd, 0, SEEK_END);

	if (size < 0)
		return err_set(e, errno, "can't tell the size of disk '%s': %s", path,
			       strerror(errno));
	if (size == 0)
		return err_set(e, EINVAL, "disk '%s' is empty: give it a size (truncate -s 1G)",
			       path);
	if (size % SECTOR_BYTES)
		return err_set(e, EINVAL,
			       "disk '%s' has %jd bytes, which are not whole sectors of %d: a raw "
			       "image is needed",
			       path, (intmax_t)size, SECTOR_BYTES);
	d->size_bytes = (uint64_t)size;
	return 0;
}

static int open_path(struct disk_file *d, const char *path, struct err *e)
{
	struct stat st;
	int ret;

	d->fd = open(path, (d->read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC);
	if (d->fd < 0 && errno == EISDIR)
		return err_set(e, EISDIR, "disk '%s' is a directory, not an image", path);
	if (d->fd < 0)
		return err_set(e, errno, "can't open disk '%s': %s", path, strerror(errno));
	if (fstat(d->fd, &st))
		return err_set(e, errno, "disk '%s': %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(e, EISDIR, "disk '%s' is a directory, not an image", path);
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return err_set(e, EINVAL, "disk '%s' is neither a file nor a block device", path);
	ret = lock(d, path, e);
	return ret ? ret : measure(d, path, e);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int disk_file_open(struct disk_file *d, const char *spec, struct err *e)
{
	size_t len;
	char *path;
	int ret;

	*d = (struct disk_file){.fd = -1};
	len = path_length(spec, &d->read_only);
	path = strndup(spec, len);
	if (!path)
		return err_set(e, ENOMEM, "out of memory");
	snprintf(d->name, sizeof(d->name), "%s", base_name(path));
	ret = open_path(d, path, e);
	free(path);
	return ret;
}

void disk_file_close(struct disk_file *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

typedef ssize_t (*transfer_fn)(int fd, const struct iovec *iov, int count, off_t offset);

/* Takes what was transferred off the list. Returns how many entries are left of it. */
static unsigned advance(struct iovec *iov, unsigned count, size_t done)
{
	unsigned i = 0;

	while (i < count && done >= iov[i].iov_len)
		done -= iov[i++].iov_len;
	memmove(iov, iov + i, (count - i) * sizeof(*iov));
	if (i < count) {
		iov[0].iov_base = (uint8_t *)iov[0].iov_base + done;
		iov[0].iov_len -= done;
	}
	return count - i;
}

static int transfer_all(int fd, transfer_fn fn, const struct iovec *iov, unsigned count,
			uint64_t offset)
{
	struct iovec rest[IOV_MAX];

	if (count > IOV_MAX)
		return -EINVAL;
	memcpy(rest, iov, count * sizeof(*iov));
	while (count) {
		ssize_t n = fn(fd, rest, (int)count, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		offset += (uint64_t)n;
		count = advance(rest, count, (size_t)n);
	}
	return 0;
}

int disk_file_read(struct disk_file *d, const struct iovec *iov, unsigned count, uint64_t offset)
{
	return transfer_all(d->fd, preadv, iov, count, offset);
}

int disk_file_write(struct disk_file *d, const struct iovec *iov, unsigned count, uint64_t offset)
{
	return transfer_all(d->fd, pwritev, iov, count, offset);
}

int disk_file_flush(struct disk_file *d)
{
	return fdatasync(d->fd) ? -errno : 0;
}

/* Never makes the file longer or shorter: 0, -EOPNOTSUPP where it is no kind of file for that, or -errno. */
static int allocate(struct disk_file *d, int mode, uint64_t offset, uint64_t size_bytes)
{
	int ret;

	if (size_bytes == 0)
		return 0;
	do {
		ret = fallocate(d->fd, mode | FALLOC_FL_KEEP_SIZE, (off_t)offset,
				(off_t)size_bytes);
	} while (ret && errno == EINTR);
	return ret ? -errno : 0;
}

int disk_file_discard(struct disk_file *d, uint64_t offset, uint64_t size_bytes)
{
	int ret = allocate(d, FALLOC_FL_PUNCH_HOLE, offset, size_bytes);

	return ret == -EOPNOTSUPP ? 0 : ret;
}

static int write_zeroes(struct disk_file *d, uint64_t offset, uint64_t size_bytes)
{
	static const uint8_t zeroes[ZEROES_BYTES];
	int ret = 0;

	while (size_bytes && ret == 0) {
		size_t part = size_bytes < sizeof(zeroes) ? (size_t)size_bytes : sizeof(zeroes);
		const struct iovec iov = {(void *)zeroes, part};

		ret = disk_file_write(d, &iov, 1, offset);
		offset += part;
		size_bytes -= part;
	}
	return ret;
}

int disk_file_zero(struct disk_file *d, uint64_t offset, uint64_t size_bytes, bool may_unmap)
{
	int mode = may_unmap ? FALLOC_FL_PUNCH_HOLE : FALLOC_FL_ZERO_RANGE;
	int ret = allocate(d, mode, offset, size_bytes);

	return ret == -EOPNOTSUPP ? write_zeroes(d, offset, size_bytes) : ret;
}
