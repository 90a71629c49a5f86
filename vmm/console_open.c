/* SPDX-License-Identifier: MIT */
/* The kinds of console that are opened by name: file, pseudo-terminal, socket. */
#include "vmm/console_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

int console_open_file(struct console *c, const char *path, struct err *e)
{
	c->out_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (c->out_fd < 0)
		return err_set(e, errno, "console file '%s': %s", path, strerror(errno));
	c->owns_out = true;
	return 0;
}

/* Its other side stays open here: without, each read would fail until somebody comes. */
int console_open_pty(struct console *c, struct err *e)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	struct termios t;
	char name[64];

	if (fd < 0 || grantpt(fd) || unlockpt(fd) || ptsname_r(fd, name, sizeof(name)))
		return err_set(e, errno, "can't open a pseudo-terminal: %s", strerror(errno));
	c->out_fd = c->in_fd = fd;
	c->owns_out = true;
	c->lossy = true;
	c->hold_fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (c->hold_fd < 0)
		return err_set(e, errno, "can't open '%s': %s", name, strerror(errno));
	if (tcgetattr(c->hold_fd, &t) == 0) {
		cfmakeraw(&t);
		tcsetattr(c->hold_fd, TCSANOW, &t);
	}
	fprintf(stderr, "vpup run: the console is %s\n", name);
	return 0;
}

int console_open_socket(struct console *c, const char *path, struct err *e)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(e, ENAMETOOLONG, "console socket '%s': at most %zu bytes fit", path,
			       sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	c->lossy = true;
	c->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->listen_fd < 0 ||
	    bind(c->listen_fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(c->listen_fd, 1) < 0)
		return err_set(e, errno, "console socket '%s': %s", path, strerror(errno));
	c->socket_path = strdup(path);
	return c->socket_path ? 0 : err_set(e, ENOMEM, "out of memory");
}
