/* SPDX-License-Identifier: MIT */
/*
 * Ports: the host's ends of the connections to which guests post messages and signal events. A table
 * of them stands alone, as hosts whose guests are served by another implementation of Hyper-V need
 * one, too.
 */
#ifndef VPUP_HYPERV_HV_PORT_H
#define VPUP_HYPERV_HV_PORT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hyperv/hv_defs.h"

#define HV_VP_UNKNOWN UINT32_MAX

/* A message that VP vp posts to a connection. */
struct hv_posted_message {
	uint32_t vp;
	uint32_t type;
	uint32_t payload_bytes; /* at most HV_MESSAGE_PAYLOAD_BYTES */
	uint8_t payload[HV_MESSAGE_PAYLOAD_BYTES];
};

/*
 * The far end of a connection, provided by the host: for messages or for events, whichever of both
 * functions is set. They may run for several VPs at once. What they return becomes the status of
 * the hypercall, if that still waits for it. vp of an event is HV_VP_UNKNOWN where the host can't
 * tell who signalled.
 */
struct hv_port {
	uint32_t connection_id; /* 24 bits */
	uint16_t (*message)(void *ctx, const struct hv_posted_message *m);
	uint16_t (*event)(void *ctx, uint32_t vp, uint16_t flag);
	uint16_t flags; /* event flags that the port has: 1 to HV_EVENT_FLAGS_COUNT */
	void *ctx;
};

/* A connection's port: found by its key, which never changes once set. */
struct hv_port_slot {
	_Atomic uint32_t key; /* 0: free */
	_Atomic(const struct hv_port *) port;
	_Atomic uint64_t calls, failed;
};

#define HV_PORTS_MAX 1024
struct hv_ports {
	pthread_mutex_t lock; /* held to connect and disconnect, not to call */
	struct hv_port_slot slot[HV_PORTS_MAX];
};

/* A zeroed table needs nothing but its lock. Returns 0 or -errno. */
int hv_ports_init(struct hv_ports *t);
void hv_ports_fini(struct hv_ports *t);

/*
 * Connects a port, also while VPs run. A connection may have one port for messages and one for
 * events. The port must stay in place and constant until the table goes, even if it is disconnected
 * earlier: a VP may be in it still. Returns 0, -EINVAL (neither or both functions, bad id or number
 * of flags), -EEXIST, or -ENOSPC after HV_PORTS_MAX different ids and kinds.
 */
int hv_ports_connect(struct hv_ports *t, const struct hv_port *port);
/* Calls of this connection give INVALID_CONNECTION_ID from now on. Returns 0 or -ENOENT. */
int hv_ports_disconnect(struct hv_ports *t, const struct hv_port *port);

/* HvCallPostMessage and HvCallSignalEvent by VP vp; the input is the caller's own copy. */
uint16_t hv_ports_post(struct hv_ports *t, uint32_t vp, const struct hv_input_post_message *in);
uint16_t hv_ports_signal(struct hv_ports *t, uint32_t vp, const struct hv_input_signal_event *in);

/* Counters: a line for each connection that was used, in no order. Returns how many, at most max. */
struct hv_port_count {
	uint32_t connection_id;
	bool is_event;
	uint64_t calls;
	uint64_t failed; /* how many of them had another status than success */
};
size_t hv_port_counts(const struct hv_ports *t, struct hv_port_count *out, size_t max);

#endif
