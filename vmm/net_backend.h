/* SPDX-License-Identifier: MIT */
/* What is behind a network device: something that takes frames and has some to deliver. */
#ifndef VPUP_VMM_NET_BACKEND_H
#define VPUP_VMM_NET_BACKEND_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "vmm/err.h"

#define SLIRP_LIBRARY "libslirp.so.0" /* of --net user */
#define NET_FRAME_MAX 65536

struct net_backend;

/* All but close() are called by one thread at a time. */
struct net_backend_ops {
	void (*send)(struct net_backend *b, const struct iovec *frame, unsigned count,
		     size_t size_bytes);
	/* As in struct virtio_source (vmm/virtio_slot.h). */
	unsigned (*prepare)(struct net_backend *b, struct pollfd *fds, unsigned room,
			    int *timeout_ms);
	void (*ready)(struct net_backend *b, const struct pollfd *fds, unsigned count);
	/* The guest has room for frames again. */
	void (*room)(struct net_backend *b);
	void (*close)(struct net_backend *b);
};

/* The first member of each backend's own structure. */
struct net_backend {
	const struct net_backend_ops *ops;
	/* Set by the device. Returns false when the guest has no room now. */
	bool (*deliver)(void *ctx, const void *frame, size_t size_bytes);
	void *deliver_ctx;
};

/* Does this host have what --net user needs? Returns 0, or -ENOENT with e saying what to install. */
int net_user_check(struct err *e);

/*
 * Opens what --net asks for: "user[,hostfwd=...]" or "tap=IF". Returns 0 with *b, to be closed by
 * its close(); or -errno with e set.
 */
int net_backend_open(struct net_backend **b, const char *spec, struct err *e);

/* vmm/net_user.c and vmm/net_tap.c: spec is what stands behind "user," and "tap=". */
int net_user_open(struct net_backend **b, const char *spec, struct err *e);
int net_tap_open(struct net_backend **b, const char *interface, struct err *e);

#endif
