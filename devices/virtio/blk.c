/* SPDX-License-Identifier: MIT */
/* virtio block device. */
#include "devices/virtio/blk.h"

#include <string.h>

#define VIRTIO_BLK_F_SEG_MAX  (1ull << 2)
#define VIRTIO_BLK_F_RO       (1ull << 5)
#define VIRTIO_BLK_F_BLK_SIZE (1ull << 6)
#define VIRTIO_BLK_F_FLUSH    (1ull << 9)

enum blk_type {
	VIRTIO_BLK_T_IN = 0,
	VIRTIO_BLK_T_OUT = 1,
	VIRTIO_BLK_T_FLUSH = 4,
	VIRTIO_BLK_T_GET_ID = 8,
};

enum blk_status { VIRTIO_BLK_S_OK = 0, VIRTIO_BLK_S_IOERR = 1, VIRTIO_BLK_S_UNSUPP = 2 };

struct blk_header {
	uint32_t type;
	uint32_t reserved;
	uint64_t sector;
};

/* 5.2.4, as far as the offered features reach. */
struct blk_config {
	uint64_t capacity;
	uint32_t size_max;
	uint32_t seg_max;
	uint32_t geometry;
	uint32_t blk_size;
};

_Static_assert(sizeof(struct blk_header) == 16, "virtio 1.2, 5.2.6");
_Static_assert(sizeof(struct blk_config) == 24, "virtio 1.2, 5.2.4");

static void config_read(void *dev, unsigned off, void *dst, unsigned size_bytes)
{
	const struct virtio_blk *b = dev;
	const struct blk_config c = {
		.capacity = b->sectors,
		.seg_max = VIRTQ_SIZE_MAX - 2, /* header and status are buffers, too */
		.blk_size = VIRTIO_BLK_SECTOR,
	};

	virtio_config_copy(dst, size_bytes, off, &c, sizeof(c));
}

/* Byte offset of a request's data; -1 when it is not whole sectors of the disk. */
static int64_t data_offset(const struct virtio_blk *b, uint64_t sector, size_t size_bytes)
{
	uint64_t count = size_bytes / VIRTIO_BLK_SECTOR;

	if (size_bytes % VIRTIO_BLK_SECTOR || sector > b->sectors || count > b->sectors - sector)
		return -1;
	return (int64_t)(sector * VIRTIO_BLK_SECTOR);
}

static enum blk_status status_of(int ret)
{
	return ret ? VIRTIO_BLK_S_IOERR : VIRTIO_BLK_S_OK;
}

static enum blk_status read_sectors(struct virtio_blk *b, const struct virtq_chain *c,
				    uint64_t sector, size_t *written)
{
	struct iovec part[VIRTQ_SIZE_MAX];
	size_t size = c->writable_bytes - 1;
	int64_t offset = data_offset(b, sector, size);
	unsigned n;

	if (offset < 0)
		return VIRTIO_BLK_S_IOERR;
	n = virtq_slice(c->iov + c->readable, c->writable, 0, size, part);
	if (b->env.read(b->env.ctx, part, n, (uint64_t)offset))
		return VIRTIO_BLK_S_IOERR;
	*written = size;
	return VIRTIO_BLK_S_OK;
}

/* 5.2.6.2: a driver that does not know FLUSH expects each write to be on stable storage. */
static enum blk_status write_sectors(struct virtio_blk *b, const struct virtq_chain *c,
				     uint64_t sector)
{
	struct iovec part[VIRTQ_SIZE_MAX];
	size_t size = c->readable_bytes - sizeof(struct blk_header);
	int64_t offset = data_offset(b, sector, size);
	unsigned n;
	int ret;

	if (b->read_only || offset < 0)
		return VIRTIO_BLK_S_IOERR;
	n = virtq_slice(c->iov, c->readable, sizeof(struct blk_header), size, part);
	ret = b->env.write(b->env.ctx, part, n, (uint64_t)offset);
	if (ret == 0 && !virtio_mmio_has(&b->transport, VIRTIO_BLK_F_FLUSH))
		ret = b->env.flush(b->env.ctx);
	return status_of(ret);
}

static enum blk_status get_id(const struct virtio_blk *b, const struct virtq_chain *c,
			      size_t *written)
{
	size_t room = c->writable_bytes - 1;

	*written = virtq_write(c, 0, b->id, room < sizeof(b->id) ? room : sizeof(b->id));
	return VIRTIO_BLK_S_OK;
}

static enum blk_status execute(struct virtio_blk *b, const struct virtq_chain *c, size_t *written)
{
	struct blk_header h;

	virtq_read(c, 0, &h, sizeof(h));
	switch (h.type) {
	case VIRTIO_BLK_T_IN:
		return read_sectors(b, c, h.sector, written);
	case VIRTIO_BLK_T_OUT:
		return write_sectors(b, c, h.sector);
	case VIRTIO_BLK_T_FLUSH:
		return status_of(b->env.flush(b->env.ctx));
	case VIRTIO_BLK_T_GET_ID:
		return get_id(b, c, written);
	default:
		return VIRTIO_BLK_S_UNSUPP;
	}
}

/* The status byte is the last one that the device writes (5.2.6). */
static void serve(void *dev, unsigned queue)
{
	struct virtio_blk *b = dev;
	struct virtq_chain c;

	while (virtio_mmio_take(&b->transport, queue, &c)) {
		size_t written = 0;
		uint8_t status;

		if (c.readable_bytes < sizeof(struct blk_header) || c.writable_bytes == 0) {
			virtio_mmio_needs_reset(&b->transport);
			return;
		}
		status = execute(b, &c, &written);
		b->errors += status != VIRTIO_BLK_S_OK;
		virtq_write(&c, c.writable_bytes - 1, &status, 1);
		/* `len` counts from the first byte on: the status is in it where all before it is. */
		if (written == c.writable_bytes - 1)
			written++;
		virtio_mmio_give(&b->transport, queue, &c, written);
		virtio_mmio_signal(&b->transport, queue);
	}
}

static const struct virtio_kind blk_kind = {
	.name = "virtio-blk",
	.id = VIRTIO_ID_BLOCK,
	.queues = 1,
	.config_read = config_read,
	.serve = serve,
};

void virtio_blk_init(struct virtio_blk *b, const struct virtio_blk_env *env, uint64_t sectors,
		     bool read_only, const char *id, const struct guest_memory *mem,
		     void (*interrupt)(void *ctx), void *ctx)
{
	uint64_t features = VIRTIO_BLK_F_SEG_MAX | VIRTIO_BLK_F_BLK_SIZE | VIRTIO_BLK_F_FLUSH;

	*b = (struct virtio_blk){.env = *env, .sectors = sectors, .read_only = read_only};
	memcpy(b->id, id, strnlen(id, sizeof(b->id)));
	if (read_only)
		features |= VIRTIO_BLK_F_RO;
	virtio_mmio_init(&b->transport, &blk_kind, features, b, mem, interrupt, ctx);
}
