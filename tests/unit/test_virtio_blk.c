/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/virtio/blk.c. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "devices/virtio/blk.h"
#include "tests/unit/suites.h"
#include "tests/unit/virtio_driver.h"

#define SECTORS   64u
#define F_RO      (1ull << 5)
#define F_FLUSH   (1ull << 9)
#define F_CLEAR   (3ull << 13) /* DISCARD and WRITE_ZEROES */
#define UNMAP     1u
#define HEADER    DRIVER_DATA
#define DATA      (DRIVER_DATA + 0x1000)
#define STATUS    (DRIVER_DATA + 0x8000)
#define NO_STATUS 0xee

static struct driver d;
static struct virtio_blk b;
static uint8_t disk[SECTORS * 512];
static unsigned flushes, requests;
static int fails_with;
static unsigned discards, zeroes, unmaps;

struct segment {
	uint64_t sector;
	uint32_t sectors;
	uint32_t flags;
};

static int copy(const struct iovec *iov, unsigned count, uint64_t offset, bool is_write)
{
	requests++;
	for (unsigned i = 0; i < count && fails_with == 0; i++) {
		ck_assert_uint_le(offset + iov[i].iov_len, sizeof(disk));
		if (is_write)
			memcpy(disk + offset, iov[i].iov_base, iov[i].iov_len);
		else
			memcpy(iov[i].iov_base, disk + offset, iov[i].iov_len);
		offset += iov[i].iov_len;
	}
	return fails_with;
}

static int disk_read(void *ctx, const struct iovec *iov, unsigned count, uint64_t offset)
{
	ck_assert_ptr_eq(ctx, disk);
	return copy(iov, count, offset, false);
}

static int disk_write(void *ctx, const struct iovec *iov, unsigned count, uint64_t offset)
{
	ck_assert_ptr_eq(ctx, disk);
	return copy(iov, count, offset, true);
}

static int disk_flush(void *ctx)
{
	ck_assert_ptr_eq(ctx, disk);
	flushes++;
	return fails_with;
}

static int clear(uint64_t offset, uint64_t size_bytes)
{
	ck_assert_uint_le(offset, sizeof(disk));
	ck_assert_uint_le(size_bytes, sizeof(disk) - offset);
	if (fails_with == 0)
		memset(disk + offset, 0, size_bytes);
	return fails_with;
}

static int disk_discard(void *ctx, uint64_t offset, uint64_t size_bytes)
{
	ck_assert_ptr_eq(ctx, disk);
	discards++;
	return clear(offset, size_bytes);
}

static int disk_zero(void *ctx, uint64_t offset, uint64_t size_bytes, bool may_unmap)
{
	ck_assert_ptr_eq(ctx, disk);
	zeroes++;
	unmaps += may_unmap;
	return clear(offset, size_bytes);
}

static void make(bool read_only, uint64_t features)
{
	const struct virtio_blk_env env = {disk_read,    disk_write, disk_flush,
					   disk_discard, disk_zero,  disk};

	virtio_blk_init(&b, &env, SECTORS, read_only, "disk-of-a-test-whose-name-is-long", &d.mem,
			driver_interrupt, &d);
	ck_assert_uint_eq(driver_bring_up(&d, &b.transport, features, 16), 0xf);
}

static void setup(void)
{
	driver_init(&d);
	for (unsigned i = 0; i < sizeof(disk); i++)
		disk[i] = (uint8_t)(i / 512 + i % 512);
	flushes = requests = discards = zeroes = unmaps = 0;
	fails_with = 0;
	make(false, F_FLUSH);
}

/* Sends a request whose data is size bytes at DATA. Returns the status byte. */
static uint8_t request(uint32_t type, uint64_t sector, uint32_t size, bool to_guest)
{
	uint32_t head[4] = {type, 0, (uint32_t)sector, (uint32_t)(sector >> 32)};
	struct driver_buf bufs[4] = {{HEADER, 16, false}};
	unsigned n = 1;

	memcpy(driver_ptr(&d, HEADER), head, sizeof(head));
	*(uint8_t *)driver_ptr(&d, STATUS) = NO_STATUS;
	if (size)
		bufs[n++] = (struct driver_buf){DATA, size, to_guest};
	bufs[n] = (struct driver_buf){STATUS, 1, true};
	driver_request(&d, 0, 0, bufs);
	virtio_mmio_serve(&b.transport, 0);
	return *(uint8_t *)driver_ptr(&d, STATUS);
}

