/* SPDX-License-Identifier: MIT */
/* The virtio-mmio transport: its registers. */
#include "devices/virtio/mmio.h"

#include <string.h>

#define MAGIC    0x74726976u /* "virt" */
#define VERSION  2u
#define VENDOR   0x50555056u /* "VPUP"; no list of vendors is kept for this transport */
#define CONFIG   0x100u
#define ALL_ONES 0xffffffffu

/* virtio 1.2, table 4.1. */
enum reg {
	REG_MAGIC = 0x00,
	REG_VERSION = 0x04,
	REG_DEVICE_ID = 0x08,
	REG_VENDOR_ID = 0x0c,
	REG_DEVICE_FEATURES = 0x10,
	REG_DEVICE_FEATURES_SEL = 0x14,
	REG_DRIVER_FEATURES = 0x20,
	REG_DRIVER_FEATURES_SEL = 0x24,
	REG_QUEUE_SEL = 0x30,
	REG_QUEUE_SIZE_MAX = 0x34,
	REG_QUEUE_SIZE = 0x38,
	REG_QUEUE_READY = 0x44,
	REG_QUEUE_NOTIFY = VIRTIO_MMIO_NOTIFY,
	REG_INTERRUPT_STATUS = 0x60,
	REG_INTERRUPT_ACK = 0x64,
	REG_STATUS = 0x70,
	REG_QUEUE_DESC_LOW = 0x80,
	REG_QUEUE_DESC_HIGH = 0x84,
	REG_QUEUE_DRIVER_LOW = 0x90,
	REG_QUEUE_DRIVER_HIGH = 0x94,
	REG_QUEUE_DEVICE_LOW = 0xa0,
	REG_QUEUE_DEVICE_HIGH = 0xa4,
	REG_SHM_LEN_LOW = 0xb0,
	REG_SHM_LEN_HIGH = 0xb4,
	REG_SHM_BASE_LOW = 0xb8,
	REG_SHM_BASE_HIGH = 0xbc,
	REG_CONFIG_GENERATION = 0xfc,
};

void virtio_mmio_init(struct virtio_mmio *v, const struct virtio_kind *kind, uint64_t features,
		      void *dev, const struct guest_memory *mem, void (*interrupt)(void *ctx),
		      void *ctx)
{
	*v = (struct virtio_mmio){
		.kind = kind,
		.dev = dev,
		.mem = *mem,
		.interrupt = interrupt,
		.ctx = ctx,
		.device_features =
			features | VIRTIO_F_VERSION_1 | VIRTIO_F_INDIRECT_DESC | VIRTIO_F_EVENT_IDX,
	};
}

static struct virtq *selected(struct virtio_mmio *v)
{
	return v->queue_sel < v->kind->queues ? &v->queue[v->queue_sel] : NULL;
}

static uint32_t half(uint64_t features, uint32_t sel)
{
	return sel > 1 ? 0 : (uint32_t)(features >> (32 * sel));
}

static uint32_t read_register(struct virtio_mmio *v, unsigned off)
{
	const struct virtq *q = selected(v);

	switch (off) {
	case REG_MAGIC:
		return MAGIC;
	case REG_VERSION:
		return VERSION;
	case REG_DEVICE_ID:
		return v->kind->id;
	case REG_VENDOR_ID:
		return VENDOR;
	case REG_DEVICE_FEATURES:
		return half(v->device_features, v->device_features_sel);
	case REG_QUEUE_SIZE_MAX:
		return q ? VIRTQ_SIZE_MAX : 0;
	case REG_QUEUE_READY:
		return q && q->ready;
	case REG_INTERRUPT_STATUS:
		return atomic_load(&v->interrupt_status);
	case REG_STATUS:
		return v->status;
	case REG_SHM_LEN_LOW:
	case REG_SHM_LEN_HIGH:
	case REG_SHM_BASE_LOW:
	case REG_SHM_BASE_HIGH:
		return ALL_ONES; /* 4.2.2: no such region */
	case REG_CONFIG_GENERATION:
		return v->config_generation;
	default:
		return 0;
	}
}

