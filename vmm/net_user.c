/* SPDX-License-Identifier: MIT */
/*
 * The user's own network, without privileges: libslirp is the guest's gateway, DHCP server and name
 * server, and its connections become sockets of this process. Addresses are those that QEMU's users
 * know: guest 10.0.2.15, host 10.0.2.2, names 10.0.2.3.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <slirp/libslirp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vmm/hostfwd.h"
#include "vmm/library.h"
#include "vmm/net_backend.h"

#define SLIRP_FUNCTIONS_X(X)  \
	X(slirp_add_hostfwd)  \
	X(slirp_cleanup)      \
	X(slirp_input)        \
	X(slirp_new)          \
	X(slirp_pollfds_fill) \
	X(slirp_pollfds_poll)

struct slirp_lib {
	void *handle;
#define SLIRP_POINTER(name) __typeof__(name) *name;
	SLIRP_FUNCTIONS_X(SLIRP_POINTER)
#undef SLIRP_POINTER
};

struct net_timer {
	struct net_timer *next;
	SlirpTimerCb fn;
	void *ctx;
	int64_t due_ms; /* -1: not armed */
};

struct net_user {
	struct net_backend backend;
	struct slirp_lib lib;
	Slirp *slirp;
	struct net_timer *timers;
	/* While slirp lists what it waits for, and learns what became of it. */
	struct pollfd *fds;
	unsigned fd_count;
	unsigned fd_room;
	uint8_t frame[NET_FRAME_MAX];
};

static const struct library_function functions[] = {
#define SLIRP_ROW(name) {#name, offsetof(struct slirp_lib, name)},
	SLIRP_FUNCTIONS_X(SLIRP_ROW)
#undef SLIRP_ROW
};

static const struct library library = {
	.file = SLIRP_LIBRARY,
	.install = "libslirp (Debian: libslirp0)",
	.function = functions,
	.functions = sizeof(functions) / sizeof(functions[0]),
};

int net_user_check(struct err *e)
{
	struct slirp_lib lib;
	int ret = library_open(&library, &lib.handle, &lib, e);

	if (ret == 0)
		library_close(lib.handle);
	return ret;
}