static uint32_t used_len(void)
{
	return driver_used(&d, 0)->ring[(driver_used(&d, 0)->idx - 1) % 16].len;
}

START_TEST(config_tells_the_size)
{
	ck_assert_uint_eq(driver_read32(&b.transport, 0x100), SECTORS);
	ck_assert_uint_eq(driver_read32(&b.transport, 0x104), 0);
	ck_assert_uint_eq(driver_read32(&b.transport, 0x10c), VIRTQ_SIZE_MAX - 2);
	ck_assert_uint_eq(driver_read32(&b.transport, 0x114), 512);
	ck_assert_uint_eq(driver_read32(&b.transport, 0x118), 0);
	ck_assert_uint_eq(driver_read32(&b.transport, 0x124), 1 << 22);
	ck_assert_uint_eq(driver_read32(&b.transport, 0x128), 64);
	ck_assert_uint_eq(driver_read32(&b.transport, 0x12c), 8);
	ck_assert_uint_eq(driver_read32(&b.transport, 0x130), 1 << 22);
	ck_assert_uint_eq(driver_read32(&b.transport, 0x134), 64);
	ck_assert_uint_eq(driver_read32(&b.transport, 0x138), 1);
	ck_assert_uint_eq(driver_read32(&b.transport, 0x13c), 0);
}
END_TEST

START_TEST(reads)
{
	ck_assert_uint_eq(request(0, 3, 1024, true), 0);
	ck_assert_mem_eq(driver_ptr(&d, DATA), disk + 3 * 512, 1024);
	ck_assert_uint_eq(used_len(), 1025);
	ck_assert_uint_eq(d.interrupts, 1);
	ck_assert_uint_eq(flushes, 0);
}
END_TEST

START_TEST(writes)
{
	memset(driver_ptr(&d, DATA), 0x5a, 512);
	ck_assert_uint_eq(request(1, SECTORS - 1, 512, false), 0);
	ck_assert_mem_eq(disk + sizeof(disk) - 512, driver_ptr(&d, DATA), 512);
	ck_assert_uint_eq(used_len(), 1);
	ck_assert_uint_eq(flushes, 0);
	ck_assert_uint_eq(request(4, 0, 0, false), 0);
	ck_assert_uint_eq(flushes, 1);
}
END_TEST

START_TEST(writes_through_without_the_flush_feature)
{
	make(false, 0);
	ck_assert_uint_eq(request(1, 0, 512, false), 0);
	ck_assert_uint_eq(flushes, 1);
}
END_TEST

START_TEST(past_the_end_is_an_error)
{
	static const struct {
		uint64_t sector;
		uint32_t size;
	} bad[] = {
		{SECTORS, 512},
		{SECTORS - 1, 1024},
		{UINT64_MAX, 512},
		{1ull << 55, 512},
		{UINT64_MAX - 1, 2048},
		{0, 511},
		{0, 1},
	};

	ck_assert_uint_eq(request(0, bad[_i].sector, bad[_i].size, true), 1);
	ck_assert_uint_eq(request(1, bad[_i].sector, bad[_i].size, false), 1);
	ck_assert_uint_eq(requests, 0);
	ck_assert_uint_eq(b.errors, 2);
	ck_assert(virtio_mmio_is_live(&b.transport));
}
END_TEST

START_TEST(host_error_is_told)
{
	fails_with = -EIO;
	ck_assert_uint_eq(request(0, 0, 512, true), 1);
	ck_assert_uint_eq(request(1, 0, 512, false), 1);
	ck_assert_uint_eq(request(4, 0, 0, false), 1);
	ck_assert_uint_eq(b.errors, 3);
}
END_TEST

START_TEST(read_only_disk)
{
	make(true, F_RO | F_FLUSH);
	ck_assert_uint_eq(request(1, 0, 512, false), 1);
	ck_assert_uint_eq(requests, 0);
	ck_assert_uint_eq(request(0, 0, 512, true), 0);
}
END_TEST

