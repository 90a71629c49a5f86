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

int hv_ports_init(struct hv_ports *t)
{
	return -pthread_mutex_init(&t->lock, NULL);
}

void hv_ports_fini(struct hv_ports *t)
{
	pthread_mutex_destroy(&t->lock);
}

/* The slot that has the key, or the free one where it would go; NULL when all are taken. */
static struct hv_port_slot *find(struct hv_ports *t, uint32_t key)
{
	uint32_t at = key * 0x9e3779b1u % HV_PORTS_MAX;

	for (unsigned i = 0; i < HV_PORTS_MAX; i++) {
		struct hv_port_slot *s = &t->slot[(at + i) % HV_PORTS_MAX];
		uint32_t there = atomic_load_explicit(&s->key, memory_order_acquire);

		if (!there || there == key)
			return s;
	}
	return NULL;
}

/* The slot of the key, and its port; NULL if there is none now. */
static struct hv_port_slot *connected(struct hv_ports *t, uint32_t key, const struct hv_port **port)
{
	struct hv_port_slot *s = find(t, key);

	/* A slot that is free, or has been given another key since, has no port of this key. */
	if (!s || atomic_load_explicit(&s->key, memory_order_acquire) != key)
		return NULL;
	*port = atomic_load_explicit(&s->port, memory_order_acquire);
	return *port ? s : NULL;
}

static bool is_legal(const struct hv_port *port)
{
	if (port->connection_id & ~HV_CONNECTION_ID_MASK || !port->message == !port->event)
		return false;
	return !port->event || (port->flags > 0 && port->flags <= HV_EVENT_FLAGS_COUNT);
}

int hv_ports_connect(struct hv_ports *t, const struct hv_port *port)
{
	uint32_t key = key_of(port->connection_id, port->event);
	struct hv_port_slot *s;
	int ret = 0;

	if (!is_legal(port))
		return -EINVAL;
	pthread_mutex_lock(&t->lock);
	s = find(t, key);
	if (!s) {
		ret = -ENOSPC;
	} else if (atomic_load(&s->port)) {
		ret = -EEXIST;
	} else {
		atomic_store_explicit(&s->key, key, memory_order_release);
		atomic_store_explicit(&s->port, port, memory_order_release);
	}
	pthread_mutex_unlock(&t->lock);
	return ret;
}

int hv_ports_disconnect(struct hv_ports *t, const struct hv_port *port)
{
	struct hv_port_slot *s;
	int ret = -ENOENT;

	pthread_mutex_lock(&t->lock);
	s = find(t, key_of(port->connection_id, port->event));
	if (s && atomic_load(&s->port) == port) {
		atomic_store_explicit(&s->port, NULL, memory_order_release);
		ret = 0;
	}
	pthread_mutex_unlock(&t->lock);
	return ret;
}

/* Why there is no port of this kind: the connection may lead to one of the other kind. */
static uint16_t no_port(struct hv_ports *t, uint32_t connection_id, bool is_event)
{
	const struct hv_port *other;

	return connected(t, key_of(connection_id, !is_event), &other)
		       ? HV_STATUS_INVALID_PORT_ID
		       : HV_STATUS_INVALID_CONNECTION_ID;
}

static uint16_t counted(struct hv_port_slot *s, uint16_t status)
{
	atomic_fetch_add_explicit(&s->calls, 1, memory_order_relaxed);
	if (status != HV_STATUS_SUCCESS)
		atomic_fetch_add_explicit(&s->failed, 1, memory_order_relaxed);
	return status;
}

uint16_t hv_ports_post(struct hv_ports *t, uint32_t vp, const struct hv_input_post_message *in)
{
	struct hv_posted_message m = {.vp = vp, .type = in->message_type};
	const struct hv_port *port;
	struct hv_port_slot *s;

	if (in->message_type == HVMSG_NONE || in->message_type & HVMSG_HYPERVISOR_ORIGIN ||
	    in->payload_bytes > sizeof(m.payload))
		return HV_STATUS_INVALID_PARAMETER;
	if (in->connection_id & ~HV_CONNECTION_ID_MASK)
		return HV_STATUS_INVALID_CONNECTION_ID;
	s = connected(t, key_of(in->connection_id, false), &port);
	if (!s)
		return no_port(t, in->connection_id, false);
	m.payload_bytes = in->payload_bytes;
	memcpy(m.payload, in->payload, m.payload_bytes);
	return counted(s, port->message(port->ctx, &m));
}

uint16_t hv_ports_signal(struct hv_ports *t, uint32_t vp, const struct hv_input_signal_event *in)
{
	const struct hv_port *port;
	struct hv_port_slot *s;

	if (in->connection_id & ~HV_CONNECTION_ID_MASK || in->reserved)
		return HV_STATUS_INVALID_HYPERCALL_INPUT;
	s = connected(t, key_of(in->connection_id, true), &port);
	if (!s)
		return no_port(t, in->connection_id, true);
	if (in->flag >= port->flags)
		return counted(s, HV_STATUS_INVALID_PARAMETER);
	return counted(s, port->event(port->ctx, vp, in->flag));
}

size_t hv_port_counts(const struct hv_ports *t, struct hv_port_count *out, size_t max)
{
	size_t lines = 0;

	for (unsigned i = 0; i < HV_PORTS_MAX && lines < max; i++) {
		const struct hv_port_slot *s = &t->slot[i];
		uint32_t key = atomic_load(&s->key);
		uint64_t calls = atomic_load(&s->calls);

		if (calls)
			out[lines++] = (struct hv_port_count){
				.connection_id = key & HV_CONNECTION_ID_MASK,
				.is_event = key & KEY_EVENT,
				.calls = calls,
				.failed = atomic_load(&s->failed),
			};
	}
	return lines;
}

int hv_port_connect(struct hv_partition *p, const struct hv_port *port)
{
	return hv_ports_connect(&p->ports, port);
}

int hv_port_disconnect(struct hv_partition *p, const struct hv_port *port)
{
	return hv_ports_disconnect(&p->ports, port);
}

const struct hv_ports *hv_partition_ports(const struct hv_partition *p)
{
	return &p->ports;
}

uint16_t hv_call_post_message(struct hv_call *c)
{
	return hv_ports_post(&c->p->ports, c->vp->index, &c->in.post_message);
}

uint16_t hv_call_signal_event(struct hv_call *c)
{
	return hv_ports_signal(&c->p->ports, c->vp->index, &c->in.signal_event);
}
