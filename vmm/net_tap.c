/* SPDX-License-Identifier: MIT */
/* A tap interface of the host as network backend. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "vmm/net_backend.h"

#define TUN_DEVICE "/dev/net/tun"

struct net_tap {
	struct net_backend backend;
	int fd;
	bool waits;     /* the guest has no room: the host's queue keeps what comes */
	size_t pending; /* bytes of a frame that the guest had no room for */
	uint8_t frame[NET_FRAME_MAX];
};

/* A frame that the interface refuses is lost, as it would be on a wire. */
static void tap_send(struct net_backend *b, const struct iovec *frame, unsigned count,
		     size_t size_bytes)
{
	struct net_tap *t = (struct net_tap *)b;
	ssize_t n = writev(t->fd, frame, (int)count);

	(void)n;
	(void)size_bytes;
}

static unsigned tap_prepare(struct net_backend *b, struct pollfd *fds, unsigned room,
			    int *timeout_ms)
{
	const struct net_tap *t = (struct net_tap *)b;

	(void)timeout_ms;
	if (t->waits || room == 0)
		return 0;
	fds[0] = (struct pollfd){.fd = t->fd, .events = POLLIN};
	return 1;
}

static bool deliver_pending(struct net_tap *t)
{
	t->waits = !t->backend.deliver(t->backend.deliver_ctx, t->frame, t->pending);
	if (!t->waits)
		t->pending = 0;
	return !t->waits;
}

static void tap_ready(struct net_backend *b, const struct pollfd *fds, unsigned count)
{
	struct net_tap *t = (struct net_tap *)b;

	if (count == 0 || !fds[0].revents)
		return;
	do {
		ssize_t n = read(t->fd, t->frame, sizeof(t->frame));

		if (n <= 0)
			return;
		t->pending = (size_t)n;
	} while (deliver_pending(t));
}

static void tap_room(struct net_backend *b)
{
	struct net_tap *t = (struct net_tap *)b;

	if (t->pending)
		deliver_pending(t);
	else
		t->waits = false;
}

static void tap_close(struct net_backend *b)
{
	struct net_tap *t = (struct net_tap *)b;

	if (t->fd >= 0)
		close(t->fd);
	free(t);
}

static const struct net_backend_ops tap_ops = {
	.send = tap_send,
	.prepare = tap_prepare,
	.ready = tap_ready,
	.room = tap_room,
	.close = tap_close,
};

static int attach(struct net_tap *t, const char *interface, struct err *e)
{
	struct ifreq req = {.ifr_flags = IFF_TAP | IFF_NO_PI};

	if (interface[0] == '\0' || strlen(interface) >= sizeof(req.ifr_name))
		return err_set(e, EINVAL, "--net tap=: '%s' is no name of an interface", interface);
	strcpy(req.ifr_name, interface);
	/* For root the kernel would make one, which leads nowhere. */
	if (if_nametoindex(interface) == 0)
		return err_set(
			e, ENODEV,
			"--net tap=%s: no such interface (make it first: ip tuntap add %s mode "
			"tap user $USER)",
			interface, interface);
	t->fd = open(TUN_DEVICE, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (t->fd < 0)
		return err_set(e, errno, "--net tap=%s: can't open " TUN_DEVICE ": %s", interface,
			       strerror(errno));
	if (ioctl(t->fd, TUNSETIFF, &req) < 0)
		return err_set(e, errno, "--net tap=%s: %s", interface, strerror(errno));
	return 0;
}

int net_tap_open(struct net_backend **b, const char *interface, struct err *e)
{
	struct net_tap *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return err_set(e, ENOMEM, "out of memory");
	t->backend.ops = &tap_ops;
	t->fd = -1;
	ret = attach(t, interface, e);
	if (ret)
		tap_close(&t->backend);
	else
		*b = &t->backend;
	return ret;
}