START_TEST(tells_its_id)
{
	ck_assert_uint_eq(request(8, 0, 20, true), 0);
	ck_assert_mem_eq(driver_ptr(&d, DATA), "disk-of-a-test-whose-n", 20);
	ck_assert_uint_eq(*(uint8_t *)driver_ptr(&d, DATA + 20), 0);
	ck_assert_uint_eq(request(8, 0, 4, true), 0);
}
END_TEST

/* Sends count segments, the last of them cut by cut_bytes. */
static uint8_t clear_request(uint32_t type, const struct segment *segment, unsigned count,
			     uint32_t cut_bytes)
{
	memcpy(driver_ptr(&d, DATA), segment, count * sizeof(*segment));
	return request(type, 0, (uint32_t)(count * sizeof(*segment)) - cut_bytes, false);
}

START_TEST(discards_and_zeroes)
{
	static const struct segment two[] = {{1, 2, 0}, {SECTORS - 1, 1, 0}};
	static const struct segment unmap = {3, 1, UNMAP};
	static const uint8_t none[1024];
	uint8_t kept[512];

	memcpy(kept, disk, sizeof(kept));
	make(false, F_FLUSH | F_CLEAR);
	ck_assert_uint_eq(clear_request(11, two, 2, 0), 0);
	ck_assert_uint_eq(discards, 2);
	ck_assert_mem_eq(disk, kept, 512);
	ck_assert_mem_eq(disk + 512, none, 1024);
	ck_assert_mem_eq(disk + sizeof(disk) - 512, none, 512);
	ck_assert_uint_ne(disk[3 * 512], 0);
	ck_assert_uint_eq(clear_request(13, &unmap, 1, 0), 0);
	ck_assert_uint_eq(clear_request(13, two, 1, 0), 0);
	ck_assert_uint_eq(zeroes, 2);
	ck_assert_uint_eq(unmaps, 1);
	ck_assert_mem_eq(disk + 3 * 512, none, 512);
	ck_assert_uint_eq(flushes, 0);
}
END_TEST

START_TEST(cleared_through_without_the_flush_feature)
{
	static const struct segment one = {0, 1, 0};

	make(false, F_CLEAR);
	ck_assert_uint_eq(clear_request(11, &one, 1, 0), 0);
	ck_assert_uint_eq(clear_request(13, &one, 1, 0), 0);
	ck_assert_uint_eq(flushes, 2);
	fails_with = -ENOSPC;
	ck_assert_uint_eq(clear_request(13, &one, 1, 0), 1);
	ck_assert_uint_eq(flushes, 2);
}
END_TEST

/* The first segment is fine, and nothing is done of it. */
START_TEST(bad_segments)
{
	static const struct {
		struct segment second;
		uint32_t cut;
		uint8_t discard, zero;
	} bad[] = {
		{{SECTORS, 1, 0}, 0, 1, 1},    {{SECTORS - 1, 2, 0}, 0, 1, 1},
		{{UINT64_MAX, 1, 0}, 0, 1, 1}, {{1ull << 55, 1, 0}, 0, 1, 1},
		{{0, UINT32_MAX, 0}, 0, 1, 1}, {{0, 1, 2}, 0, 2, 2},
		{{0, 1, UINT32_MAX}, 0, 2, 2}, {{0, 1, 0}, 1, 1, 1},
		{{0, 1, 0}, 2 * 16 - 1, 1, 1}, {{0, 1, 0}, 2 * 16, 1, 1},
	};
	const struct segment two[] = {{1, 1, 0}, bad[_i].second};

	make(false, F_FLUSH | F_CLEAR);
	ck_assert_uint_eq(clear_request(11, two, 2, bad[_i].cut), bad[_i].discard);
	ck_assert_uint_eq(clear_request(13, two, 2, bad[_i].cut), bad[_i].zero);
	ck_assert_uint_eq(discards + zeroes, 0);
	ck_assert_uint_eq(b.errors, 2);
	ck_assert(virtio_mmio_is_live(&b.transport));
}
END_TEST

