/* SPDX-License-Identifier: MIT */
/* Starts another program. */
#include "vmm/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

static int set_files(posix_spawn_file_actions_t *actions, const struct child_start *s)
{
	int code =
		posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	if (code == 0)
		code = posix_spawn_file_actions_adddup2(actions, s->out_fd, STDOUT_FILENO);
	if (code == 0)
		code = posix_spawn_file_actions_adddup2(actions, s->err_fd, STDERR_FILENO);
	return code;
}

static int set_attributes(posix_spawnattr_t *attr, const struct child_start *s)
{
	sigset_t none, ending;

	sigemptyset(&none);
	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigaddset(&ending, SIGPIPE);
	posix_spawnattr_setsigmask(attr, &none);
	posix_spawnattr_setsigdefault(attr, &ending);
	posix_spawnattr_setpgroup(attr, 0);
	return posix_spawnattr_setflags(attr,
					(short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						(s->own_group ? POSIX_SPAWN_SETPGROUP : 0)));
}

int child_start(const struct child_start *s, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int code = posix_spawn_file_actions_init(&actions);

	if (code)
		return code;
	code = posix_spawnattr_init(&attr);
	if (code)
		goto out_actions;
	code = set_files(&actions, s);
	if (code == 0)
		code = set_attributes(&attr, s);
	if (code == 0)
		code = (s->in_path ? posix_spawnp : posix_spawn)(pid, s->exe, &actions, &attr,
								 s->argv, environ);
	posix_spawnattr_destroy(&attr);
out_actions:
	posix_spawn_file_actions_destroy(&actions);
	return code;
}
