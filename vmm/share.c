/* SPDX-License-Identifier: MIT */
/* A directory of the host for the guest. */
#include "vmm/share.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vmm/vhost_user.h"

#define TAG_MAX       36 /* virtio 1.2, 5.11.4 */
#define READ_ONLY_END ",ro"
#define DAEMON_FD     3 /* its end of the socket */

/* Where distributions put it: it is not meant for the PATH. */
static const char *const daemons[] = {
	"/usr/libexec/virtiofsd",
	"/usr/lib/qemu/virtiofsd",
	"/usr/lib/virtiofsd",
	"/usr/bin/virtiofsd",
};

const char *share_daemon(void)
{
	for (size_t i = 0; i < sizeof(daemons) / sizeof(daemons[0]); i++)
		if (access(daemons[i], X_OK) == 0)
			return daemons[i];
	return NULL;
}

/* The tag is what stands behind the last '=', as a directory's name may have one. */
static int parse(struct share *s, const char *spec, struct err *e)
{
	size_t len = strlen(spec), end = strlen(READ_ONLY_END);
	const char *tag = strrchr(spec, '=');

	if (!tag || tag == spec)
		return err_set(e, EINVAL, "--share: '%s' is not DIR=TAG or DIR=TAG,ro", spec);
	s->read_only = len > end && strcmp(spec + len - end, READ_ONLY_END) == 0;
	s->directory = strndup(spec, (size_t)(tag - spec));
	s->tag = strdup(tag + 1);
	if (!s->directory || !s->tag)
		return err_set(e, ENOMEM, "out of memory");
	if (s->read_only)
		s->tag[strlen(s->tag) - end] = '\0';
	if (s->tag[0] == '\0' || strlen(s->tag) > TAG_MAX || strchr(s->tag, ','))
		return err_set(e, EINVAL,
			       "--share: tag '%s' must have 1 to %d characters and no comma",
			       s->tag, TAG_MAX);
	return 0;
}

/* By its absolute name: the daemon does not look from here. */
static int find_directory(struct share *s, struct err *e)
{
	char *path = realpath(s->directory, NULL);
	struct stat st;

	if (!path || stat(path, &st)) {
		free(path);
		return err_set(e, errno, "--share: '%s': %s", s->directory, strerror(errno));
	}
	free(s->directory);
	s->directory = path;
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ENOTDIR, "--share: '%s' is not a directory", s->directory);
	return 0;
}

/* A view of the directory that can't be written to, in a mount namespace of the daemon's own. */
static bool make_read_only(const char *directory)
{
	if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return false;
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount(directory, directory, NULL, MS_BIND, NULL) == 0 &&
	       mount(NULL, directory, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) == 0;
}

/* Between fork() and exec(): only what is safe there. The daemon's own words go nowhere. */
static void become_daemon(const struct share *s, const char *daemon, char *source, int socket)
{
	char *argv[] = {(char *)daemon, "--fd=3", "-o", source, NULL};
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	if (s->read_only && !make_read_only(s->directory))
		_exit(126);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
		_exit(126);
	if (socket == DAEMON_FD) {
		if (fcntl(socket, F_SETFD, 0))
			_exit(126);
	} else if (dup2(socket, DAEMON_FD) < 0) {
		_exit(126);
	}
	execv(daemon, argv);
	_exit(127);
}

/*
 * The daemon takes a listening socket and serves who connects first: that is vpup, before anybody
 * else can know of it. The kernel chooses a name outside the file system (unix(7), autobind).
 */
static int make_sockets(int *listener, int *connection)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(addr.sun_family);

	*listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	*connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*listener < 0 || *connection < 0 || bind(*listener, (struct sockaddr *)&addr, len) ||
	    listen(*listener, 1))
		return -errno;
	len = sizeof(addr);
	if (getsockname(*listener, (struct sockaddr *)&addr, &len) ||
	    connect(*connection, (struct sockaddr *)&addr, len))
		return -errno;
	return 0;
}

static int start_daemon(struct share *s, struct err *e)
{
	const char *daemon = share_daemon();
	int listener, ret;
	char *source;

	if (!daemon)
		return err_set(e, ENOENT,
			       "--share needs virtiofsd: install it (" SHARE_PACKAGES ")");
	ret = make_sockets(&listener, &s->socket);
	if (ret == 0 && asprintf(&source, "source=%s", s->directory) < 0)
		ret = -ENOMEM;
	if (ret == 0) {
		s->pid = fork();
		if (s->pid == 0)
			become_daemon(s, daemon, source, listener);
		if (s->pid < 0)
			ret = -errno;
		free(source);
	}
	if (listener >= 0)
		close(listener);
	return ret ? err_set(e, -ret, "can't start %s: %s", daemon, strerror(-ret)) : 0;
}

int share_open(struct share *s, const char *spec, struct err *e)
{
	struct err why;
	int ret;

	*s = (struct share){.is_open = true, .socket = -1};
	ret = parse(s, spec, e);
	if (ret == 0)
		ret = find_directory(s, e);
	if (ret == 0)
		ret = start_daemon(s, e);
	if (ret == 0 && vhost_user_features(s->socket, &s->features, &why))
		ret = err_set(e, ECONNREFUSED,
			      "--share: virtiofsd does not start for '%s'%s: try it by hand; it "
			      "may need root",
			      s->directory, s->read_only ? " read-only" : "");
	return ret;
}

void share_close(struct share *s)
{
	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	if (s->is_open && s->socket >= 0)
		close(s->socket);
	free(s->directory);
	free(s->tag);
	*s = (struct share){.socket = -1};
}