START_TEST(too_many_segments)
{
	static const struct segment many[65];

	make(false, F_FLUSH | F_CLEAR);
	ck_assert_uint_eq(clear_request(11, many, 65, 0), 1);
	ck_assert_uint_eq(discards, 0);
	ck_assert_uint_eq(clear_request(11, many, 64, 0), 0);
	ck_assert_uint_eq(discards, 64);
}
END_TEST

START_TEST(discard_knows_no_unmap)
{
	static const struct segment one = {0, 1, UNMAP};

	make(false, F_FLUSH | F_CLEAR);
	ck_assert_uint_eq(clear_request(11, &one, 1, 0), 2);
	ck_assert_uint_eq(discards, 0);
}
END_TEST

START_TEST(read_only_disk_is_not_cleared)
{
	static const struct segment one = {0, 1, 0};

	make(true, F_RO | F_FLUSH);
	ck_assert_uint_eq(clear_request(11, &one, 1, 0), 2);
	ck_assert_uint_eq(clear_request(13, &one, 1, 0), 2);
	ck_assert_uint_eq(discards + zeroes, 0);
	ck_assert_uint_eq(driver_read32(&b.transport, 0x124), 0);
}
END_TEST

/* 11 and 13 are discard and zeroes, which were not negotiated. */
START_TEST(unknown_request)
{
	static const uint32_t types[] = {2, 3, 5, 11, 13, UINT32_MAX};

	ck_assert_uint_eq(request(types[_i], 0, 512, true), 2);
	ck_assert_uint_eq(requests, 0);
}
END_TEST

/* 2.7.4: the borders of buffers mean nothing. */
START_TEST(any_framing)
{
	const struct driver_buf bufs[] = {{HEADER, 3, false},    {HEADER + 3, 13, false},
					  {DATA, 100, true},     {DATA + 100, 411, true},
					  {DATA + 511, 2, true}, {0, 0, false}};

	memset(driver_ptr(&d, HEADER), 0, 16);
	memset(driver_ptr(&d, DATA), NO_STATUS, 1024);
	driver_request(&d, 0, 0, bufs);
	virtio_mmio_serve(&b.transport, 0);
	ck_assert_mem_eq(driver_ptr(&d, DATA), disk, 512);
	ck_assert_uint_eq(*(uint8_t *)driver_ptr(&d, DATA + 512), 0);
	ck_assert_uint_eq(used_len(), 513);
}
END_TEST

START_TEST(request_without_header_or_status)
{
	static const struct driver_buf bad[][3] = {
		{{HEADER, 15, false}, {STATUS, 1, true}},
		{{HEADER, 16, false}},
		{{STATUS, 1, true}},
	};

	driver_request(&d, 0, 0, bad[_i]);
	virtio_mmio_serve(&b.transport, 0);
	ck_assert(!virtio_mmio_is_live(&b.transport));
	ck_assert_uint_eq(driver_read32(&b.transport, 0x70) & 0x40, 0x40);
	make(false, F_FLUSH);
	driver_avail(&d, 0)->idx = 0;
	ck_assert_uint_eq(request(0, 0, 512, true), 0);
}
END_TEST

Suite *virtio_blk_suite(void)
{
	Suite *s = suite_create("virtio_blk");
	TCase *t = tcase_create("virtio_blk");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, config_tells_the_size);
	tcase_add_test(t, reads);
	tcase_add_test(t, writes);
	tcase_add_test(t, writes_through_without_the_flush_feature);
	tcase_add_loop_test(t, past_the_end_is_an_error, 0, 7);
	tcase_add_test(t, host_error_is_told);
	tcase_add_test(t, read_only_disk);
	tcase_add_test(t, tells_its_id);
	tcase_add_test(t, discards_and_zeroes);
	tcase_add_test(t, cleared_through_without_the_flush_feature);
	tcase_add_loop_test(t, bad_segments, 0, 10);
	tcase_add_test(t, too_many_segments);
	tcase_add_test(t, discard_knows_no_unmap);
	tcase_add_test(t, read_only_disk_is_not_cleared);
	tcase_add_loop_test(t, unknown_request, 0, 6);
	tcase_add_test(t, any_framing);
	tcase_add_loop_test(t, request_without_header_or_status, 0, 3);
	suite_add_tcase(s, t);
	return s;
}
