/* SPDX-License-Identifier: MIT */
/* Runs helper programs. Their output goes to memory files: no pipe that could fill. */
#include "lab/spawn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vmm/child_process.h"

/* Everything in a memory file, with a NUL behind it. NULL with errno set. */
static char *memory_file_read(int fd, size_t *size_bytes)
{
	struct stat st;
	char *data;
	ssize_t n;

	if (fstat(fd, &st))
		return NULL;
	data = malloc((size_t)st.st_size + 1);
	if (!data)
		return NULL;
	n = pread(fd, data, (size_t)st.st_size, 0);
	*size_bytes = n > 0 ? (size_t)n : 0;
	data[*size_bytes] = '\0';
	return data;
}

/* The line that tells: the first one that calls itself an error, as apt's do, else the last one. */
static const char *message_line(char *text)
{
	const char *last = NULL;
	char *rest = text, *line;

	while ((line = strsep(&rest, "\r\n"))) {
		if (strncmp(line, "E: ", 3) == 0)
			return line + 3;
		if (*line)
			last = line;
	}
	return last;
}

static int judge(const char *name, int wait_status, int err_fd, struct err *e)
{
	const char *line;
	size_t size;
	char *text;
	int ret;

	if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0)
		return 0;
	if (WIFSIGNALED(wait_status))
		return err_set(e, EIO, "%s was killed by signal %d", name, WTERMSIG(wait_status));
	if (WEXITSTATUS(wait_status) == CHILD_NOT_EXECUTED)
		return err_set(e, ENOENT, "there is no %s here", name);
	text = memory_file_read(err_fd, &size);
	line = text ? message_line(text) : NULL;
	ret = err_set(e, EIO, "%s failed with status %d%s%s", name, WEXITSTATUS(wait_status),
		      line ? ": " : "", line ? line : "");
	free(text);
	return ret;
}

static int run(char *const *argv, int out_fd, int err_fd, struct err *e)
{
	int wait_status = 0;
	pid_t pid;
	int code = child_start(&(struct child_start){.exe = argv[0],
						     .argv = argv,
						     .out_fd = out_fd,
						     .err_fd = err_fd,
						     .in_path = true},
			       &pid);

	if (code == ENOENT)
		return err_set(e, ENOENT, "there is no %s here", argv[0]);
	if (code)
		return err_set(e, code, "can't start %s: %s", argv[0], strerror(code));
	while (waitpid(pid, &wait_status, 0) < 0) {
		if (errno != EINTR)
			return err_set(e, errno, "can't wait for %s: %s", argv[0], strerror(errno));
	}
	return judge(argv[0], wait_status, err_fd, e);
}

int spawn_output(char *const *argv, char **out, size_t *out_bytes, struct err *e)
{
	int out_fd = memfd_create("stdout", MFD_CLOEXEC);
	int err_fd = memfd_create("stderr", MFD_CLOEXEC);
	int ret = 0;

	*out = NULL;
	if (out_fd < 0 || err_fd < 0)
		ret = err_set(e, errno, "can't make a memory file: %s", strerror(errno));
	if (ret == 0)
		ret = run(argv, out_fd, err_fd, e);
	if (ret == 0) {
		*out = memory_file_read(out_fd, out_bytes);
		if (!*out)
			ret = err_set(e, errno, "can't read the output of %s: %s", argv[0],
				      strerror(errno));
	}
	if (out_fd >= 0)
		close(out_fd);
	if (err_fd >= 0)
		close(err_fd);
	return ret;
}
