/* SPDX-License-Identifier: MIT */
/* Unit tests of devices/virtio/net.c, console.c, rng.c and fs.c. */
#include <check.h>
#include <string.h>

#include "devices/virtio/console.h"
#include "devices/virtio/fs.h"
#include "devices/virtio/net.h"
#include "devices/virtio/rng.h"
#include "tests/unit/suites.h"
#include "tests/unit/virtio_driver.h"

#define HEADER_BYTES 12u

static const uint8_t mac[VIRTIO_NET_MAC_BYTES] = {0x52, 0x54, 0, 1, 2, 3};

static struct driver d;
static struct virtio_net n;
static struct virtio_console t;
static struct virtio_rng r;
static uint8_t sent[70000];
static size_t sent_bytes;
static unsigned frames, rooms;

static void on_send(void *ctx, const struct iovec *frame, unsigned count, size_t size_bytes)
{
	size_t done = 0;

	ck_assert_ptr_eq(ctx, sent);
	for (unsigned i = 0; i < count; done += frame[i++].iov_len)
		memcpy(sent + done, frame[i].iov_base, frame[i].iov_len);
	ck_assert_uint_eq(done, size_bytes);
	sent_bytes = done;
	frames++;
}

static void on_output(void *ctx, const void *data, size_t size_bytes)
{
	ck_assert_ptr_eq(ctx, sent);
	memcpy(sent + sent_bytes, data, size_bytes);
	sent_bytes += size_bytes;
}

static void on_room(void *ctx)
{
	ck_assert_ptr_eq(ctx, sent);
	rooms++;
}

static size_t fill(void *dst, size_t size_bytes)
{
	memset(dst, 0xa5, size_bytes);
	return size_bytes;
}

static void setup(void)
{
	driver_init(&d);
	sent_bytes = 0;
	frames = rooms = 0;
	virtio_net_init(&n, mac, on_send, on_room, sent, &d.mem, driver_interrupt, &d);
	virtio_console_init(&t, on_output, on_room, sent, &d.mem, driver_interrupt, &d);
	virtio_rng_init(&r, fill, &d.mem, driver_interrupt, &d);
}

static void net_up(void)
{
	ck_assert_uint_eq(driver_bring_up(&d, &n.transport, 1ull << 5 | 1ull << 16, 16), 0xf);
}

START_TEST(net_config)
{
	ck_assert_uint_eq(driver_read32(&n.transport, 0x100), 0x01005452);
	ck_assert_uint_eq(virtio_mmio_read(&n.transport, 0x104, 2), 0x0302);
	ck_assert_uint_eq(virtio_mmio_read(&n.transport, 0x106, 2), 1);
	ck_assert_uint_eq(virtio_mmio_read(&n.transport, 0x108, 2), 0);
}
END_TEST

START_TEST(net_sends)
{
	const struct driver_buf bufs[] = {{DRIVER_DATA, 5, false},
					  {DRIVER_DATA + 5, HEADER_BYTES - 5 + 60, false},
					  {0, 0, false}};

	net_up();
	memset(driver_ptr(&d, DRIVER_DATA + HEADER_BYTES), 0x77, 60);
	driver_request(&d, VIRTIO_NET_TX, 0, bufs);
	virtio_mmio_serve(&n.transport, VIRTIO_NET_TX);
	ck_assert_uint_eq(frames, 1);
	ck_assert_uint_eq(sent_bytes, 60);
	ck_assert_uint_eq(sent[0], 0x77);
	ck_assert_uint_eq(sent[59], 0x77);
	ck_assert_uint_eq(driver_used(&d, VIRTIO_NET_TX)->idx, 1);
	ck_assert_uint_eq(d.interrupts, 1);
}
END_TEST

/* Only a header, less than one, and more than a frame may be. */
START_TEST(net_drops_what_is_no_frame)
{
	static const uint32_t sizes[] = {1, HEADER_BYTES, HEADER_BYTES + VIRTIO_NET_FRAME_MAX + 1};
	const struct driver_buf bufs[] = {{DRIVER_DATA, sizes[_i], false}, {0, 0, false}};

	net_up();
	driver_request(&d, VIRTIO_NET_TX, 0, bufs);
	virtio_mmio_serve(&n.transport, VIRTIO_NET_TX);
	ck_assert_uint_eq(frames, 0);
	ck_assert_uint_eq(n.dropped, 1);
	ck_assert_uint_eq(driver_used(&d, VIRTIO_NET_TX)->idx, 1);
}
END_TEST

