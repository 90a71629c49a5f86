/* SPDX-License-Identifier: MIT */
/* Whole input files, read into memory. */
#include "vmm/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all(int fd, uint8_t *data, size_t size_bytes, const char *path, struct err *e)
{
	size_t done = 0;

	while (done < size_bytes) {
		ssize_t n = read(fd, data + done, size_bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(e, errno, "'%s': %s", path, strerror(errno));
		if (n == 0)
			return err_set(e, EIO, "'%s' became shorter while it was read", path);
		done += (size_t)n;
	}
	return 0;
}

static int read_open(int fd, const char *path, uint64_t max_bytes, uint8_t **data,
		     size_t *size_bytes, struct err *e)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st) < 0)
		return err_set(e, errno, "'%s': %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(e, EISDIR, "'%s' is a directory, not a file", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "'%s' is not a regular file", path);
	if ((uint64_t)st.st_size > max_bytes)
		return err_set(e, EFBIG, "'%s' has %jd bytes; at most %" PRIu64 " fit", path,
			       (intmax_t)st.st_size, max_bytes);
	*size_bytes = (size_t)st.st_size;
	*data = malloc(*size_bytes ? *size_bytes : 1);
	if (!*data)
		return err_set(e, ENOMEM, "out of memory for '%s'", path);
	ret = read_all(fd, *data, *size_bytes, path, e);
	if (ret)
		free(*data);
	return ret;
}

int file_read(const char *path, uint64_t max_bytes, uint8_t **data, size_t *size_bytes,
	      struct err *e)
{
	/* O_NONBLOCK: a FIFO without a writer must not hang the open. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int ret;

	if (fd < 0)
		return err_set(e, errno, "can't read '%s': %s", path, strerror(errno));
	ret = read_open(fd, path, max_bytes, data, size_bytes, e);
	close(fd);
	return ret;
}

bool file_is_same(const struct stat *before, const struct stat *now)
{
	return before->st_ino == now->st_ino && before->st_size == now->st_size &&
	       memcmp(&before->st_mtim, &now->st_mtim, sizeof(now->st_mtim)) == 0;
}

int file_write_all(int fd, const void *data, size_t size_bytes)
{
	const uint8_t *from = data;

	while (size_bytes) {
		ssize_t n = write(fd, from, size_bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		from += n;
		size_bytes -= (size_t)n;
	}
	return 0;
}

char *file_of_vpup(const char *name)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash, *path;

	exe[n > 0 ? n : 0] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	if (asprintf(&path, "%s/%s", exe, name) < 0)
		return NULL;
	if (access(path, F_OK) == 0)
		return path;
	free(path);
	return asprintf(&path, "%s/../lib/vpup/%s", exe, name) < 0 ? NULL : path;
}
