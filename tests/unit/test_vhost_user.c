/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/vhost_user.c, with the daemon's end of the socket in the test. */
#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suites.h"
#include "vmm/layout.h"
#include "vmm/vhost_user.h"

struct received {
	uint32_t request, flags, size_bytes;
	uint8_t body[256];
	int fd[4];
	unsigned fds;
};

static int near_fd, far_fd;
static struct err e;

static void setup(void)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	near_fd = pair[0];
	far_fd = pair[1];
}

static void teardown(void)
{
	close(near_fd);
	close(far_fd);
}

/* The next message, with the descriptors that came along. */
static struct received take(void)
{
	struct received r = {0};
	char control[CMSG_SPACE(sizeof(r.fd))];
	struct iovec iov = {&r, 12};
	struct msghdr h = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof(control)};
	struct cmsghdr *c;

	ck_assert_int_eq(recvmsg(far_fd, &h, 0), 12);
	c = CMSG_FIRSTHDR(&h);
	if (c) {
		r.fds = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(r.fd, CMSG_DATA(c), r.fds * sizeof(int));
	}
	ck_assert_uint_le(r.size_bytes, sizeof(r.body));
	if (r.size_bytes)
		ck_assert_int_eq(recv(far_fd, r.body, r.size_bytes, MSG_WAITALL), r.size_bytes);
	ck_assert_uint_eq(r.flags, 1);
	return r;
}

static void answer(uint32_t request, uint32_t flags, uint32_t size_bytes, const void *body)
{
	const uint32_t head[3] = {request, flags, size_bytes};

	ck_assert_int_eq(send(far_fd, head, sizeof(head), 0), sizeof(head));
	ck_assert_int_eq(send(far_fd, body, size_bytes, 0), size_bytes);
}

START_TEST(features)
{
	const uint64_t offered = 0x130000000;
	uint64_t got = 0;
	struct received r;

	answer(1, 1 | 4, 8, &offered);
	ck_assert_int_eq(vhost_user_features(near_fd, &got, &e), 0);
	ck_assert_uint_eq(got, offered);
	r = take();
	ck_assert_uint_eq(r.request, 1);
	ck_assert_uint_eq(r.size_bytes, 0);
}
END_TEST

START_TEST(wrong_answers)
{
	static const uint32_t bad[][3] = {{2, 5, 8}, {1, 1, 8}, {1, 5, 0}, {1, 5, 1u << 30}};
	uint64_t got;

	ck_assert_int_eq(send(far_fd, bad[_i], sizeof(bad[_i]), 0), sizeof(bad[_i]));
	ck_assert_int_eq(vhost_user_features(near_fd, &got, &e), -EPROTO);
}
END_TEST

START_TEST(peer_is_gone)
{
	uint64_t got;

	shutdown(far_fd, SHUT_RDWR);
	ck_assert_int_lt(vhost_user_features(near_fd, &got, &e), 0);
	ck_assert_ptr_nonnull(strstr(e.text, "gone"));
}
END_TEST

/* RAM below and above the hole: two regions of one file. */
START_TEST(memory)
{
	uint64_t region[8];
	struct received r;
	struct stat sent, own;
	struct mem m;

	ck_assert_int_eq(mem_init_shared(&m, LAYOUT_LOW_RAM_MAX + 0x100000, &e), 0);
	ck_assert_int_eq(vhost_user_set_up(near_fd, 0x100000000, &m, &e), 0);
	ck_assert_uint_eq(take().request, 3);
	r = take();
	ck_assert_uint_eq(r.request, 2);
	ck_assert_uint_eq(r.body[4], 1);
	r = take();
	ck_assert_uint_eq(r.request, 5);
	ck_assert_uint_eq(r.size_bytes, 8 + 2 * 32);
	ck_assert_uint_eq(r.body[0], 2);
	ck_assert_uint_eq(r.fds, 2);
	memcpy(region, r.body + 8, sizeof(region));
	ck_assert_uint_eq(region[0], 0);
	ck_assert_uint_eq(region[1], LAYOUT_LOW_RAM_MAX);
	ck_assert_uint_eq(region[2], (uintptr_t)mem_ptr(&m, gpa(0), 1));
	ck_assert_uint_eq(region[3], 0);
	ck_assert_uint_eq(region[4], LAYOUT_HIGH_RAM_BASE);
	ck_assert_uint_eq(region[5], 0x100000);
	ck_assert_uint_eq(region[6], (uintptr_t)mem_ptr(&m, gpa(LAYOUT_HIGH_RAM_BASE), 1));
	ck_assert_uint_eq(region[7], LAYOUT_LOW_RAM_MAX);
	ck_assert_int_eq(fstat(r.fd[1], &sent), 0);
	ck_assert_int_eq(fstat(m.fd, &own), 0);
	ck_assert_uint_eq(sent.st_ino, own.st_ino);
	close(r.fd[0]);
	close(r.fd[1]);
	mem_fini(&m);
}
END_TEST

START_TEST(ring)
{
	const struct virtq_desc *desc = (const void *)0x1000;
	struct virtq q = {.size = 64,
			  .avail_next = 7,
			  .desc = desc,
			  .avail = (void *)0x2000,
			  .used = (void *)0x3000};
	uint64_t addr[5];
	uint32_t state[2];
	struct received r;

	ck_assert_int_eq(vhost_user_start_ring(near_fd, 1, &q, near_fd, far_fd, &e), 0);
	r = take();
	memcpy(state, r.body, sizeof(state));
	ck_assert_uint_eq(r.request, 8);
	ck_assert_uint_eq(state[0], 1);
	ck_assert_uint_eq(state[1], 64);
	r = take();
	memcpy(state, r.body, sizeof(state));
	ck_assert_uint_eq(r.request, 10);
	ck_assert_uint_eq(state[1], 7);
	r = take();
	memcpy(addr, r.body, sizeof(addr));
	ck_assert_uint_eq(r.request, 9);
	ck_assert_uint_eq(addr[0], 1);
	ck_assert_uint_eq(addr[1], 0x1000);
	ck_assert_uint_eq(addr[2], 0x3000);
	ck_assert_uint_eq(addr[3], 0x2000);
	for (uint32_t request = 13; request >= 12; request--) {
		r = take();
		ck_assert_uint_eq(r.request, request);
		ck_assert_uint_eq(r.body[0], 1);
		ck_assert_uint_eq(r.fds, 1);
		close(r.fd[0]);
	}
}
END_TEST

START_TEST(ring_stops)
{
	const uint32_t state[2] = {1, 9};

	answer(11, 5, sizeof(state), state);
	ck_assert_int_eq(vhost_user_stop_ring(near_fd, 1, &e), 0);
	ck_assert_uint_eq(take().request, 11);
}
END_TEST

Suite *vhost_user_suite(void)
{
	Suite *s = suite_create("vhost_user");
	TCase *t = tcase_create("vhost_user");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, features);
	tcase_add_loop_test(t, wrong_answers, 0, 4);
	tcase_add_test(t, peer_is_gone);
	tcase_add_test(t, memory);
	tcase_add_test(t, ring);
	tcase_add_test(t, ring_stops);
	suite_add_tcase(s, t);
	return s;
}
