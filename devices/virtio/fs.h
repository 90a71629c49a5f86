/* SPDX-License-Identifier: MIT */
/*
 * virtio file system device (virtio 1.2, 5.11), whose queues are served by another process: here are
 * its registers alone.
 */
#ifndef VPUP_DEVICES_VIRTIO_FS_H
#define VPUP_DEVICES_VIRTIO_FS_H

#include "devices/virtio/mmio.h"

#define VIRTIO_FS_TAG_BYTES 36
#define VIRTIO_FS_QUEUES    2 /* high priority, requests */

struct virtio_fs_env {
	void (*start)(void *ctx); /* the driver is ready: serve the queues */
	void (*stop)(void *ctx);  /* it reset the device: stop, and let go of the rings */
	void *ctx;
};

struct virtio_fs {
	struct virtio_mmio transport;
	struct virtio_fs_env env;
	char tag[VIRTIO_FS_TAG_BYTES]; /* not terminated when full */
	bool started;
};

/* features are what the other process offers, tag what the guest mounts, cut where it is too long. */
void virtio_fs_init(struct virtio_fs *f, const struct virtio_fs_env *env, uint64_t features,
		    const char *tag, const struct guest_memory *mem, void (*interrupt)(void *ctx),
		    void *ctx);

#endif