static int64_t now_ns(void *opaque)
{
	struct timespec t;

	(void)opaque;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t now_ms(void)
{
	return now_ns(NULL) / 1000000;
}

/* A frame that the guest has no room for is lost; TCP sends it again. */
static ssize_t on_packet(const void *frame, size_t size_bytes, void *opaque)
{
	struct net_user *u = opaque;

	u->backend.deliver(u->backend.deliver_ctx, frame, size_bytes);
	return (ssize_t)size_bytes;
}

static void on_guest_error(const char *text, void *opaque)
{
	(void)text;
	(void)opaque;
}

static void *on_timer_new(SlirpTimerCb fn, void *ctx, void *opaque)
{
	struct net_user *u = opaque;
	struct net_timer *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	*t = (struct net_timer){.next = u->timers, .fn = fn, .ctx = ctx, .due_ms = -1};
	u->timers = t;
	return t;
}

static void on_timer_free(void *timer, void *opaque)
{
	struct net_user *u = opaque;
	struct net_timer **link = &u->timers;

	while (*link && *link != timer)
		link = &(*link)->next;
	if (*link)
		*link = (*link)->next;
	free(timer);
}

static void on_timer_mod(void *timer, int64_t due_ms, void *opaque)
{
	struct net_timer *t = timer;

	(void)opaque;
	if (t)
		t->due_ms = due_ms;
}

/* What is waited for is listed anew each time. */
static void on_poll_fd(int fd, void *opaque)
{
	(void)fd;
	(void)opaque;
}

/* Whatever happens does so in the thread that waits. */
static void on_notify(void *opaque)
{
	(void)opaque;
}

static const SlirpCb callbacks = {
	.send_packet = on_packet,
	.guest_error = on_guest_error,
	.clock_get_ns = now_ns,
	.timer_new = on_timer_new,
	.timer_free = on_timer_free,
	.timer_mod = on_timer_mod,
	.register_poll_fd = on_poll_fd,
	.unregister_poll_fd = on_poll_fd,
	.notify = on_notify,
};

static const struct {
	int slirp;
	short poll;
} event_map[] = {
	{SLIRP_POLL_IN, POLLIN},   {SLIRP_POLL_OUT, POLLOUT}, {SLIRP_POLL_PRI, POLLPRI},
	{SLIRP_POLL_ERR, POLLERR}, {SLIRP_POLL_HUP, POLLHUP},
};

#define EVENTS (sizeof(event_map) / sizeof(event_map[0]))

static int add_poll(int fd, int events, void *opaque)
{
	struct net_user *u = opaque;
	struct pollfd *p = &u->fds[u->fd_count];

	if (u->fd_count == u->fd_room)
		return -1;
	*p = (struct pollfd){.fd = fd};
	for (size_t i = 0; i < EVENTS; i++)
		if (events & event_map[i].slirp)
			p->events |= event_map[i].poll;
	return (int)u->fd_count++;
}

static int get_events(int index, void *opaque)
{
	const struct net_user *u = opaque;
	int events = 0;

	if (index < 0 || (unsigned)index >= u->fd_count)
		return 0;
	for (size_t i = 0; i < EVENTS; i++)
		if (u->fds[index].revents & event_map[i].poll)
			events |= event_map[i].slirp;
	return events;
}

static void lower_timeout(int *timeout_ms, int64_t ms)
{
	if (ms < 0)
		ms = 0;
	if (*timeout_ms < 0 || ms < *timeout_ms)
		*timeout_ms = ms > INT32_MAX ? INT32_MAX : (int)ms;
}

static unsigned user_prepare(struct net_backend *b, struct pollfd *fds, unsigned room,
			     int *timeout_ms)
{
	struct net_user *u = (struct net_user *)b;
	uint32_t wait_ms = UINT32_MAX;

	u->fds = fds;
	u->fd_count = 0;
	u->fd_room = room;
	u->lib.slirp_pollfds_fill(u->slirp, &wait_ms, add_poll, u);
	if (wait_ms != UINT32_MAX)
		lower_timeout(timeout_ms, wait_ms);
	for (const struct net_timer *t = u->timers; t; t = t->next)
		if (t->due_ms >= 0)
			lower_timeout(timeout_ms, t->due_ms - now_ms());
	return u->fd_count;
}

/* A timer's function may free any timer, so the search begins anew after each. */
static void run_timers(struct net_user *u)
{
	struct net_timer *t = u->timers;

	while (t) {
		if (t->due_ms >= 0 && t->due_ms <= now_ms()) {
			t->due_ms = -1;
			t->fn(t->ctx);
			t = u->timers;
		} else {
			t = t->next;
		}
	}
}

static void user_ready(struct net_backend *b, const struct pollfd *fds, unsigned count)
{
	struct net_user *u = (struct net_user *)b;

	(void)fds; /* the same that were listed */
	(void)count;
	u->lib.slirp_pollfds_poll(u->slirp, 0, get_events, u);
	run_timers(u);
}

static void user_send(struct net_backend *b, const struct iovec *frame, unsigned count,
		      size_t size_bytes)
{
	struct net_user *u = (struct net_user *)b;
	size_t done = 0;

	if (size_bytes > sizeof(u->frame))
		return;
	for (unsigned i = 0; i < count; done += frame[i++].iov_len)
		memcpy(u->frame + done, frame[i].iov_base, frame[i].iov_len);
	u->lib.slirp_input(u->slirp, u->frame, (int)done);
}

static void user_room(struct net_backend *b)
{
	(void)b;
}

static void user_close(struct net_backend *b)
{
	struct net_user *u = (struct net_user *)b;

	if (u->slirp)
		u->lib.slirp_cleanup(u->slirp);
	while (u->timers)
		on_timer_free(u->timers, u);
	library_close(u->lib.handle);
	free(u);
}

static const struct net_backend_ops user_ops = {
	.send = user_send,
	.prepare = user_prepare,
	.ready = user_ready,
	.room = user_room,
	.close = user_close,
};

static struct in_addr ipv4(const char *text)
{
	struct in_addr addr = {0};

	inet_pton(AF_INET, text, &addr);
	return addr;
}

static int forward(struct net_user *u, const struct hostfwd *rule, int count, struct err *e)
{
	for (int i = 0; i < count; i++) {
		const struct hostfwd *r = &rule[i];
		struct in_addr guest = r->guest_addr.s_addr ? r->guest_addr : ipv4("10.0.2.15");

		if (u->lib.slirp_add_hostfwd(u->slirp, r->is_udp, r->host_addr, r->host_port, guest,
					     r->guest_port))
			return err_set(e, errno ? errno : EADDRINUSE,
				       "--net user: can't listen on the host's port %u: %s",
				       r->host_port, strerror(errno ? errno : EADDRINUSE));
	}
	return 0;
}

static int start(struct net_user *u, struct err *e)
{
	SlirpConfig c = {
		.version = 1,
		.in_enabled = true,
		.vnetwork = ipv4("10.0.2.0"),
		.vnetmask = ipv4("255.255.255.0"),
		.vhost = ipv4("10.0.2.2"),
		.vdhcp_start = ipv4("10.0.2.15"),
		.vnameserver = ipv4("10.0.2.3"),
		.vhostname = "vpup",
	};

	u->slirp = u->lib.slirp_new(&c, &callbacks, u);
	return u->slirp ? 0 : err_set(e, EINVAL, "--net user: libslirp refuses to start");
}

int net_user_open(struct net_backend **b, const char *spec, struct err *e)
{
	struct hostfwd rule[HOSTFWD_MAX];
	int count = hostfwd_parse(rule, spec, e), ret;
	struct net_user *u;

	if (count < 0)
		return count;
	u = calloc(1, sizeof(*u));
	if (!u)
		return err_set(e, ENOMEM, "out of memory");
	u->backend.ops = &user_ops;
	ret = library_open(&library, &u->lib.handle, &u->lib, e);
	if (ret == 0)
		ret = start(u, e);
	if (ret == 0)
		ret = forward(u, rule, count, e);
	if (ret)
		user_close(&u->backend);
	else
		*b = &u->backend;
	return ret;
}
