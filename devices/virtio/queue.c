/* SPDX-License-Identifier: MIT */
/* The device's side of a split virtqueue. */
#include "devices/virtio/queue.h"

#include <errno.h>
#include <string.h>

#define DESC_ALIGN  16
#define AVAIL_ALIGN 2
#define USED_ALIGN  4

static uint64_t avail_bytes(uint32_t size)
{
	return sizeof(struct virtq_avail) + (size + 1ull) * sizeof(uint16_t);
}

static uint64_t used_bytes(uint32_t size)
{
	return sizeof(struct virtq_used) + (uint64_t)size * sizeof(struct virtq_used_elem) +
	       sizeof(uint16_t);
}

static void *ring_ptr(const struct guest_memory *mem, uint64_t addr, uint64_t size_bytes,
		      uint64_t align)
{
	return addr % align ? NULL : mem->ptr(mem->ctx, addr, size_bytes);
}

int virtq_start(struct virtq *q, const struct guest_memory *mem, uint32_t size_max, bool event_idx)
{
	uint32_t size = q->size;

	if (size == 0 || size > size_max || size > VIRTQ_SIZE_MAX || (size & (size - 1)))
		return -EINVAL;
	q->desc = ring_ptr(mem, q->desc_gpa, (uint64_t)size * sizeof(*q->desc), DESC_ALIGN);
	q->avail = ring_ptr(mem, q->avail_gpa, avail_bytes(size), AVAIL_ALIGN);
	q->used = ring_ptr(mem, q->used_gpa, used_bytes(size), USED_ALIGN);
	if (!q->desc || !q->avail || !q->used)
		return -EINVAL;
	q->event_idx = event_idx;
	q->avail_next = 0;
	q->used_next = 0;
	q->used_signalled = 0;
	q->broken = false;
	q->ready = true;
	return 0;
}

void virtq_reset(struct virtq *q)
{
	*q = (struct virtq){.size = 0};
}

static int broken(struct virtq *q)
{
	q->broken = true;
	return -EPROTO;
}

/* Where the descriptors of a chain stand: the queue's own table, or an indirect one. */
struct table {
	const void *desc;
	uint32_t size;
	bool is_indirect;
};

/*
 * The copy that everything is decided by; the driver may change the original at any time, and an
 * indirect table may stand at any address. The fence keeps the compiler from reading it again.
 */
static struct virtq_desc desc_copy(const struct table *t, uint32_t index)
{
	struct virtq_desc d;

	memcpy(&d, (const uint8_t *)t->desc + index * sizeof(d), sizeof(d));
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return d;
}

/* 2.7.5.3: an indirect descriptor ends the chain in the queue's table and begins one of its own. */
static int enter_indirect(const struct guest_memory *mem, const struct virtq_desc *d,
			  struct table *t)
{
	if (t->is_indirect || (d->flags & VIRTQ_DESC_F_NEXT) || d->len == 0 ||
	    d->len % sizeof(struct virtq_desc))
		return -EPROTO;
	t->desc = mem->ptr(mem->ctx, d->addr, d->len);
	t->size = d->len / (uint32_t)sizeof(struct virtq_desc);
	t->is_indirect = true;
	return t->desc ? 0 : -EPROTO;
}

static int add_buffer(const struct guest_memory *mem, const struct virtq_desc *d,
		      struct virtq_chain *c)
{
	bool is_writable = d->flags & VIRTQ_DESC_F_WRITE;
	unsigned count = c->readable + c->writable;
	void *host;

	if (count == VIRTQ_SIZE_MAX || d->len == 0 || (!is_writable && c->writable))
		return -EPROTO;
	host = mem->ptr(mem->ctx, d->addr, d->len);
	if (!host)
		return -EPROTO;
	c->iov[count] = (struct iovec){.iov_base = host, .iov_len = d->len};
	if (is_writable) {
		c->writable++;
		c->writable_bytes += d->len;
	} else {
		c->readable++;
		c->readable_bytes += d->len;
	}
	return 0;
}

/* A chain that loops has more buffers than VIRTQ_SIZE_MAX sooner or later. */
static int walk(const struct guest_memory *mem, struct table t, uint32_t index,
		struct virtq_chain *c)
{
	for (;;) {
		struct virtq_desc d;
		int ret;

		if (index >= t.size)
			return -EPROTO;
		d = desc_copy(&t, index);
		if (d.flags & VIRTQ_DESC_F_INDIRECT) {
			ret = enter_indirect(mem, &d, &t);
			index = 0;
		} else {
			ret = add_buffer(mem, &d, c);
			index = d.next;
			if (ret == 0 && !(d.flags & VIRTQ_DESC_F_NEXT))
				return 0;
		}
		if (ret)
			return ret;
	}
}

