/* SPDX-License-Identifier: MIT */
/* The front end of the vhost-user protocol. */
#include "vmm/vhost_user.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define VERSION    1u
#define FLAG_REPLY 4u
#define ANSWER_MS  5000
#define FDS_MAX    2

enum request {
	GET_FEATURES = 1,
	SET_FEATURES = 2,
	SET_OWNER = 3,
	SET_MEM_TABLE = 5,
	SET_VRING_NUM = 8,
	SET_VRING_ADDR = 9,
	SET_VRING_BASE = 10,
	GET_VRING_BASE = 11,
	SET_VRING_KICK = 12,
	SET_VRING_CALL = 13,
};

struct header {
	uint32_t request;
	uint32_t flags;
	uint32_t size_bytes;
};

struct region {
	uint64_t guest_addr;
	uint64_t size_bytes;
	uint64_t user_addr;
	uint64_t mmap_offset;
};

struct ring_state {
	uint32_t index;
	uint32_t num;
};

struct ring_addr {
	uint32_t index;
	uint32_t flags;
	uint64_t desc;
	uint64_t used;
	uint64_t avail;
	uint64_t log;
};

struct message {
	struct header header;
	union {
		uint64_t u64;
		struct ring_state state;
		struct ring_addr addr;
		struct {
			uint32_t regions;
			uint32_t padding;
			struct region region[FDS_MAX];
		} mem;
	} body;
} __attribute__((packed));

_Static_assert(sizeof(struct header) == 12, "vhost-user");
_Static_assert(sizeof(struct ring_addr) == 40, "vhost-user");

static int gone(int code, struct err *e)
{
	return err_set(e, code, "the process that serves the share is gone: %s", strerror(code));
}

static int send_message(int fd, const struct message *msg, const int *fds, unsigned fd_count,
			struct err *e)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control = {.bytes = {0}};
	struct iovec iov = {(void *)msg, sizeof(msg->header) + msg->header.size_bytes};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	if (fd_count) {
		struct cmsghdr *c = &control.align;

		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(c), fds, fd_count * sizeof(int));
		h.msg_control = control.bytes;
		h.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
	}
	do
		n = sendmsg(fd, &h, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return gone(errno, e);
	return (size_t)n == iov.iov_len ? 0 : gone(EPIPE, e);
}

static int send_simple(int fd, enum request request, const void *body, uint32_t size_bytes,
		       struct err *e)
{
	struct message msg = {.header = {request, VERSION, size_bytes}};

	memcpy(&msg.body, body, size_bytes);
	return send_message(fd, &msg, NULL, 0, e);
}

static int receive_all(int fd, void *dst, size_t size_bytes, struct err *e)
{
	size_t done = 0;

	while (done < size_bytes) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int ready = poll(&p, 1, ANSWER_MS);
		ssize_t n;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready == 0)
			return err_set(e, ETIMEDOUT,
				       "the process that serves the share gives no answer");
		n = recv(fd, (uint8_t *)dst + done, size_bytes - done, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return gone(n < 0 ? errno : EPIPE, e);
		done += (size_t)n;
	}
	return 0;
}

static int receive(int fd, enum request request, void *body, uint32_t size_bytes, struct err *e)
{
	struct header h;
	int ret = receive_all(fd, &h, sizeof(h), e);

	if (ret)
		return ret;
	if (h.request != (uint32_t)request || !(h.flags & FLAG_REPLY) || h.size_bytes != size_bytes)
		return err_set(e, EPROTO, "the process that serves the share breaks its protocol");
	return receive_all(fd, body, size_bytes, e);
}

int vhost_user_features(int fd, uint64_t *features, struct err *e)
{
	int ret = send_simple(fd, GET_FEATURES, "", 0, e);

	return ret ? ret : receive(fd, GET_FEATURES, features, sizeof(*features), e);
}

static int send_memory(int fd, const struct mem *m, struct err *e)
{
	struct message msg = {.header = {SET_MEM_TABLE, VERSION, 0}};
	int fds[FDS_MAX];

	_Static_assert(sizeof(m->region) / sizeof(m->region[0]) <= FDS_MAX, "room for all RAM");
	msg.body.mem.regions = m->region_count;
	for (unsigned i = 0; i < m->region_count; i++) {
		const struct mem_region *r = &m->region[i];

		fds[i] = m->fd;
		msg.body.mem.region[i] = (struct region){
			.guest_addr = r->base.v,
			.size_bytes = r->size_bytes,
			.user_addr = (uint64_t)(uintptr_t)r->host,
			.mmap_offset = (uint64_t)(r->host - m->region[0].host),
		};
	}
	msg.header.size_bytes = 8 + m->region_count * (uint32_t)sizeof(struct region);
	return send_message(fd, &msg, fds, m->region_count, e);
}

int vhost_user_set_up(int fd, uint64_t features, const struct mem *m, struct err *e)
{
	int ret = send_simple(fd, SET_OWNER, "", 0, e);

	if (ret == 0)
		ret = send_simple(fd, SET_FEATURES, &features, sizeof(features), e);
	return ret ? ret : send_memory(fd, m, e);
}

static int send_fd(int fd, enum request request, uint32_t index, int passed, struct err *e)
{
	struct message msg = {.header = {request, VERSION, sizeof(uint64_t)}};

	msg.body.u64 = index;
	return send_message(fd, &msg, &passed, 1, e);
}

int vhost_user_start_ring(int fd, uint32_t index, const struct virtq *q, int kick_fd, int call_fd,
			  struct err *e)
{
	const struct ring_state num = {index, q->size}, base = {index, q->avail_next};
	const struct ring_addr addr = {
		.index = index,
		.desc = (uint64_t)(uintptr_t)q->desc,
		.used = (uint64_t)(uintptr_t)q->used,
		.avail = (uint64_t)(uintptr_t)q->avail,
	};
	int ret = send_simple(fd, SET_VRING_NUM, &num, sizeof(num), e);

	if (ret == 0)
		ret = send_simple(fd, SET_VRING_BASE, &base, sizeof(base), e);
	if (ret == 0)
		ret = send_simple(fd, SET_VRING_ADDR, &addr, sizeof(addr), e);
	if (ret == 0)
		ret = send_fd(fd, SET_VRING_CALL, index, call_fd, e);
	return ret ? ret : send_fd(fd, SET_VRING_KICK, index, kick_fd, e);
}

int vhost_user_stop_ring(int fd, uint32_t index, struct err *e)
{
	struct ring_state state = {index, 0};
	int ret = send_simple(fd, GET_VRING_BASE, &state, sizeof(state), e);

	return ret ? ret : receive(fd, GET_VRING_BASE, &state, sizeof(state), e);
}