START_TEST(net_delivers)
{
	const struct driver_buf bufs[] = {{DRIVER_DATA, HEADER_BYTES, true},
					  {DRIVER_DATA + 100, 64, true},
					  {0, 0, false}};
	const uint8_t header[HEADER_BYTES] = {[10] = 1};

	net_up();
	memset(driver_ptr(&d, DRIVER_DATA), 0xff, 256);
	ck_assert(!virtio_net_deliver(&n, "frame", 5)); /* no room yet */
	driver_request(&d, VIRTIO_NET_RX, 0, bufs);
	virtio_mmio_serve(&n.transport, VIRTIO_NET_RX);
	ck_assert_uint_eq(rooms, 1);
	ck_assert(virtio_net_deliver(&n, "frame", 5));
	ck_assert_mem_eq(driver_ptr(&d, DRIVER_DATA), header, HEADER_BYTES);
	ck_assert_mem_eq(driver_ptr(&d, DRIVER_DATA + 100), "frame", 5);
	ck_assert_uint_eq(driver_used(&d, VIRTIO_NET_RX)->ring[0].len, HEADER_BYTES + 5);
	ck_assert_uint_eq(d.interrupts, 1);
}
END_TEST

START_TEST(net_drops_what_does_not_fit)
{
	const struct driver_buf bufs[] = {{DRIVER_DATA, HEADER_BYTES + 4, true}, {0, 0, false}};

	net_up();
	driver_request(&d, VIRTIO_NET_RX, 0, bufs);
	ck_assert(virtio_net_deliver(&n, "frame", 5));
	ck_assert_uint_eq(n.dropped, 1);
	ck_assert_uint_eq(driver_used(&d, VIRTIO_NET_RX)->ring[0].len, 0);
}
END_TEST

START_TEST(net_without_a_driver)
{
	ck_assert(virtio_net_deliver(&n, "frame", 5));
	ck_assert_uint_eq(n.dropped, 1);
}
END_TEST

START_TEST(console_writes)
{
	const struct driver_buf bufs[] = {{DRIVER_DATA, 3, false},
					  {DRIVER_DATA + 8, 4, false},
					  {0, 0, false}};

	ck_assert_uint_eq(driver_bring_up(&d, &t.transport, 1, 16), 0xf);
	memcpy(driver_ptr(&d, DRIVER_DATA), "one-----two\n", 12);
	driver_request(&d, VIRTIO_CONSOLE_TX, 0, bufs);
	virtio_mmio_serve(&t.transport, VIRTIO_CONSOLE_TX);
	ck_assert_uint_eq(sent_bytes, 7);
	ck_assert_mem_eq(sent, "onetwo\n", 7);
}
END_TEST

START_TEST(console_takes_input)
{
	const struct driver_buf first[] = {{DRIVER_DATA, 3, true}, {0, 0, false}};
	const struct driver_buf second[] = {{DRIVER_DATA + 8, 2, true}, {0, 0, false}};

	ck_assert_uint_eq(virtio_console_input(&t, "abc", 3), 0);
	ck_assert_uint_eq(driver_bring_up(&d, &t.transport, 1, 16), 0xf);
	ck_assert_uint_eq(virtio_console_input(&t, "abc", 3), 0);
	driver_request(&d, VIRTIO_CONSOLE_RX, 0, first);
	driver_request(&d, VIRTIO_CONSOLE_RX, 1, second);
	virtio_mmio_serve(&t.transport, VIRTIO_CONSOLE_RX);
	ck_assert_uint_eq(rooms, 1);
	ck_assert_uint_eq(virtio_console_input(&t, "abcdefg", 7), 5);
	ck_assert_mem_eq(driver_ptr(&d, DRIVER_DATA), "abc", 3);
	ck_assert_mem_eq(driver_ptr(&d, DRIVER_DATA + 8), "de", 2);
	ck_assert_uint_eq(driver_used(&d, VIRTIO_CONSOLE_RX)->ring[1].len, 2);
}
END_TEST

START_TEST(console_resizes)
{
	ck_assert_uint_eq(driver_bring_up(&d, &t.transport, 1, 16), 0xf);
	virtio_console_resize(&t, 132, 43);
	ck_assert_uint_eq(driver_read32(&t.transport, 0x100), 43 << 16 | 132);
	ck_assert_uint_eq(driver_read32(&t.transport, 0x60), VIRTIO_INTERRUPT_CONFIG);
}
END_TEST

