/* SPDX-License-Identifier: MIT */
/* Kernel mode from the inside: its state, and what its files ask of one another. */
#ifndef VPUP_VMM_HV_KERNEL_STATE_H
#define VPUP_VMM_HV_KERNEL_STATE_H

#include <pthread.h>

#include "hyperv/hv.h"
#include "hyperv/hv_overlay.h"
#include "vmm/machine.h"

struct hv_kernel;

/* An eventfd that KVM signals, and what the main thread does then. */
struct hv_watch {
	int fd;
	void (*fn)(struct hv_kernel *h, struct hv_watch *w);
};

/* One SINT that the host raises: KVM routes a GSI to it. */
struct hv_kernel_sint {
	struct hv_watch end; /* KVM signals it at each EOM, and at EOI */
	int raise_fd;
	uint32_t vp;
	struct hv_message_queue queue; /* under the VP's lock */
	struct hv_message message[HV_SYNIC_QUEUE_MESSAGES];
};

/* What KVM has of the VP's SynIC and leaves to user space: the pages, and messages of the host's. */
struct hv_kernel_vp {
	pthread_mutex_t lock; /* over all below */
	uint64_t scontrol, siefp, simp;
	struct hv_overlay event_page, message_page;
	struct hv_kernel_sint *sint[HV_SYNIC_SINT_COUNT]; /* owned; made when first needed */
};

/* An event port that KVM signals itself. Kept until the end: the main thread may be at it. */
struct hv_kernel_event {
	struct hv_watch signal;
	_Atomic(const struct hv_port *) port; /* NULL: disconnected, free for another */
	struct hv_kernel_event *next;
};

struct hv_kernel {
	struct machine *m;
	struct hv_config cfg;
	struct cpuid_set kvm; /* what it offers */

	int epoll_fd; /* all struct hv_watch */
	struct hv_ports ports;
	pthread_mutex_t event_lock; /* over the list */
	struct hv_kernel_event *event;

	struct hv_overlays overlays;
	struct hv_kernel_vp *vp;           /* [cfg.vps] */
	uint8_t (*page)[HV_HYP_PAGE_SIZE]; /* of their overlays */

	pthread_mutex_t route_lock;
	struct kvm_irq_routing *routes; /* as KVM has them; NULL before the first SINT */
	uint32_t next_gsi;
};

/* hv_kernel.c: has the main thread call w->fn when w->fd is readable. Returns 0 or -errno. */
int hv_kernel_watch(struct hv_kernel *h, struct hv_watch *w);

/* hv_kernel_synic.c */
int hv_kernel_synic_init(struct hv_kernel *h, struct err *e);
void hv_kernel_synic_fini(struct hv_kernel *h);
/* KVM tells that the guest wrote to SCONTROL, SIEFP or SIMP. On the VP's own thread. */
void hv_kernel_synic_changed(struct hv_kernel *h, const struct vp_exit *x);
/* Puts what waits into free slots. On the VP's own thread, between two entries. */
void hv_kernel_synic_flush(struct hv_kernel *h, uint32_t vp);
/* These three are hooks of struct hv_side. */
uint16_t hv_kernel_post_message(struct machine *m, uint32_t vp, unsigned sint,
				const struct hv_message *msg);
uint16_t hv_kernel_signal_event(struct machine *m, uint32_t vp, unsigned sint, uint16_t flag);
uint16_t hv_kernel_raise(struct machine *m, uint32_t vp, unsigned sint);

/* hv_kernel_port.c: hooks of struct hv_side, and the end. */
int hv_kernel_connect(struct machine *m, const struct hv_port *port);
int hv_kernel_disconnect(struct machine *m, const struct hv_port *port);
void hv_kernel_port_fini(struct hv_kernel *h);

/* hv_kernel_route.c: KVM raises the SINT when s->raise_fd is written to. Returns 0 or -errno. */
int hv_kernel_route(struct hv_kernel *h, const struct hv_kernel_sint *s, unsigned sint);

#endif
