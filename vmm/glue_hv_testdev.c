/* SPDX-License-Identifier: MIT */
/* The Hyper-V test device on its port (--testdev, --hv-testdev), between the guest and the partition. */
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

static uint16_t set_flag(struct connection *c, uint16_t flag)
{
	struct machine *m = c->d->glue.m;
	struct hv_testdev_target t;

	if (!hv_testdev_target(&c->d->core, c->kind, c->id, &t))
		return HV_STATUS_INVALID_CONNECTION_ID;
	return m->hv_side->signal_event(m, t.vp, t.sint, flag);
}

static uint16_t set_own_flag(void *ctx, uint32_t vp, uint16_t flag)
{
	struct connection *c = ctx;

	(void)vp;
	(void)flag;
	return set_flag(c, c->id);
}

static uint16_t set_same_flag(void *ctx, uint32_t vp, uint16_t flag)
{
	(void)vp;
	return set_flag(ctx, flag);
}

static const struct hv_port ports[HV_TESTDEV_KINDS] = {
	[HV_TESTDEV_MESSAGE] = {.message = echo_message},
	[HV_TESTDEV_EVENT] = {.event = set_own_flag, .flags = 1},
	[HV_TESTDEV_FLAGS] = {.event = set_same_flag, .flags = HV_EVENT_FLAGS_COUNT},
};

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
	for (unsigned kind = 0; kind < HV_TESTDEV_KINDS; kind++) {
		for (unsigned id = 0; id < HV_TESTDEV_CONNECTIONS; id++) {
			struct connection *c = &d->connection[kind][id];

			*c = (struct connection){.d = d, .kind = kind, .id = (uint8_t)id};
			c->port = ports[kind];
			c->port.connection_id = id;
			c->port.ctx = c;
		}
	}
}

static int hv_testdev_dev_init(struct machine *m, void **state, struct err *e)
{
	struct hv_testdev_dev *d;

	if (!(m->cfg->testdev || m->cfg->hv_testdev) || m->cfg->hyperv == HYPERV_OFF)
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
					  .base = HV_TESTDEV_PORT,
					  .last = HV_TESTDEV_PORT + 3,
					  .fn = hv_testdev_access,
					  .dev = d,
				  });
}

const struct device_ops hv_testdev_device = {
	"Hyper-V test device",
	hv_testdev_dev_init,
	glue_free,
};
