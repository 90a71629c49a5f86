/* SPDX-License-Identifier: MIT */
/* One virtual processor: a KVM VCPU and the thread that runs it. */
#ifndef VPUP_VMM_VP_H
#define VPUP_VMM_VP_H

#include <pthread.h>
#include <stdbool.h>

#include "vmm/err.h"
#include "vmm/kvm.h"
#include "vmm/run_record.h"

struct machine;

/* Cache line aligned: each is written by its own thread at every exit. */
struct vp {
	struct machine *m;
	uint32_t index;
	bool running; /* its thread was started and not yet joined */
	struct kvm_vp kvm;
	pthread_t thread;
	struct vp_times times;
} __attribute__((aligned(64)));

/* Routes the signal that interrupts KVM_RUN. Once per process, before any VP runs. */
int vp_setup_kick(struct err *e);

/* Starts the VP's thread: it sets its CPUID and start state, then loops in KVM_RUN. */
int vp_start(struct vp *vp, struct err *e);

/* Makes the VP leave KVM_RUN soon and its thread end. Any thread; does not wait. */
void vp_kick(struct vp *vp);

/* Waits for the thread's end. */
void vp_join(struct vp *vp);

/* The registers at an exit, and the mark that they were changed (KVM_CAP_SYNC_REGS). */
struct kvm_regs *vp_regs(struct vp *vp);
void vp_regs_changed(struct vp *vp);

#endif