uint64_t virtio_mmio_read(struct virtio_mmio *v, unsigned off, unsigned size_bytes)
{
	uint64_t val = 0;

	if (off >= CONFIG)
		v->kind->config_read(v->dev, off - CONFIG, &val, size_bytes);
	else if (size_bytes == 4)
		val = read_register(v, off);
	return val;
}

static void reset(struct virtio_mmio *v)
{
	/* First the device lets go of its queues. */
	if (v->kind->reset)
		v->kind->reset(v->dev);
	for (unsigned i = 0; i < v->kind->queues; i++)
		virtq_reset(&v->queue[i]);
	v->driver_features = 0;
	v->device_features_sel = 0;
	v->driver_features_sel = 0;
	v->queue_sel = 0;
	v->status = 0;
	atomic_store(&v->interrupt_status, 0);
}

/* 3.1.1: else FEATURES_OK stays clear, which the driver reads back. */
static bool features_are_fine(const struct virtio_mmio *v)
{
	return (v->driver_features & VIRTIO_F_VERSION_1) &&
	       !(v->driver_features & ~v->device_features);
}

static void write_status(struct virtio_mmio *v, uint32_t val)
{
	uint32_t before = v->status;

	if (val == 0) {
		reset(v);
		return;
	}
	if ((val & ~before & VIRTIO_STATUS_FEATURES_OK) && !features_are_fine(v))
		val &= ~VIRTIO_STATUS_FEATURES_OK;
	if (!(val & VIRTIO_STATUS_FEATURES_OK))
		val &= ~VIRTIO_STATUS_DRIVER_OK;
	v->status = (val & 0xff) | (before & VIRTIO_STATUS_NEEDS_RESET);
	if ((v->status & ~before & VIRTIO_STATUS_DRIVER_OK) && v->kind->start)
		v->kind->start(v->dev);
}

static void write_features(struct virtio_mmio *v, uint32_t val)
{
	unsigned shift = 32 * v->driver_features_sel;

	if (v->driver_features_sel > 1 || (v->status & VIRTIO_STATUS_FEATURES_OK))
		return;
	v->driver_features &= ~((uint64_t)ALL_ONES << shift);
	v->driver_features |= (uint64_t)val << shift;
}

/* A queue whose set-up is wrong does not become ready, which the driver reads back. */
static void write_queue_ready(struct virtio_mmio *v, struct virtq *q, uint32_t val)
{
	if (!(val & 1))
		q->ready = false;
	else if (!q->ready && (v->status & VIRTIO_STATUS_FEATURES_OK) &&
		 virtq_start(q, &v->mem, VIRTQ_SIZE_MAX, virtio_mmio_has(v, VIRTIO_F_EVENT_IDX)))
		virtio_mmio_needs_reset(v);
}

static void set_half(uint64_t *gpa, bool is_high, uint32_t val)
{
	unsigned shift = is_high ? 32 : 0;

	*gpa &= ~((uint64_t)ALL_ONES << shift);
	*gpa |= (uint64_t)val << shift;
}

/* 4.2.2.2: the driver must not change a queue that is ready. */
static void write_queue(struct virtio_mmio *v, unsigned off, uint32_t val)
{
	struct virtq *q = selected(v);

	if (!q)
		return;
	if (off == REG_QUEUE_READY) {
		write_queue_ready(v, q, val);
		return;
	}
	if (q->ready)
		return;
	switch (off) {
	case REG_QUEUE_SIZE:
		q->size = val;
		break;
	case REG_QUEUE_DESC_LOW:
	case REG_QUEUE_DESC_HIGH:
		set_half(&q->desc_gpa, off == REG_QUEUE_DESC_HIGH, val);
		break;
	case REG_QUEUE_DRIVER_LOW:
	case REG_QUEUE_DRIVER_HIGH:
		set_half(&q->avail_gpa, off == REG_QUEUE_DRIVER_HIGH, val);
		break;
	default:
		set_half(&q->used_gpa, off == REG_QUEUE_DEVICE_HIGH, val);
		break;
	}
}

