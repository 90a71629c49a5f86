/* SPDX-License-Identifier: MIT */
/* Sockets, cores, threads and NUMA nodes of the VPs, and the APIC IDs that follow from them. */
#include "vmm/topology.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define PLURAL(n) (n), (n) == 1 ? "" : "s"

/* Width of a field that counts n values. */
static uint32_t field_bits(uint32_t n)
{
	return n <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(n - 1);
}

/* Bounds every number by the VP count, so that later products can't overflow. */
static int check_range(const struct topology_config *c, struct err *e)
{
	const struct {
		uint32_t count;
		const char *name;
	} part[] = {
		{c->sockets, "socket"},
		{c->cores, "core"},
		{c->threads, "thread"},
		{c->nodes, "node"},
	};

	if (c->vps == 0)
		return err_set(e, EINVAL, "0 VPs: a machine has at least 1");
	if (c->vps > TOPOLOGY_VPS_MAX)
		return err_set(e, EINVAL, "%u VPs: at most %u", c->vps, TOPOLOGY_VPS_MAX);
	if (c->nodes > TOPOLOGY_NODES_MAX)
		return err_set(e, EINVAL, "%u nodes: at most %u", c->nodes, TOPOLOGY_NODES_MAX);
	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		if (part[i].count > c->vps)
			return err_set(e, EINVAL, "%u VP%s can't fill %u %s%s", PLURAL(c->vps),
				       part[i].count, part[i].name, part[i].count == 1 ? "" : "s");
	}
	return 0;
}

/* vps / divisor, but never 0: check_product() then shows the reader a whole product. */
static uint32_t share(uint32_t vps, uint64_t divisor)
{
	return vps < divisor ? 1 : (uint32_t)(vps / divisor);
}

static void complete(struct topology *t, const struct topology_config *c)
{
	uint32_t s = c->sockets, k = c->cores, th = c->threads;

	t->vps = c->vps;
	t->nodes = c->nodes ? c->nodes : 1;
	if (!th)
		th = s && k ? share(c->vps, (uint64_t)s * k) : 1;
	if (!s)
		s = k ? share(c->vps, (uint64_t)k * th) : t->nodes;
	if (!k)
		k = share(c->vps, (uint64_t)s * th);
	t->sockets = s;
	t->cores = k;
	t->threads = th;
}

static int check_product(const struct topology *t, struct err *e)
{
	uint64_t places = (uint64_t)t->sockets * t->cores * t->threads;
	uint32_t per_socket;

	if (t->vps % t->nodes)
		return err_set(e, EINVAL, "%u VP%s do not divide into %u nodes", PLURAL(t->vps),
			       t->nodes);
	if (places != t->vps)
		return err_set(e, EINVAL,
			       "%u VP%s do not divide into %u socket%s of %u core%s of %u thread%s "
			       "(%llu)",
			       PLURAL(t->vps), PLURAL(t->sockets), PLURAL(t->cores),
			       PLURAL(t->threads), (unsigned long long)places);
	if (t->sockets % t->nodes == 0)
		return 0;
	if (t->nodes % t->sockets)
		return err_set(e, EINVAL,
			       "%u nodes and %u sockets: one number must divide the other",
			       t->nodes, t->sockets);
	per_socket = t->nodes / t->sockets;
	if (t->cores % per_socket)
		return err_set(e, EINVAL, "%u core%s per socket do not divide into %u nodes",
			       PLURAL(t->cores), per_socket);
	return 0;
}

static void place_vps(struct topology *t)
{
	/* Nodes are equal runs of VPs: whole sockets, or equal shares of one. */
	uint32_t per_node = t->vps / t->nodes;

	for (uint32_t n = 0; n < t->vps; n++) {
		struct vp_place *p = &t->vp[n];

		p->thread = n % t->threads;
		p->core = n / t->threads % t->cores;
		p->socket = n / (t->threads * t->cores);
		p->node = n / per_node;
		p->apic_id = (p->socket << t->core_bits | p->core) << t->thread_bits | p->thread;
	}
	t->max_apic_id = t->vp[t->vps - 1].apic_id;
}

int topology_init(struct topology *t, const struct topology_config *c, struct err *e)
{
	int ret;

	*t = (struct topology){0};
	ret = check_range(c, e);
	if (ret)
		return ret;
	complete(t, c);
	ret = check_product(t, e);
	if (ret)
		return ret;
	t->thread_bits = field_bits(t->threads);
	t->core_bits = field_bits(t->cores);
	t->vp = calloc(t->vps, sizeof(*t->vp));
	if (!t->vp)
		return err_set(e, ENOMEM, "no memory for the topology of %u VPs", t->vps);
	place_vps(t);
	return 0;
}

void topology_fini(struct topology *t)
{
	free(t->vp);
	*t = (struct topology){0};
}
