/* SPDX-License-Identifier: MIT */
/* The Hyper-V test device on its port, with --testdev, between the guest and the partition. */
#include <errno.h>
#include <string.h>

#include "devices/hv_testdev.h"
#include "vmm/glue.h"
#include "vmm/hv_side.h"
#include "vmm/layout.h"

struct hv_testdev_dev;

/* One of each kind and id, there before and after it is connected: VPs may still be in it. */
struct connection {
	struct hv_testdev_dev *d;
	enum hv_testdev_kind kind;
	uint8_t id;
	struct hv_port port;
};

struct hv_testdev_dev {
	struct glue glue; /* its lock is over commands; messages and events take none */
	struct hv_testdev core;
	struct connection connection[HV_TESTDEV_KINDS][HV_TESTDEV_CONNECTIONS];
};

static uint16_t echo_message(void *ctx, const struct hv_posted_message *posted)
{
	struct connection *c = ctx;
	struct machine *machine = c->d->glue.m;
	struct hv_testdev_target t;
	struct hv_message m = {
		.type = posted->type,
		.payload_bytes = (uint8_t)posted->payload_bytes,
	};

	if (!hv_testdev_target(&c->d->core, c->kind, c->id, &t))
		return HV_STATUS_INVALID_CONNECTION_ID;
	memcpy(m.payload, posted->payload, posted->payload_bytes);
	return machine->hv_side->post_message(machine, t.vp, t.sint, &m);
}

static uint16_t set_own_flag(void *ctx, uint32_t vp, uint16_t flag)
{
	struct connection *c = ctx;
	struct machine *m = c->d->glue.m;
	struct hv_testdev_target t;

	(void)vp;
	(void)flag;
	if (!hv_testdev_target(&c->d->core, c->kind, c->id, &t))
		return HV_STATUS_INVALID_CONNECTION_ID;
	return m->hv_side->signal_event(m, t.vp, t.sint, c->id);
}

static int connect_port(void *ctx, enum hv_testdev_kind kind, uint8_t id)
{
	struct hv_testdev_dev *d = ctx;
	struct machine *m = d->glue.m;

	return m->hv_side->connect(m, &d->connection[kind][id].port);
}

static void disconnect_port(void *ctx, enum hv_testdev_kind kind, uint8_t id)
{
	struct hv_testdev_dev *d = ctx;
	struct machine *m = d->glue.m;

	m->hv_side->disconnect(m, &d->connection[kind][id].port);
}

static void raise_sint(void *ctx, struct hv_testdev_target t)
{
	struct hv_testdev_dev *d = ctx;
	struct machine *m = d->glue.m;

	m->hv_side->raise_sint(m, t.vp, t.sint);
}

static enum io_status hv_testdev_access(void *dev, struct io_access *a)
{
	struct hv_testdev_dev *d = dev;

	if (a->size != 4)
		return IO_UNCLAIMED;
	if (!a->is_write) {
		a->val = 0;
		return IO_OK;
	}
	pthread_mutex_lock(&d->glue.lock);
	hv_testdev_write(&d->core, (uint32_t)a->val);
	pthread_mutex_unlock(&d->glue.lock);
	return IO_OK;
}

static void init_connections(struct hv_testdev_dev *d)
{
	for (unsigned id = 0; id < HV_TESTDEV_CONNECTIONS; id++) {
		struct connection *m = &d->connection[HV_TESTDEV_MESSAGE][id];
		struct connection *e = &d->connection[HV_TESTDEV_EVENT][id];

		*m = (struct connection){.d = d, .kind = HV_TESTDEV_MESSAGE, .id = (uint8_t)id};
		m->port = (struct hv_port){.connection_id = id, .message = echo_message, .ctx = m};
		*e = (struct connection){.d = d, .kind = HV_TESTDEV_EVENT, .id = (uint8_t)id};
		e->port = (struct hv_port){
			.connection_id = id,
			.event = set_own_flag,
			.flags = 1,
			.ctx = e,
		};
	}
}

static int hv_testdev_dev_init(struct machine *m, void **state, struct err *e)
{
	struct hv_testdev_dev *d;

	if (!m->cfg->testdev || m->cfg->hyperv == HYPERV_OFF)
		return 0;
	d = glue_new(sizeof(*d), m, state, e);
	if (!d)
		return -ENOMEM;
	init_connections(d);
	hv_testdev_init(&d->core, &(struct hv_testdev_env){
					  .vps = m->topology.vps,
					  .connect = connect_port,
					  .disconnect = disconnect_port,
					  .raise = raise_sint,
					  .ctx = d,
				  });
	return bus_claim(&m->pio, &(struct io_range){
					  .name = "Hyper-V test device",
					  .base = LAYOUT_PORT_HV_TESTDEV,
					  .last = LAYOUT_PORT_HV_TESTDEV + 3,
					  .fn = hv_testdev_access,
					  .dev = d,
				  });
}

const struct device_ops hv_testdev_device = {
	"Hyper-V test device",
	hv_testdev_dev_init,
	glue_free,
};
