/* SPDX-License-Identifier: MIT */
/*
 * A hostile virtio driver: any RAM, any writes to registers, any kicks, for each kind of device.
 * RAM outside the driver's must stay as it was, and a reset must always bring the device back.
 */
#include <stdlib.h>
#include <string.h>

#include "devices/virtio/blk.h"
#include "devices/virtio/console.h"
#include "devices/virtio/net.h"
#include "devices/virtio/rng.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/unit/virtio_driver.h"

#define SECTORS 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz {
	struct driver d;
	uint8_t canary[64];
	union {
		struct virtio_blk blk;
		struct virtio_net net;
		struct virtio_console console;
		struct virtio_rng rng;
	} dev;
	struct virtio_mmio *v;
	uint8_t disk[SECTORS * VIRTIO_BLK_SECTOR];
	struct fuzz_input in;
};

static int transfer(struct fuzz *z, const struct iovec *iov, unsigned count, uint64_t offset,
		    bool is_write)
{
	for (unsigned i = 0; i < count; i++) {
		uint8_t *at = z->disk + offset;

		if (offset > sizeof(z->disk) || iov[i].iov_len > sizeof(z->disk) - offset)
			abort(); /* the core let through what is not on the disk */
		if (is_write)
			memcpy(at, iov[i].iov_base, iov[i].iov_len);
		else
			memcpy(iov[i].iov_base, at, iov[i].iov_len);
		offset += iov[i].iov_len;
	}
	return 0;
}

static int on_read(void *ctx, const struct iovec *iov, unsigned count, uint64_t offset)
{
	return transfer(ctx, iov, count, offset, false);
}

static int on_write(void *ctx, const struct iovec *iov, unsigned count, uint64_t offset)
{
	return transfer(ctx, iov, count, offset, true);
}

static int on_flush(void *ctx)
{
	(void)ctx;
	return 0;
}

/* Whatever ranges the guest names, what arrives here lies on the disk. */
static int on_discard(void *ctx, uint64_t offset, uint64_t size_bytes)
{
	const uint64_t disk_bytes = SECTORS * 512;

	(void)ctx;
	if (offset > disk_bytes || size_bytes > disk_bytes - offset)
		abort();
	return 0;
}

static int on_zero(void *ctx, uint64_t offset, uint64_t size_bytes, bool may_unmap)
{
	(void)may_unmap;
	return on_discard(ctx, offset, size_bytes);
}

static void on_send(void *ctx, const struct iovec *frame, unsigned count, size_t size_bytes)
{
	size_t sum = 0;

	(void)ctx;
	for (unsigned i = 0; i < count; i++)
		sum += frame[i].iov_len;
	if (sum != size_bytes || sum == 0 || sum > VIRTIO_NET_FRAME_MAX)
		abort();
}

static void on_output(void *ctx, const void *data, size_t size_bytes)
{
	(void)ctx;
	(void)data;
	(void)size_bytes;
}

static void on_room(void *ctx)
{
	struct fuzz *z = ctx;

	if (z->v == &z->dev.net.transport)
		virtio_net_deliver(&z->dev.net, "frame", 5);
	else
		virtio_console_input(&z->dev.console, "input", 5);
}

static size_t fill(void *dst, size_t size_bytes)
{
	memset(dst, 1, size_bytes);
	return size_bytes;
}

static void make(struct fuzz *z, unsigned kind)
{
	static const uint8_t mac[VIRTIO_NET_MAC_BYTES] = {2};
	const struct virtio_blk_env env = {on_read, on_write, on_flush, on_discard, on_zero, z};

	switch (kind) {
	case 0:
		virtio_blk_init(&z->dev.blk, &env, SECTORS, false, "fuzz", &z->d.mem,
				driver_interrupt, &z->d);
		z->v = &z->dev.blk.transport;
		break;
	case 1:
		virtio_net_init(&z->dev.net, mac, on_send, on_room, z, &z->d.mem, driver_interrupt,
				&z->d);
		z->v = &z->dev.net.transport;
		break;
	case 2:
		virtio_console_init(&z->dev.console, on_output, on_room, z, &z->d.mem,
				    driver_interrupt, &z->d);
		z->v = &z->dev.console.transport;
		break;
	default:
		virtio_rng_init(&z->dev.rng, fill, &z->d.mem, driver_interrupt, &z->d);
		z->v = &z->dev.rng.transport;
		break;
	}
}

/* A descriptor that is mostly fine, or anything. */
static void put_desc(struct fuzz *z, unsigned q)
{
	uint8_t how = (uint8_t)fuzz_take(&z->in, 1);
	uint64_t addr = how & 1 ? fuzz_take(&z->in, 8) : driver_gpa((uint32_t)fuzz_take(&z->in, 2));
	uint32_t len = how & 2 ? (uint32_t)fuzz_take(&z->in, 4) : (uint32_t)fuzz_take(&z->in, 1);

	driver_set_desc(&z->d, q, fuzz_take(&z->in, 1) & 15, addr, len, how >> 2 & 7,
			fuzz_take(&z->in, 1) & 15);
}

static void step(struct fuzz *z)
{
	unsigned q = fuzz_take(&z->in, 1) & 1;

	switch (fuzz_take(&z->in, 1) & 7) {
	case 0:
		driver_bring_up(&z->d, z->v, z->v->device_features & fuzz_take(&z->in, 8), 16);
		break;
	case 1:
		put_desc(z, q);
		break;
	case 2:
		driver_avail(&z->d, q)->ring[fuzz_take(&z->in, 1) & 31] =
			(uint16_t)fuzz_take(&z->in, 1);
		driver_avail(&z->d, q)->idx = (uint16_t)fuzz_take(&z->in, 1);
		break;
	case 3:
		virtio_mmio_write(z->v, (unsigned)fuzz_take(&z->in, 1) & 0xfc, 4,
				  fuzz_take(&z->in, 4));
		break;
	case 4:
		virtio_mmio_write(z->v, (unsigned)fuzz_take(&z->in, 2) & 0xfff,
				  1u << (fuzz_take(&z->in, 1) & 3), fuzz_take(&z->in, 8));
		break;
	case 5:
		virtio_mmio_read(z->v, (unsigned)fuzz_take(&z->in, 2) & 0xfff,
				 1u << (fuzz_take(&z->in, 1) & 3));
		break;
	case 6:
		((uint8_t *)driver_ptr(&z->d, 0))[fuzz_take(&z->in, 2)] =
			(uint8_t)fuzz_take(&z->in, 1);
		break;
	default:
		if (q < z->v->kind->queues)
			virtio_mmio_serve(z->v, q);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz *z = aligned_alloc(_Alignof(struct fuzz), sizeof(*z));

	if (!z)
		return 0;
	memset(z, 0, sizeof(*z));
	z->in.data = data;
	z->in.size = size;
	driver_init(&z->d);
	make(z, fuzz_take(&z->in, 1) & 3);
	driver_bring_up(&z->d, z->v, 0, 16);
	while (z->in.size)
		step(z);
	for (size_t i = 0; i < sizeof(z->canary); i++)
		if (z->canary[i])
			abort();
	driver_bring_up(&z->d, z->v, 0, 16);
	if (!virtio_mmio_is_live(z->v))
		abort();
	free(z);
	return 0;
}
