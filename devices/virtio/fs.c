/* SPDX-License-Identifier: MIT */
/* virtio file system device. */
#include "devices/virtio/fs.h"

#include <string.h>

/* 5.11.4 */
struct fs_config {
	char tag[VIRTIO_FS_TAG_BYTES];
	uint32_t num_request_queues;
};

_Static_assert(sizeof(struct fs_config) == 40, "virtio 1.2, 5.11.4");

static void config_read(void *dev, unsigned off, void *dst, unsigned size_bytes)
{
	const struct virtio_fs *f = dev;
	struct fs_config c = {.num_request_queues = VIRTIO_FS_QUEUES - 1};

	memcpy(c.tag, f->tag, sizeof(c.tag));
	virtio_config_copy(dst, size_bytes, off, &c, sizeof(c));
}

static void start(void *dev)
{
	struct virtio_fs *f = dev;

	f->started = true;
	f->env.start(f->env.ctx);
}

static void reset(void *dev)
{
	struct virtio_fs *f = dev;

	if (f->started)
		f->env.stop(f->env.ctx);
	f->started = false;
}

static const struct virtio_kind fs_kind = {
	.name = "virtio-fs",
	.id = VIRTIO_ID_FS,
	.queues = VIRTIO_FS_QUEUES,
	.config_read = config_read,
	.start = start,
	.reset = reset,
};

void virtio_fs_init(struct virtio_fs *f, const struct virtio_fs_env *env, uint64_t features,
		    const char *tag, const struct guest_memory *mem, void (*interrupt)(void *ctx),
		    void *ctx)
{
	*f = (struct virtio_fs){.env = *env};
	memcpy(f->tag, tag, strnlen(tag, sizeof(f->tag)));
	virtio_mmio_init(&f->transport, &fs_kind, 0, f, mem, interrupt, ctx);
	f->transport.device_features &= features | VIRTIO_F_VERSION_1;
}
