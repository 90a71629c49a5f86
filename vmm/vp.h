/* SPDX-License-Identifier: MIT */
/* One virtual processor: a KVM VCPU and the thread that runs it. */
#ifndef VPUP_VMM_VP_H
#define VPUP_VMM_VP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "vmm/err.h"
#include "vmm/exit.h"
#include "vmm/kvm.h"
#include "vmm/run_record.h"

struct machine;
struct steal_log;

/*
 * What other threads ask of a VP. Its own thread does it, between two entries of the guest, as
 * nobody else may touch a VP's registers.
 */
enum vp_request {
	VP_REQUEST_AUTO_EOI = 1, /* inject interrupts that need no EOI: hv_auto_eoi.h */
	VP_REQUEST_STEAL = 4,    /* stay out of the guest for a while: steal_thread.h */
	VP_REQUEST_START = 2,    /* start where a hypercall says: hv_start_vp.h */
	VP_REQUEST_MESSAGES = 8, /* put messages into free slots: hv_kernel_state.h */
};

/* Cache line aligned: each is written by its own thread at every exit. */
struct vp {
	struct machine *m;
	uint32_t index;
	bool joinable;                   /* its thread was started and not yet joined */
	atomic_bool running;             /* `self` is set: the thread can be kicked */
	atomic_bool started;             /* it left the wait for INIT and SIPI, or is about to */
	atomic_uint requests;            /* enum vp_request */
	_Atomic uint64_t auto_eoi[4];    /* vectors that wait to be injected without EOI */
	_Atomic uint64_t steal_until_ns; /* CLOCK_MONOTONIC */
	struct steal_log *stolen;        /* NULL: nothing is */
	struct kvm_vp kvm;
	pthread_t thread; /* for joining */
	pthread_t self;   /* the same, set by the thread */
	struct vp_times times;
	uint64_t reasons[EXIT_REASONS]; /* exits by reason; the last for all that are higher */
} __attribute__((aligned(64)));

/* Routes the signal that interrupts KVM_RUN. Once per process, before any VP runs. */
int vp_setup_kick(struct err *e);

/* Starts the VP's thread: it sets its CPUID and start state, then loops in KVM_RUN. */
int vp_start(struct vp *vp, struct err *e);

/* Makes the VP leave KVM_RUN soon and its thread end. Any thread; does not wait. */
void vp_kick(struct vp *vp);

/* The same for a bare VP and the thread that runs it. Its KVM_RUN returns -EINTR from now on. */
void vp_kick_thread(const struct kvm_vp *vp, pthread_t thread);

/* Waits for the thread's end. */
void vp_join(struct vp *vp);

/* Asks for something. Any thread; does not wait. */
void vp_request(struct vp *vp, enum vp_request request);

/*
 * Lets KVM finish what the last exit left unfinished (its IN data, its RIP), so that registers may
 * be changed. On the VP's own thread, between two entries.
 */
int vp_complete_exit(struct vp *vp, struct err *e);

/* The registers at an exit, and the mark that they were changed (KVM_CAP_SYNC_REGS). */
struct kvm_regs *vp_regs(struct vp *vp);
void vp_regs_changed(struct vp *vp);

/* Flat 32-bit protected mode: the entry state of PVH (Xen docs/misc/pvh.pandoc) and Multiboot. */
void vp_set_protected_mode(struct kvm_sregs *s);

#endif
