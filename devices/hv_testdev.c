/* SPDX-License-Identifier: MIT */
/* Hyper-V test device core: routes that may be raised, connections, and where they lead. */
#include "devices/hv_testdev.h"

#include <string.h>

#define CONNECTED (1u << 16) /* in hv_testdev.target, above VP and SINT */

void hv_testdev_init(struct hv_testdev *d, const struct hv_testdev_env *env)
{
	memset(d, 0, sizeof(*d));
	d->env = *env;
}

static bool exists(const struct hv_testdev *d, struct hv_testdev_target t)
{
	return t.vp < d->env.vps && t.sint < HV_TESTDEV_SINTS;
}

/* Returns whether the route is as the command wants it: it exists before all but creation. */
static bool route(struct hv_testdev *d, enum hv_testdev_command command, struct hv_testdev_target t)
{
	uint16_t bit = 1u << (t.sint % HV_TESTDEV_SINTS);

	if (!exists(d, t))
		return false;
	if (command == HV_TESTDEV_ROUTE_CREATE) {
		d->route[t.vp] |= bit;
		return true;
	}
	if (!(d->route[t.vp] & bit))
		return false;
	if (command == HV_TESTDEV_ROUTE_RAISE)
		d->env.raise(d->env.ctx, t);
	else
		d->route[t.vp] &= ~bit;
	return true;
}

/* The target is there before calls can come, and goes after they no longer do. */
static bool connect(struct hv_testdev *d, enum hv_testdev_kind kind, uint8_t id,
		    struct hv_testdev_target t)
{
	_Atomic uint32_t *target = &d->target[kind][id];

	if (!exists(d, t) || atomic_load(target))
		return false;
	atomic_store(target, CONNECTED | (uint32_t)t.vp << 8 | t.sint);
	if (d->env.connect(d->env.ctx, kind, id)) {
		atomic_store(target, 0);
		return false;
	}
	return true;
}

static bool disconnect(struct hv_testdev *d, enum hv_testdev_kind kind, uint8_t id)
{
	_Atomic uint32_t *target = &d->target[kind][id];

	if (!atomic_load(target))
		return false;
	d->env.disconnect(d->env.ctx, kind, id);
	atomic_store(target, 0);
	return true;
}

static bool execute(struct hv_testdev *d, uint32_t word)
{
	struct hv_testdev_target t = {.vp = (uint8_t)(word >> 8), .sint = (uint8_t)word};
	uint8_t command = (uint8_t)(word >> 16);
	uint8_t id = (uint8_t)(word >> 24);

	switch (command) {
	case HV_TESTDEV_ROUTE_CREATE:
	case HV_TESTDEV_ROUTE_DESTROY:
	case HV_TESTDEV_ROUTE_RAISE:
		return route(d, command, t);
	case HV_TESTDEV_MESSAGE_CREATE:
		return connect(d, HV_TESTDEV_MESSAGE, id, t);
	case HV_TESTDEV_MESSAGE_DESTROY:
		return disconnect(d, HV_TESTDEV_MESSAGE, id);
	case HV_TESTDEV_EVENT_CREATE:
		return connect(d, HV_TESTDEV_EVENT, id, t);
	case HV_TESTDEV_EVENT_DESTROY:
		return disconnect(d, HV_TESTDEV_EVENT, id);
	case HV_TESTDEV_FLAGS_CREATE:
		return connect(d, HV_TESTDEV_FLAGS, id, t);
	case HV_TESTDEV_FLAGS_DESTROY:
		return disconnect(d, HV_TESTDEV_FLAGS, id);
	default:
		return false;
	}
}

void hv_testdev_write(struct hv_testdev *d, uint32_t command)
{
	if (!execute(d, command))
		d->rejected++;
}

bool hv_testdev_target(struct hv_testdev *d, enum hv_testdev_kind kind, uint8_t id,
		       struct hv_testdev_target *t)
{
	uint32_t target = atomic_load(&d->target[kind][id]);

	*t = (struct hv_testdev_target){.vp = (uint8_t)(target >> 8), .sint = (uint8_t)target};
	return target & CONNECTED;
}
