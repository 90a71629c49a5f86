/* SPDX-License-Identifier: MIT */
/* The guest's side of virtio in unit tests. */
#include "tests/unit/virtio_driver.h"

#include <string.h>

static void *ram_ptr(void *ctx, uint64_t gpa, uint64_t size_bytes)
{
	struct driver *d = ctx;

	if (gpa < DRIVER_RAM_BASE || size_bytes > DRIVER_RAM_BYTES ||
	    gpa - DRIVER_RAM_BASE > DRIVER_RAM_BYTES - size_bytes)
		return NULL;
	return d->ram + (gpa - DRIVER_RAM_BASE);
}

void driver_init(struct driver *d)
{
	memset(d, 0, sizeof(*d));
	d->mem = (struct guest_memory){.ptr = ram_ptr, .ctx = d};
}

void driver_interrupt(void *ctx)
{
	struct driver *d = ctx;

	d->interrupts++;
}

uint64_t driver_gpa(uint32_t offset)
{
	return DRIVER_RAM_BASE + offset;
}

void *driver_ptr(struct driver *d, uint32_t offset)
{
	return d->ram + offset;
}

struct virtq_desc *driver_desc(struct driver *d, unsigned q)
{
	return driver_ptr(d, DRIVER_DESC(q));
}

struct virtq_avail *driver_avail(struct driver *d, unsigned q)
{
	return driver_ptr(d, DRIVER_AVAIL(q));
}

struct virtq_used *driver_used(struct driver *d, unsigned q)
{
	return driver_ptr(d, DRIVER_USED(q));
}

void driver_program(struct driver *d, struct virtq *vq, unsigned q, uint32_t size)
{
	d->size[q] = size;
	vq->size = size;
	vq->desc_gpa = driver_gpa(DRIVER_DESC(q));
	vq->avail_gpa = driver_gpa(DRIVER_AVAIL(q));
	vq->used_gpa = driver_gpa(DRIVER_USED(q));
}

uint32_t driver_read32(struct virtio_mmio *v, unsigned reg)
{
	return (uint32_t)virtio_mmio_read(v, reg, 4);
}

void driver_write32(struct virtio_mmio *v, unsigned reg, uint32_t val)
{
	virtio_mmio_write(v, reg, 4, val);
}

static void write64(struct virtio_mmio *v, unsigned reg, uint64_t val)
{
	driver_write32(v, reg, (uint32_t)val);
	driver_write32(v, reg + 4, (uint32_t)(val >> 32));
}

static void set_up_queue(struct driver *d, struct virtio_mmio *v, unsigned q, uint32_t size)
{
	d->size[q] = size;
	driver_write32(v, 0x30, q);
	driver_write32(v, 0x38, size);
	write64(v, 0x80, driver_gpa(DRIVER_DESC(q)));
	write64(v, 0x90, driver_gpa(DRIVER_AVAIL(q)));
	write64(v, 0xa0, driver_gpa(DRIVER_USED(q)));
	driver_write32(v, 0x44, 1);
}

uint32_t driver_bring_up(struct driver *d, struct virtio_mmio *v, uint64_t features, uint32_t size)
{
	features |= VIRTIO_F_VERSION_1;
	driver_write32(v, 0x70, 0);
	driver_write32(v, 0x70, VIRTIO_STATUS_ACKNOWLEDGE | VIRTIO_STATUS_DRIVER);
	for (unsigned sel = 0; sel < 2; sel++) {
		driver_write32(v, 0x24, sel);
		driver_write32(v, 0x20, (uint32_t)(features >> (32 * sel)));
	}
	driver_write32(v, 0x70,
		       VIRTIO_STATUS_ACKNOWLEDGE | VIRTIO_STATUS_DRIVER |
			       VIRTIO_STATUS_FEATURES_OK);
	for (unsigned q = 0; q < v->kind->queues; q++)
		set_up_queue(d, v, q, size);
	driver_write32(v, 0x70, driver_read32(v, 0x70) | VIRTIO_STATUS_DRIVER_OK);
	return driver_read32(v, 0x70);
}

void driver_set_desc(struct driver *d, unsigned q, uint16_t index, uint64_t addr, uint32_t len,
		     uint16_t flags, uint16_t next)
{
	driver_desc(d, q)[index] =
		(struct virtq_desc){.addr = addr, .len = len, .flags = flags, .next = next};
}

void driver_offer(struct driver *d, unsigned q, uint16_t head)
{
	struct virtq_avail *a = driver_avail(d, q);

	a->ring[a->idx % d->size[q]] = head;
	a->idx++;
}

void driver_request(struct driver *d, unsigned q, uint16_t head, const struct driver_buf *buf)
{
	uint16_t index = head;

	for (; buf->len; buf++, index++) {
		uint16_t flags = buf->is_writable ? VIRTQ_DESC_F_WRITE : 0;

		if (buf[1].len)
			flags |= VIRTQ_DESC_F_NEXT;
		driver_set_desc(d, q, index, driver_gpa(buf->offset), buf->len, flags,
				(uint16_t)(index + 1));
	}
	driver_offer(d, q, head);
}
