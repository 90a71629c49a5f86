/* SPDX-License-Identifier: MIT */
/* virtio block device. */
#include "devices/virtio/blk.h"

#include <string.h>

#define VIRTIO_BLK_F_SEG_MAX  (1ull << 2)
#define VIRTIO_BLK_F_RO       (1ull << 5)
#define VIRTIO_BLK_F_BLK_SIZE (1ull << 6)
#define VIRTIO_BLK_F_FLUSH    (1ull << 9)
#define VIRTIO_BLK_F_DISCARD  (1ull << 13)
#define VIRTIO_BLK_F_ZEROES   (1ull << 14)

enum blk_type {
	VIRTIO_BLK_T_IN = 0,
	VIRTIO_BLK_T_OUT = 1,
	VIRTIO_BLK_T_FLUSH = 4,
	VIRTIO_BLK_T_GET_ID = 8,
	VIRTIO_BLK_T_DISCARD = 11,
	VIRTIO_BLK_T_ZEROES = 13,
};

#define SEGMENT_UNMAP       1u /* of flags: the image may give the space back */
#define SEGMENTS_MAX        64u
#define SEGMENT_SECTORS_MAX (1u << 22) /* 2 GiB */
#define DISCARD_ALIGNMENT   8u         /* sectors: a block of most file systems */

enum blk_status { VIRTIO_BLK_S_OK = 0, VIRTIO_BLK_S_IOERR = 1, VIRTIO_BLK_S_UNSUPP = 2 };

struct blk_header {
	uint32_t type;
	uint32_t reserved;
	uint64_t sector;
};

/* What is to be discarded or zeroed. */
struct blk_segment {
	uint64_t sector;
	uint32_t sectors;
	uint32_t flags;
};

/* 5.2.4, as far as the offered features reach. */
struct blk_config {
	uint64_t capacity;
	uint32_t size_max;
	uint32_t seg_max;
	uint32_t geometry;
	uint32_t blk_size;
	uint8_t topology_and_queues[12]; /* of features that are not offered */
	uint32_t max_discard_sectors;
	uint32_t max_discard_seg;
	uint32_t discard_sector_alignment;
	uint32_t max_write_zeroes_sectors;
	uint32_t max_write_zeroes_seg;
	uint8_t write_zeroes_may_unmap;
	uint8_t unused[3];
	uint32_t max_secure_erase_sectors; /* not offered */
};

_Static_assert(sizeof(struct blk_header) == 16, "virtio 1.2, 5.2.6");
_Static_assert(sizeof(struct blk_segment) == 16, "virtio 1.2, 5.2.6");
_Static_assert(sizeof(struct blk_config) == 64, "virtio 1.2, 5.2.4");

static void config_read(void *dev, unsigned off, void *dst, unsigned size_bytes)
{
	const struct virtio_blk *b = dev;
	struct blk_config c = {
		.capacity = b->sectors,
		.seg_max = VIRTQ_SIZE_MAX - 2, /* header and status are buffers, too */
		.blk_size = VIRTIO_BLK_SECTOR,
	};

	if (!b->read_only) {
		c.max_discard_sectors = c.max_write_zeroes_sectors = SEGMENT_SECTORS_MAX;
		c.max_discard_seg = c.max_write_zeroes_seg = SEGMENTS_MAX;
		c.discard_sector_alignment = DISCARD_ALIGNMENT;
		c.write_zeroes_may_unmap = 1;
	}
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

/* 5.2.6.2: a driver that does not know FLUSH expects what it changed to be on stable storage. */
static enum blk_status changed(struct virtio_blk *b, int ret)
{
	if (ret == 0 && !virtio_mmio_has(&b->transport, VIRTIO_BLK_F_FLUSH))
		ret = b->env.flush(b->env.ctx);
	return status_of(ret);
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

static enum blk_status write_sectors(struct virtio_blk *b, const struct virtq_chain *c,
				     uint64_t sector)
{
	struct iovec part[VIRTQ_SIZE_MAX];
	size_t size = c->readable_bytes - sizeof(struct blk_header);
	int64_t offset = data_offset(b, sector, size);
	unsigned n;

	if (b->read_only || offset < 0)
		return VIRTIO_BLK_S_IOERR;
	n = virtq_slice(c->iov, c->readable, sizeof(struct blk_header), size, part);
	return changed(b, b->env.write(b->env.ctx, part, n, (uint64_t)offset));
}

/* Nothing is done where one of them is wrong. */
static enum blk_status check_segment(const struct virtio_blk *b, const struct blk_segment *s,
				     uint32_t flags)
{
	if (s->flags & ~flags)
		return VIRTIO_BLK_S_UNSUPP;
	if (s->sectors > SEGMENT_SECTORS_MAX || s->sector > b->sectors ||
	    s->sectors > b->sectors - s->sector)
		return VIRTIO_BLK_S_IOERR;
	return VIRTIO_BLK_S_OK;
}

static int clear_segment(struct virtio_blk *b, const struct blk_segment *s, bool is_discard)
{
	uint64_t offset = s->sector * VIRTIO_BLK_SECTOR;
	uint64_t size_bytes = (uint64_t)s->sectors * VIRTIO_BLK_SECTOR;

	if (is_discard)
		return b->env.discard(b->env.ctx, offset, size_bytes);
	return b->env.zero(b->env.ctx, offset, size_bytes, s->flags & SEGMENT_UNMAP);
}

/* DISCARD, which has no flags, or WRITE_ZEROES. */
static enum blk_status clear_sectors(struct virtio_blk *b, const struct virtq_chain *c,
				     bool is_discard)
{
	struct blk_segment segment[SEGMENTS_MAX];
	size_t size = c->readable_bytes - sizeof(struct blk_header), n = size / sizeof(*segment);
	enum blk_status status = VIRTIO_BLK_S_OK;
	int ret = 0;

	if (!virtio_mmio_has(&b->transport,
			     is_discard ? VIRTIO_BLK_F_DISCARD : VIRTIO_BLK_F_ZEROES))
		return VIRTIO_BLK_S_UNSUPP;
	if (size == 0 || size % sizeof(*segment) || n > SEGMENTS_MAX)
		return VIRTIO_BLK_S_IOERR;
	virtq_read(c, sizeof(struct blk_header), segment, size);
	for (size_t i = 0; i < n && status == VIRTIO_BLK_S_OK; i++)
		status = check_segment(b, &segment[i], is_discard ? 0 : SEGMENT_UNMAP);
	if (status != VIRTIO_BLK_S_OK)
		return status;
	for (size_t i = 0; i < n && ret == 0; i++)
		ret = clear_segment(b, &segment[i], is_discard);
	return changed(b, ret);
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
	case VIRTIO_BLK_T_DISCARD:
	case VIRTIO_BLK_T_ZEROES:
		return clear_sectors(b, c, h.type == VIRTIO_BLK_T_DISCARD);
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
	features |= read_only ? VIRTIO_BLK_F_RO : VIRTIO_BLK_F_DISCARD | VIRTIO_BLK_F_ZEROES;
	virtio_mmio_init(&b->transport, &blk_kind, features, b, mem, interrupt, ctx);
}