static int write_register(struct virtio_mmio *v, unsigned off, uint32_t val)
{
	switch (off) {
	case REG_DEVICE_FEATURES_SEL:
		v->device_features_sel = val;
		break;
	case REG_DRIVER_FEATURES:
		write_features(v, val);
		break;
	case REG_DRIVER_FEATURES_SEL:
		v->driver_features_sel = val;
		break;
	case REG_QUEUE_SEL:
		v->queue_sel = val;
		break;
	case REG_QUEUE_NOTIFY:
		return val < v->kind->queues ? (int)val : -1;
	case REG_INTERRUPT_ACK:
		atomic_fetch_and(&v->interrupt_status, ~val);
		break;
	case REG_STATUS:
		write_status(v, val);
		break;
	case REG_QUEUE_SIZE:
	case REG_QUEUE_READY:
	case REG_QUEUE_DESC_LOW:
	case REG_QUEUE_DESC_HIGH:
	case REG_QUEUE_DRIVER_LOW:
	case REG_QUEUE_DRIVER_HIGH:
	case REG_QUEUE_DEVICE_LOW:
	case REG_QUEUE_DEVICE_HIGH:
		write_queue(v, off, val);
		break;
	default:
		break;
	}
	return -1;
}

int virtio_mmio_write(struct virtio_mmio *v, unsigned off, unsigned size_bytes, uint64_t val)
{
	if (off < CONFIG)
		return size_bytes == 4 ? write_register(v, off, (uint32_t)val) : -1;
	if (v->kind->config_write)
		v->kind->config_write(v->dev, off - CONFIG, &val, size_bytes);
	return -1;
}

void virtio_config_copy(void *dst, unsigned size_bytes, unsigned off, const void *config,
			size_t config_bytes)
{
	if (off >= config_bytes)
		return;
	if (size_bytes > config_bytes - off)
		size_bytes = (unsigned)(config_bytes - off);
	memcpy(dst, (const uint8_t *)config + off, size_bytes);
}

bool virtio_mmio_has(const struct virtio_mmio *v, uint64_t feature)
{
	return (v->driver_features & feature) != 0;
}

bool virtio_mmio_is_live(const struct virtio_mmio *v)
{
	return (v->status & (VIRTIO_STATUS_DRIVER_OK | VIRTIO_STATUS_NEEDS_RESET)) ==
	       VIRTIO_STATUS_DRIVER_OK;
}

static void interrupt_driver(struct virtio_mmio *v, unsigned cause)
{
	atomic_fetch_or(&v->interrupt_status, cause);
	v->interrupt(v->ctx);
}

void virtio_mmio_serve(struct virtio_mmio *v, unsigned queue)
{
	if (v->kind->serve && virtio_mmio_is_live(v) && v->queue[queue].ready)
		v->kind->serve(v->dev, queue);
}

bool virtio_mmio_take(struct virtio_mmio *v, unsigned queue, struct virtq_chain *c)
{
	struct virtq *q = &v->queue[queue];
	int ret;

	if (!virtio_mmio_is_live(v))
		return false;
	do
		ret = virtq_pop(q, &v->mem, c);
	while (ret == 0 && virtq_rearm(q));
	if (ret < 0)
		virtio_mmio_needs_reset(v);
	return ret > 0;
}

void virtio_mmio_give(struct virtio_mmio *v, unsigned queue, const struct virtq_chain *c,
		      size_t written_bytes)
{
	virtq_push(&v->queue[queue], c->head, (uint32_t)written_bytes);
}

void virtio_mmio_used(struct virtio_mmio *v)
{
	interrupt_driver(v, VIRTIO_INTERRUPT_USED);
}

void virtio_mmio_signal(struct virtio_mmio *v, unsigned queue)
{
	if (virtq_wants_interrupt(&v->queue[queue]))
		interrupt_driver(v, VIRTIO_INTERRUPT_USED);
}

void virtio_mmio_config_changed(struct virtio_mmio *v)
{
	v->config_generation++;
	if (v->status & VIRTIO_STATUS_DRIVER_OK)
		interrupt_driver(v, VIRTIO_INTERRUPT_CONFIG);
}

void virtio_mmio_needs_reset(struct virtio_mmio *v)
{
	bool tell = v->status & VIRTIO_STATUS_DRIVER_OK;

	v->status |= VIRTIO_STATUS_NEEDS_RESET;
	if (tell)
		interrupt_driver(v, VIRTIO_INTERRUPT_CONFIG);
}