int virtq_pop(struct virtq *q, const struct guest_memory *mem, struct virtq_chain *c)
{
	struct table t = {.desc = q->desc, .size = q->size};
	uint16_t idx, head;

	if (q->broken)
		return -EPROTO;
	if (!q->ready)
		return 0;
	idx = __atomic_load_n(&q->avail->idx, __ATOMIC_ACQUIRE);
	if (idx == q->avail_next)
		return 0;
	if ((uint16_t)(idx - q->avail_next) > q->size)
		return broken(q);
	head = __atomic_load_n(&q->avail->ring[q->avail_next & (q->size - 1)], __ATOMIC_RELAXED);
	c->head = head;
	c->readable = c->writable = 0;
	c->readable_bytes = c->writable_bytes = 0;
	if (walk(mem, t, head, c))
		return broken(q);
	q->avail_next++;
	return 1;
}

void virtq_push(struct virtq *q, uint16_t head, uint32_t written_bytes)
{
	q->used->ring[q->used_next & (q->size - 1)] =
		(struct virtq_used_elem){.id = head, .len = written_bytes};
	q->used_next++;
	__atomic_store_n(&q->used->idx, q->used_next, __ATOMIC_SEQ_CST);
}

/*
 * The driver publishes idx and then reads avail_event, and here it is the other way round: both sides
 * need their store to be seen before their load (2.7.10.1), which on x86 is what SEQ_CST stores give.
 */
bool virtq_rearm(struct virtq *q)
{
	if (!q->ready || q->broken)
		return false;
	if (q->event_idx) {
		uint16_t *avail_event = (uint16_t *)&q->used->ring[q->size];

		__atomic_store_n(avail_event, q->avail_next, __ATOMIC_SEQ_CST);
	}
	return __atomic_load_n(&q->avail->idx, __ATOMIC_SEQ_CST) != q->avail_next;
}

/* Likewise for used->idx, which virtq_push() has stored, and used_event or the flags. */
bool virtq_wants_interrupt(struct virtq *q)
{
	uint16_t from = q->used_signalled, to = q->used_next, used_event;

	if (!q->ready || from == to)
		return false;
	q->used_signalled = to;
	if (!q->event_idx)
		return !(__atomic_load_n(&q->avail->flags, __ATOMIC_SEQ_CST) &
			 VIRTQ_AVAIL_F_NO_INTERRUPT);
	/* Did used->idx pass used_event on its way? */
	used_event = __atomic_load_n(&q->avail->ring[q->size], __ATOMIC_SEQ_CST);
	return (uint16_t)(to - used_event - 1) < (uint16_t)(to - from);
}

unsigned virtq_slice(const struct iovec *iov, unsigned count, size_t offset, size_t size_bytes,
		     struct iovec *part)
{
	unsigned n = 0;

	for (unsigned i = 0; i < count && size_bytes; i++) {
		size_t len = iov[i].iov_len;

		if (offset >= len) {
			offset -= len;
			continue;
		}
		len -= offset;
		if (len > size_bytes)
			len = size_bytes;
		part[n++] = (struct iovec){(uint8_t *)iov[i].iov_base + offset, len};
		offset = 0;
		size_bytes -= len;
	}
	return n;
}

size_t virtq_read(const struct virtq_chain *c, size_t offset, void *dst, size_t size_bytes)
{
	struct iovec part[VIRTQ_SIZE_MAX];
	unsigned n = virtq_slice(c->iov, c->readable, offset, size_bytes, part);
	size_t done = 0;

	for (unsigned i = 0; i < n; done += part[i++].iov_len)
		memcpy((uint8_t *)dst + done, part[i].iov_base, part[i].iov_len);
	return done;
}

size_t virtq_write(const struct virtq_chain *c, size_t offset, const void *src, size_t size_bytes)
{
	struct iovec part[VIRTQ_SIZE_MAX];
	unsigned n = virtq_slice(c->iov + c->readable, c->writable, offset, size_bytes, part);
	size_t done = 0;

	for (unsigned i = 0; i < n; done += part[i++].iov_len)
		memcpy(part[i].iov_base, (const uint8_t *)src + done, part[i].iov_len);
	return done;
}
