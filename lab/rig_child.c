/* SPDX-License-Identifier: MIT */
/* Starts the engine and ends it. */
#include "lab/rig_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST_FREE_FD 64 /* sources move above the numbers that they are to get */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* A file in memory with that content. Returns its descriptor, or -errno with e set. */
static int memory_file(const struct rig_blob *b, struct err *e)
{
	int fd = memfd_create("lab", MFD_CLOEXEC);

	if (fd < 0)
		return err_set(e, errno, "can't make a memory file: %s", strerror(errno));
	for (size_t done = 0; done < b->size_bytes;) {
		ssize_t n = write(fd, b->data + done, b->size_bytes - done);

		if (n < 0 && errno != EINTR) {
			int ret =
				err_set(e, errno, "can't fill a memory file: %s", strerror(errno));

			close(fd);
			return ret;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	return fd;
}

/* Between fork() and exec(): only what may be called there. Writes errno to fail_fd. */
static void __attribute__((noreturn))
exec_engine(const char *program, char **argv, const int fd[ENGINE_FD_END], int fail_fd,
	    pid_t parent)
{
	int moved[ENGINE_FD_END] = {0}, code;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1); /* it has ended already */
	fail_fd = fcntl(fail_fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	for (int i = 0; i < ENGINE_FD_END; i++)
		moved[i] = fcntl(fd[i], F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	for (int i = 0; i < ENGINE_FD_END; i++)
		dup2(moved[i], i);
	execvp(program, argv);
	code = errno;
	if (write(fail_fd, &code, sizeof(code)) < 0)
		_exit(2);
	_exit(1);
}

/* Waits until the child has become the engine. Returns 0 or -errno. */
static int wait_for_exec(int fd)
{
	int code = 0;
	ssize_t n;

	do {
		n = read(fd, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(code) ? -code : 0;
}

static int spawn(struct rig_child *c, const struct rig *r, char **argv, int fd[ENGINE_FD_END],
		 struct err *e)
{
	const char *program = r->engine->program ? r->engine->program : "/proc/self/exe";
	pid_t parent = getpid();
	int fail[2], ret;

	if (pipe2(fail, O_CLOEXEC))
		return err_set(e, errno, "can't make a pipe: %s", strerror(errno));
	c->pid = fork();
	if (c->pid == 0)
		exec_engine(program, argv, fd, fail[1], parent);
	close(fail[1]);
	ret = c->pid < 0 ? -errno : wait_for_exec(fail[0]);
	close(fail[0]);
	if (ret == -ENOENT && r->engine->package)
		return err_set(e, ENOENT, "no %s here: install %s (Debian's and Ubuntu's name)",
			       program, r->engine->package);
	return ret ? err_set(e, -ret, "can't start %s: %s", program, strerror(-ret)) : 0;
}

static int open_pipe(int *read_fd, int *write_fd, struct err *e)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		return err_set(e, errno, "can't make a pipe: %s", strerror(errno));
	*read_fd = fd[0];
	*write_fd = fd[1];
	return 0;
}

int rig_child_start(struct rig_child *c, const struct rig *r, struct err *e)
{
	char **argv = r->engine->argv(r->engine, r->machine);
	int fd[ENGINE_FD_END], ret;

	*c = (struct rig_child){.pid = -1, .log_fd = -1, .channel_fd = -1, .err_fd = -1};
	for (int i = 0; i < ENGINE_FD_END; i++)
		fd[i] = -1;
	fd[STDIN_FILENO] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	fd[STDOUT_FILENO] = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ret = argv ? 0 : err_set(e, ENOMEM, "out of memory");
	if (ret == 0)
		ret = open_pipe(&c->err_fd, &fd[STDERR_FILENO], e);
	if (ret == 0)
		ret = open_pipe(&c->log_fd, &fd[ENGINE_FD_LOG], e);
	if (ret == 0)
		ret = open_pipe(&c->channel_fd, &fd[ENGINE_FD_CHANNEL], e);
	if (ret == 0)
		ret = fd[ENGINE_FD_KERNEL] = memory_file(&r->kernel, e);
	if (ret >= 0)
		ret = fd[ENGINE_FD_INITRD] = memory_file(&r->initrd, e);
	if (ret >= 0)
		ret = spawn(c, r, argv, fd, e);
	for (int i = 0; i < ENGINE_FD_END; i++)
		close_fd(&fd[i]);
	free(argv);
	if (ret)
		rig_child_end(c);
	return ret;
}

bool rig_child_has_ended(const struct rig_child *c)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == c->pid;
}

void rig_child_end(struct rig_child *c)
{
	if (c->pid > 0) {
		kill(-c->pid, SIGKILL);
		kill(c->pid, SIGKILL); /* it may not have come to its setpgid() */
		while (waitpid(c->pid, &c->wait_status, 0) < 0 && errno == EINTR)
			;
	}
	c->pid = -1;
	close_fd(&c->log_fd);
	close_fd(&c->channel_fd);
	close_fd(&c->err_fd);
}
