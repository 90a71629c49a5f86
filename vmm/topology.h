/* SPDX-License-Identifier: MIT */
/* Sockets, cores, threads and NUMA nodes of the VPs, and the APIC IDs that follow from them. */
#ifndef VPUP_VMM_TOPOLOGY_H
#define VPUP_VMM_TOPOLOGY_H

#include <stdint.h>

#include "vmm/err.h"

/*
 * KVM_MAX_VCPUS is never more on x86, and the IDs of so many VPs stay below Linux's MAX_LOCAL_APIC.
 * Linux knows no more nodes (NODES_SHIFT 10).
 */
#define TOPOLOGY_VPS_MAX   4096u
#define TOPOLOGY_NODES_MAX 1024u

/* What was asked for; 0 means "not given" for everything but vps. */
struct topology_config {
	uint32_t vps;
	uint32_t sockets;
	uint32_t cores;   /* per socket */
	uint32_t threads; /* per core */
	uint32_t nodes;
};

struct vp_place {
	uint32_t apic_id;
	uint32_t socket;
	uint32_t core;   /* within the socket */
	uint32_t thread; /* within the core */
	uint32_t node;
};

struct topology {
	uint32_t vps;
	uint32_t sockets;
	uint32_t cores;
	uint32_t threads;
	uint32_t nodes;
	uint32_t thread_bits; /* width of the thread field in the APIC ID */
	uint32_t core_bits;   /* width of the core field, which stands above it */
	uint32_t max_apic_id;
	struct vp_place *vp; /* [vps], owned */
};

/*
 * Completes and checks c. What is not given follows from the rest, so that all VPs have a place;
 * threads are 1 unless both other numbers are given. VP n is thread n % threads of core
 * (n / threads) % cores of socket n / (threads * cores). Nodes are whole sockets where they divide,
 * or equal consecutive shares of a socket; without `sockets` and `cores` there is one socket per
 * node. APIC ID = socket, core, thread in fields of whole bits (SDM 3A 9.9, AMD APM 3 E.5), so that
 * IDs may be sparse.
 * Returns 0; -EINVAL with e naming the numbers that do not fit; -ENOMEM.
 */
int topology_init(struct topology *t, const struct topology_config *c, struct err *e);
void topology_fini(struct topology *t);

/* How many nodes one socket is divided into; 1 also where a node is several sockets. */
static inline uint32_t topology_nodes_per_socket(const struct topology *t)
{
	return t->nodes > t->sockets ? t->nodes / t->sockets : 1;
}

#endif
