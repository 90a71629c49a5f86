/* SPDX-License-Identifier: MIT */
/*
 * Runs a command and tells how long it takes until its output holds a text: the stopwatch of
 * bench/startup.sh, the same for every VMM. Usage: time-to-line TEXT COMMAND [ARGUMENT...]
 * Prints milliseconds. Exit status 1 when the output ended before the text, or after 60 s.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 60000

extern char **environ;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Reads until text was seen; false at the end of the output, or of the patience. */
static bool wait_for(int fd, const char *text)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t keep = strlen(text), used = 0;
	char buffer[8192];

	while (poll(&p, 1, PATIENCE_MS) > 0) {
		ssize_t n = read(fd, buffer + used, sizeof(buffer) - used);

		if (n <= 0)
			return false;
		used += (size_t)n;
		if (memmem(buffer, used, text, keep))
			return true;
		if (used > keep) { /* the text may begin in what is kept */
			memmove(buffer, buffer + used - keep, keep);
			used = keep;
		}
	}
	return false;
}

static int spawn(char **command, int out_fd, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int ret;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
	ret = posix_spawnp(pid, command[0], &actions, NULL, command, environ);
	posix_spawn_file_actions_destroy(&actions);
	return ret;
}

int main(int argc, char **argv)
{
	double start, took;
	bool found;
	int fds[2], ret;
	pid_t pid;

	if (argc < 3 || strlen(argv[1]) > 1000) {
		fprintf(stderr, "usage: time-to-line TEXT COMMAND [ARGUMENT...]\n");
		return 2;
	}
	if (pipe2(fds, O_CLOEXEC) < 0) {
		perror("time-to-line: pipe");
		return 3;
	}
	start = now_ms();
	ret = spawn(argv + 2, fds[1], &pid);
	if (ret) {
		fprintf(stderr, "time-to-line: %s: %s\n", argv[2], strerror(ret));
		return 3;
	}
	close(fds[1]);
	found = wait_for(fds[0], argv[1]);
	took = now_ms() - start;
	kill(pid, SIGTERM);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!found) {
		fprintf(stderr, "time-to-line: '%s' did not come\n", argv[1]);
		return 1;
	}
	printf("%.3f\n", took);
	return 0;
}
