/* SPDX-License-Identifier: MIT */
/* Neighbours that compete with the VPs for host CPUs: threads that spin, and VMs whose VPs do. */
#ifndef VPUP_VMM_NEIGHBOUR_H
#define VPUP_VMM_NEIGHBOUR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "vmm/id_list.h"
#include "vmm/kvm.h"
#include "vmm/mem.h"

struct outcome;

/* --noise burn:... */
struct burn_spec {
	uint64_t threads;
	struct id_list cpus; /* for the threads in turn; empty: where the VPs run */
};

/* --noise vm:... */
struct neighbour_spec {
	uint64_t count; /* VMs */
	uint64_t cpus;  /* VPs of each */
};

/* A thread that spins by itself, or in KVM_RUN. */
struct neighbour {
	struct neighbours *all;
	pthread_t thread;
	bool running;
	bool in_guest;
	struct kvm_vp vp; /* if in_guest */
	uint64_t cpu_ns;  /* once it has ended */
};

struct neighbour_vm {
	struct kvm kvm;
	struct mem mem;
	struct neighbour *vp; /* [vps], owned */
	uint32_t vps;
};

struct neighbours {
	struct outcome *outcome;  /* told when one fails */
	struct neighbour *burner; /* [burners], owned */
	uint32_t burners;
	struct neighbour_vm *vm; /* [vms], owned */
	uint32_t vms;
	atomic_bool stop;
};

/*
 * Start them, each at most once. n is zeroed but for outcome. near: the CPUs that VPs are pinned to,
 * which may be empty. vp_setup_kick() was called. Return 0, or -errno with e set; n is for
 * neighbours_fini() in any case.
 */
int neighbours_burn(struct neighbours *n, const struct burn_spec *s, const struct id_list *near,
		    struct err *e);
int neighbours_run_vms(struct neighbours *n, const struct neighbour_spec *s,
		       const struct id_list *near, struct err *e);

/* Ends all of them and waits for that. Returns the CPU time that they took, in ns. */
uint64_t neighbours_stop(struct neighbours *n);
void neighbours_fini(struct neighbours *n);

#endif
