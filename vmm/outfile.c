/* SPDX-License-Identifier: MIT */
/* Output files: a temporary beside the target, renamed when it is whole. */
#include "vmm/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_TRIES 16 /* random names that may be taken before we give up */

static int outfile_fail(const char *path, int code, struct err *e)
{
	return err_set(e, code, "can't write %s: %s", path, strerror(code));
}

static void outfile_free(struct outfile *o)
{
	free(o->path);
	free(o->final);
	free(o->temporary);
	*o = (struct outfile){0};
}

/* The temporary's name does not contain the target's, which may be as long as a name can be. */
static char *temporary_name(const char *final)
{
	const char *slash = strrchr(final, '/');
	size_t dir_length = slash ? (size_t)(slash - final + 1) : 0;
	size_t size = dir_length + sizeof(".vpup-0123456789abcdef.tmp");
	uint64_t suffix;
	char *name;

	if (getrandom(&suffix, sizeof(suffix), 0) != (ssize_t)sizeof(suffix))
		return NULL;
	name = malloc(size);
	if (name)
		snprintf(name, size, "%.*s.vpup-%016" PRIx64 ".tmp", (int)dir_length, final,
			 suffix);
	return name;
}

/* Returns a file descriptor or -errno. */
static int temporary_open(struct outfile *o)
{
	for (int i = 0; i < NAME_TRIES; i++) {
		int fd;

		o->temporary = temporary_name(o->final);
		if (!o->temporary)
			return -ENOMEM;
		fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return -errno;
		free(o->temporary);
		o->temporary = NULL;
	}
	return -EEXIST;
}

/* A new file in the place of a regular one, with the old one's permissions. */
static int replacement_open(struct outfile *o, const struct stat *old)
{
	int fd;

	if (access(o->path, W_OK)) /* the rename would get around it */
		return -errno;
	o->final = realpath(o->path, NULL); /* a symlink stays one */
	if (!o->final)
		return -errno;
	fd = temporary_open(o);
	if (fd >= 0 && fchmod(fd, old->st_mode & 07777)) {
		int ret = -errno;

		close(fd);
		unlink(o->temporary);
		return ret;
	}
	return fd;
}

/* Sets o up for an existing or a new target. Returns a file descriptor or -errno. */
static int target_open(struct outfile *o)
{
	struct stat st;
	int fd;

	if (stat(o->path, &st) == 0) {
		if (S_ISREG(st.st_mode))
			return replacement_open(o, &st);
		fd = open(o->path, O_WRONLY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	if (errno != ENOENT || !o->path[0])
		return -errno;
	o->final = strdup(o->path);
	return o->final ? temporary_open(o) : -ENOMEM;
}

int outfile_open(struct outfile *o, const char *path, struct err *e)
{
	bool is_stdout = strcmp(path, "-") == 0;
	int fd, ret;

	*o = (struct outfile){.path = strdup(is_stdout ? "standard output" : path)};
	if (!o->path)
		return outfile_fail(path, ENOMEM, e);
	if (is_stdout) {
		fflush(stdout); /* what was printed before stays before */
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
		ret = fd < 0 ? -errno : 0;
	} else {
		fd = target_open(o);
		ret = fd < 0 ? fd : 0;
	}
	if (!ret) {
		o->f = fdopen(fd, "w");
		if (o->f)
			return 0;
		ret = -errno;
		close(fd);
		if (o->temporary)
			unlink(o->temporary);
	}
	outfile_fail(o->path, -ret, e);
	outfile_free(o);
	return ret;
}

int outfile_commit(struct outfile *o, struct err *e)
{
	int code = 0;

	/* ferror() remembers a failed write, but not why. */
	if (ferror(o->f))
		code = EIO;
	if (fflush(o->f))
		code = errno;
	if (fclose(o->f) && code == 0)
		code = errno;
	o->f = NULL;
	if (code == 0 && o->temporary && rename(o->temporary, o->final))
		code = errno;
	if (code == 0) {
		outfile_free(o);
		return 0;
	}
	outfile_fail(o->path, code, e);
	outfile_abort(o);
	return -code;
}

void outfile_abort(struct outfile *o)
{
	if (o->f)
		fclose(o->f);
	if (o->temporary)
		unlink(o->temporary);
	outfile_free(o);
}

int outfile_check(const char *path, struct err *e)
{
	struct outfile o;
	int ret = outfile_open(&o, path, e);

	if (ret == 0)
		outfile_abort(&o);
	return ret;
}

int outfile_write(const char *path, const void *data, size_t size_bytes, struct err *e)
{
	struct outfile o;
	int ret = outfile_open(&o, path, e);

	if (ret)
		return ret;
	if (fwrite(data, 1, size_bytes, o.f) != size_bytes) {
		int code = errno;

		outfile_abort(&o);
		return outfile_fail(path, code, e);
	}
	return outfile_commit(&o, e);
}
