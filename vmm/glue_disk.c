/* SPDX-License-Identifier: MIT */
/* A disk: the virtio block device with an image behind it. */
#include <errno.h>

#include "devices/virtio/blk.h"
#include "vmm/virtio_slot.h"

struct disk_dev {
	struct virtio_slot slot;
	struct virtio_blk core;
	struct disk_file *file; /* the machine's */
};

static int on_read(void *ctx, const struct iovec *iov, unsigned count, uint64_t offset)
{
	struct disk_dev *d = ctx;

	return disk_file_read(d->file, iov, count, offset);
}

static int on_write(void *ctx, const struct iovec *iov, unsigned count, uint64_t offset)
{
	struct disk_dev *d = ctx;

	return disk_file_write(d->file, iov, count, offset);
}

static int on_flush(void *ctx)
{
	struct disk_dev *d = ctx;

	return disk_file_flush(d->file);
}

static int on_discard(void *ctx, uint64_t offset, uint64_t size_bytes)
{
	struct disk_dev *d = ctx;

	return disk_file_discard(d->file, offset, size_bytes);
}

static int on_zero(void *ctx, uint64_t offset, uint64_t size_bytes, bool may_unmap)
{
	struct disk_dev *d = ctx;

	return disk_file_zero(d->file, offset, size_bytes, may_unmap);
}

int disk_dev_make(struct machine *m, unsigned index, void **state, struct err *e)
{
	struct disk_dev *d = glue_new(sizeof(*d), m, state, e);
	const struct virtio_blk_env env = {on_read, on_write, on_flush, on_discard, on_zero, d};
	struct guest_memory mem = glue_memory(m);
	struct disk_file *file = &m->disk[index];

	if (!d)
		return -ENOMEM;
	d->file = file;
	virtio_blk_init(&d->core, &env, file->size_bytes / VIRTIO_BLK_SECTOR, file->read_only,
			file->name, &mem, virtio_slot_interrupt, &d->slot);
	return virtio_slot_init(&d->slot, &d->core.transport, NULL, e);
}
