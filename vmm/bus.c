/* SPDX-License-Identifier: MIT */
/* One bus type for ports, MMIO and MSRs: claims at set-up, lock-free look-up afterwards. */
#include "vmm/bus.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t bus_last_address(enum bus_kind kind)
{
	switch (kind) {
	case BUS_PIO:
		return 0xffff;
	case BUS_MSR:
		return 0xffffffff;
	case BUS_MMIO:
		break;
	}
	return UINT64_MAX;
}

void bus_init(struct bus *b, enum bus_kind kind)
{
	*b = (struct bus){.kind = kind};
}

void bus_fini(struct bus *b)
{
	free(b->range);
	free(b->counts);
	free(b->hint);
	*b = (struct bus){.kind = b->kind};
}

static const struct io_range *find_overlap(const struct bus *b, const struct io_range *r)
{
	for (unsigned i = 0; i < b->count; i++)
		if (r->base <= b->range[i].last && b->range[i].base <= r->last)
			return &b->range[i];
	return NULL;
}

static int grow(struct bus *b)
{
	unsigned capacity = b->capacity ? 2 * b->capacity : 16;
	struct io_range *range = realloc(b->range, capacity * sizeof(*range));

	if (!range)
		return -ENOMEM;
	b->range = range;
	b->capacity = capacity;
	return 0;
}

int bus_claim(struct bus *b, const struct io_range *r)
{
	const struct io_range *other;

	if (b->sealed)
		return -EBUSY;
	if (r->base > r->last || r->last > bus_last_address(b->kind))
		return -EINVAL;
	other = find_overlap(b, r);
	if (other) {
		fprintf(stderr,
			"vpup: %s at %#" PRIx64 "-%#" PRIx64 " overlaps %s at %#" PRIx64
			"-%#" PRIx64 "\n",
			r->name, r->base, r->last, other->name, other->base, other->last);
		b->conflict = true;
		return -EEXIST;
	}
	if (b->count == b->capacity && grow(b))
		return -ENOMEM;
	b->range[b->count++] = *r;
	return 0;
}

static int by_base(const void *a, const void *b)
{
	const struct io_range *ra = a, *rb = b;

	return (ra->base > rb->base) - (ra->base < rb->base);
}

int bus_seal(struct bus *b, unsigned vps, struct err *e)
{
	if (b->conflict)
		return err_set(e, EEXIST, "address ranges of devices overlap (listed above)");
	b->counts = calloc((size_t)vps * (b->count + 1), sizeof(*b->counts));
	b->hint = calloc(vps, sizeof(*b->hint));
	if (!b->counts || !b->hint)
		return err_set(e, ENOMEM, "out of memory for the bus counters of %u VPs", vps);
	if (b->count)
		qsort(b->range, b->count, sizeof(*b->range), by_base);
	b->vps = vps;
	b->sealed = true;
	return 0;
}

static bool contains(const struct io_range *r, uint64_t addr)
{
	return addr >= r->base && addr <= r->last;
}

/* Index of the range that holds addr, or b->count. */
static unsigned lookup(struct bus *b, uint64_t addr, uint32_t vp)
{
	unsigned low = 0, high = b->count;

	if (b->count && contains(&b->range[b->hint[vp]], addr))
		return b->hint[vp];
	while (low < high) {
		unsigned mid = low + (high - low) / 2;

		if (contains(&b->range[mid], addr)) {
			b->hint[vp] = mid;
			return mid;
		}
		if (addr < b->range[mid].base)
			high = mid;
		else
			low = mid + 1;
	}
	return b->count;
}

static void count_access(struct bus *b, unsigned index, uint32_t vp, bool is_write, uint32_t n)
{
	struct io_count *c = &b->counts[(size_t)vp * (b->count + 1) + index];

	if (is_write)
		c->writes += n;
	else
		c->reads += n;
}

static uint64_t width_mask(unsigned size_bytes)
{
	return size_bytes >= 8 ? UINT64_MAX : (1ull << (8 * size_bytes)) - 1;
}

/* The one place that decides what an access gets that nobody answers. */
static enum io_status unanswered(const struct bus *b, struct io_access *a, enum io_status status)
{
	if (b->kind == BUS_MSR)
		return IO_FAULT;
	if (!a->is_write)
		a->val = UINT64_MAX;
	return status;
}

enum io_status bus_access(struct bus *b, struct io_access *a)
{
	enum io_status status = IO_UNCLAIMED;
	unsigned index;

	assert(b->sealed && a->vp < b->vps);
	index = lookup(b, a->addr, a->vp);
	count_access(b, index, a->vp, a->is_write, 1);
	if (index < b->count) {
		const struct io_range *r = &b->range[index];

		a->off = a->addr - r->base;
		status = r->fn(r->dev, a);
	}
	if (status != IO_OK)
		status = unanswered(b, a, status);
	a->val &= width_mask(a->size);
	return status;
}

static uint64_t load_element(const uint8_t *data, uint8_t size)
{
	uint64_t val = 0;

	for (unsigned i = 0; i < size; i++)
		val |= (uint64_t)data[i] << (8 * i);
	return val;
}

void bus_write_string(struct bus *b, uint64_t addr, const uint8_t *data, uint32_t count,
		      uint8_t size, uint32_t vp)
{
	unsigned index = lookup(b, addr, vp);

	if (index < b->count && b->range[index].string && addr == b->range[index].base) {
		count_access(b, index, vp, true, count);
		b->range[index].string(b->range[index].dev, data, count, size);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct io_access a = {
			.addr = addr,
			.val = load_element(data + (size_t)i * size, size),
			.size = size,
			.is_write = true,
			.vp = vp,
		};

		bus_access(b, &a);
	}
}

struct io_count bus_count(const struct bus *b, unsigned index)
{
	struct io_count sum = {0};

	assert(index <= b->count);
	for (unsigned vp = 0; vp < b->vps; vp++) {
		const struct io_count *c = &b->counts[(size_t)vp * (b->count + 1) + index];

		sum.reads += c->reads;
		sum.writes += c->writes;
	}
	return sum;
}
