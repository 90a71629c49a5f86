/* SPDX-License-Identifier: MIT */
/*
 * The front end of the vhost-user protocol (QEMU docs/interop/vhost-user.rst): hands guest RAM and
 * the rings of a device to another process, which then serves them. No protocol features are
 * negotiated, so that rings are enabled from their start on.
 */
#ifndef VPUP_VMM_VHOST_USER_H
#define VPUP_VMM_VHOST_USER_H

#include "devices/virtio/queue.h"
#include "vmm/err.h"
#include "vmm/mem.h"

/*
 * Each sends to the process at the other end of the socket fd. They return 0, or -errno with e set:
 * -EPIPE when the process is gone, -ETIMEDOUT when it gives no answer within seconds.
 */

/* Asks for the virtio features that it can serve. */
int vhost_user_features(int fd, uint64_t *features, struct err *e);

/* Becomes its owner, settles the features, and hands it guest RAM, which must have a file (m->fd). */
int vhost_user_set_up(int fd, uint64_t features, const struct mem *m, struct err *e);

/* Sets a ring going: kick_fd wakes the process, call_fd says that it gave buffers back. */
int vhost_user_start_ring(int fd, uint32_t index, const struct virtq *q, int kick_fd, int call_fd,
			  struct err *e);

/* Stops a ring, and waits until it is no longer used. */
int vhost_user_stop_ring(int fd, uint32_t index, struct err *e);

#endif
