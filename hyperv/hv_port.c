/* SPDX-License-Identifier: MIT */
/*
 * Connections: from an id to the host's port, without a lock. A slot's key is set once and stays,
 * so a search needs no more than the keys; whether a port is connected is the slot's pointer.
 */
#include "hyperv/hv_call.h"

#include <errno.h>
#include <string.h>

#define KEY_USED  (1u << 31)
#define KEY_EVENT (1u << 30)

static uint32_t key_of(uint32_t connection_id, bool is_event)
{
	return KEY_USED | (is_event ? KEY_EVENT : 0) | connection_id;
}

/* The slot that has the key, or the free one where it would go; NULL when all are taken. */
static struct hv_port_slot *find(struct hv_partition *p, uint32_t key)
{
	uint32_t at = key * 0x9e3779b1u % HV_PORTS_MAX;

	for (unsigned i = 0; i < HV_PORTS_MAX; i++) {
		struct hv_port_slot *s = &p->port[(at + i) % HV_PORTS_MAX];
		uint32_t there = atomic_load_explicit(&s->key, memory_order_acquire);

		if (!there || there == key)
			return s;
	}
	return NULL;
}

static const struct hv_port *connected(struct hv_partition *p, uint32_t key)
{
	struct hv_port_slot *s = find(p, key);

	/* A slot that is free, or has been given another key since, has no port of this key. */
	if (!s || atomic_load_explicit(&s->key, memory_order_acquire) != key)
		return NULL;
	return atomic_load_explicit(&s->port, memory_order_acquire);
}

static bool is_legal(const struct hv_port *port)
{
	if (port->connection_id & ~HV_CONNECTION_ID_MASK || !port->message == !port->event)
		return false;
	return !port->event || (port->flags > 0 && port->flags <= HV_EVENT_FLAGS_COUNT);
}

int hv_port_connect(struct hv_partition *p, const struct hv_port *port)
{
	uint32_t key = key_of(port->connection_id, port->event);
	struct hv_port_slot *s;
	int ret = 0;

	if (!is_legal(port))
		return -EINVAL;
	pthread_mutex_lock(&p->lock);
	s = find(p, key);
	if (!s) {
		ret = -ENOSPC;
	} else if (atomic_load(&s->port)) {
		ret = -EEXIST;
	} else {
		atomic_store_explicit(&s->key, key, memory_order_release);
		atomic_store_explicit(&s->port, port, memory_order_release);
	}
	pthread_mutex_unlock(&p->lock);
	return ret;
}

int hv_port_disconnect(struct hv_partition *p, const struct hv_port *port)
{
	struct hv_port_slot *s;
	int ret = -ENOENT;

	pthread_mutex_lock(&p->lock);
	s = find(p, key_of(port->connection_id, port->event));
	if (s && atomic_load(&s->port) == port) {
		atomic_store_explicit(&s->port, NULL, memory_order_release);
		ret = 0;
	}
	pthread_mutex_unlock(&p->lock);
	return ret;
}

/* Why there is no port of this kind: the connection may lead to one of the other kind. */
static uint16_t no_port(struct hv_partition *p, uint32_t connection_id, bool is_event)
{
	return connected(p, key_of(connection_id, !is_event)) ? HV_STATUS_INVALID_PORT_ID
							      : HV_STATUS_INVALID_CONNECTION_ID;
}

uint16_t hv_call_post_message(struct hv_call *c)
{
	const struct hv_input_post_message *in = &c->in.post_message;
	struct hv_posted_message m = {.vp = c->vp->index, .type = in->message_type};
	const struct hv_port *port;

	if (in->message_type == HVMSG_NONE || in->message_type & HVMSG_HYPERVISOR_ORIGIN ||
	    in->payload_bytes > sizeof(m.payload))
		return HV_STATUS_INVALID_PARAMETER;
	if (in->connection_id & ~HV_CONNECTION_ID_MASK)
		return HV_STATUS_INVALID_CONNECTION_ID;
	port = connected(c->p, key_of(in->connection_id, false));
	if (!port)
		return no_port(c->p, in->connection_id, false);
	m.payload_bytes = in->payload_bytes;
	memcpy(m.payload, in->payload, m.payload_bytes);
	return port->message(port->ctx, &m);
}

uint16_t hv_call_signal_event(struct hv_call *c)
{
	const struct hv_input_signal_event *in = &c->in.signal_event;
	const struct hv_port *port;

	if (in->connection_id & ~HV_CONNECTION_ID_MASK || in->reserved)
		return HV_STATUS_INVALID_HYPERCALL_INPUT;
	port = connected(c->p, key_of(in->connection_id, true));
	if (!port)
		return no_port(c->p, in->connection_id, true);
	if (in->flag >= port->flags)
		return HV_STATUS_INVALID_PARAMETER;
	return port->event(port->ctx, c->vp->index, in->flag);
}
