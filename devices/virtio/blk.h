/* SPDX-License-Identifier: MIT */
/* virtio block device (virtio 1.2, 5.2), over a backend that reads and writes at byte offsets. */
#ifndef VPUP_DEVICES_VIRTIO_BLK_H
#define VPUP_DEVICES_VIRTIO_BLK_H

#include "devices/virtio/mmio.h"

#define VIRTIO_BLK_SECTOR   512u
#define VIRTIO_BLK_ID_BYTES 20

/* Each returns 0 or -errno; less than all of it is an error. */
struct virtio_blk_env {
	int (*read)(void *ctx, const struct iovec *iov, unsigned count, uint64_t offset);
	int (*write)(void *ctx, const struct iovec *iov, unsigned count, uint64_t offset);
	int (*flush)(void *ctx); /* returns when all that was written is on stable storage */
	/* What is there is no longer needed; it may stay, or read as zeroes. */
	int (*discard)(void *ctx, uint64_t offset, uint64_t size_bytes);
	/* It reads as zeroes from now on, with or without space behind it if may_unmap. */
	int (*zero)(void *ctx, uint64_t offset, uint64_t size_bytes, bool may_unmap);
	void *ctx;
};

struct virtio_blk {
	struct virtio_mmio transport;
	struct virtio_blk_env env;
	uint64_t sectors;
	bool read_only;
	char id[VIRTIO_BLK_ID_BYTES]; /* not terminated when full */
	uint64_t errors;              /* requests that failed */
};

/* mem, interrupt and ctx: as for virtio_mmio_init(). id is cut to VIRTIO_BLK_ID_BYTES. */
void virtio_blk_init(struct virtio_blk *b, const struct virtio_blk_env *env, uint64_t sectors,
		     bool read_only, const char *id, const struct guest_memory *mem,
		     void (*interrupt)(void *ctx), void *ctx);

#endif