START_TEST(rng_fills)
{
	const struct driver_buf bufs[] = {{DRIVER_DATA, 10, false},
					  {DRIVER_DATA + 16, 32, true},
					  {DRIVER_DATA + 64, 1, true},
					  {0, 0, false}};

	ck_assert_uint_eq(driver_bring_up(&d, &r.transport, 0, 16), 0xf);
	driver_request(&d, 0, 0, bufs);
	virtio_mmio_serve(&r.transport, 0);
	ck_assert_uint_eq(driver_used(&d, 0)->ring[0].len, 33);
	ck_assert_uint_eq(*(uint8_t *)driver_ptr(&d, DRIVER_DATA + 9), 0);
	ck_assert_uint_eq(*(uint8_t *)driver_ptr(&d, DRIVER_DATA + 16), 0xa5);
	ck_assert_uint_eq(*(uint8_t *)driver_ptr(&d, DRIVER_DATA + 47), 0xa5);
	ck_assert_uint_eq(*(uint8_t *)driver_ptr(&d, DRIVER_DATA + 48), 0);
	ck_assert_uint_eq(*(uint8_t *)driver_ptr(&d, DRIVER_DATA + 64), 0xa5);
}
END_TEST

START_TEST(rng_limits_a_request)
{
	const struct driver_buf bufs[] = {{DRIVER_DATA, 70000, true}, {0, 0, false}};

	ck_assert_uint_eq(driver_bring_up(&d, &r.transport, 0, 16), 0xf);
	driver_request(&d, 0, 0, bufs);
	virtio_mmio_serve(&r.transport, 0);
	ck_assert_uint_eq(driver_used(&d, 0)->ring[0].len, 65536);
	ck_assert_uint_eq(*(uint8_t *)driver_ptr(&d, DRIVER_DATA + 65536), 0);
}
END_TEST

static unsigned fs_starts, fs_stops;

static void on_fs_start(void *ctx)
{
	ck_assert_ptr_eq(ctx, sent);
	fs_starts++;
}

static void on_fs_stop(void *ctx)
{
	ck_assert_ptr_eq(ctx, sent);
	fs_stops++;
}

START_TEST(fs_starts_and_stops)
{
	const struct virtio_fs_env env = {on_fs_start, on_fs_stop, sent};
	struct virtio_fs f;

	fs_starts = fs_stops = 0;
	virtio_fs_init(&f, &env, VIRTIO_F_INDIRECT_DESC, "home", &d.mem, driver_interrupt, &d);
	ck_assert_uint_eq(f.transport.device_features, VIRTIO_F_INDIRECT_DESC | VIRTIO_F_VERSION_1);
	ck_assert_uint_eq(driver_read32(&f.transport, 0x100), 0x656d6f68);
	ck_assert_uint_eq(driver_read32(&f.transport, 0x104), 0);
	ck_assert_uint_eq(driver_read32(&f.transport, 0x124), 1);
	driver_bring_up(&d, &f.transport, 0, 16);
	ck_assert_uint_eq(fs_starts, 1);
	ck_assert_uint_eq(fs_stops, 0);
	virtio_mmio_serve(&f.transport, 1); /* not ours to serve */
	virtio_mmio_used(&f.transport);
	ck_assert_uint_eq(d.interrupts, 1);
	driver_write32(&f.transport, 0x70, 0);
	driver_write32(&f.transport, 0x70, 0);
	ck_assert_uint_eq(fs_stops, 1);
}
END_TEST

Suite *virtio_net_suite(void)
{
	Suite *s = suite_create("virtio_net");
	TCase *c = tcase_create("virtio_net");

	tcase_add_checked_fixture(c, setup, NULL);
	tcase_add_test(c, net_config);
	tcase_add_test(c, net_sends);
	tcase_add_loop_test(c, net_drops_what_is_no_frame, 0, 3);
	tcase_add_test(c, net_delivers);
	tcase_add_test(c, net_drops_what_does_not_fit);
	tcase_add_test(c, net_without_a_driver);
	tcase_add_test(c, console_writes);
	tcase_add_test(c, console_takes_input);
	tcase_add_test(c, console_resizes);
	tcase_add_test(c, rng_fills);
	tcase_add_test(c, rng_limits_a_request);
	tcase_add_test(c, fs_starts_and_stops);
	suite_add_tcase(s, c);
	return s;
}
