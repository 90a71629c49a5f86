/* SPDX-License-Identifier: MIT */
/* Kernel mode: the host's ports. KVM signals events itself and hands over all other calls. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "vmm/hv_kernel.h"
#include "vmm/hv_kernel_state.h"

#define INPUT_ALIGN 8

/* KVM tells neither who signalled nor the flag: it hands calls with another flag than 0 over. */
static void on_signal(struct hv_kernel *h, struct hv_watch *w)
{
	const struct hv_port *port = atomic_load(&((struct hv_kernel_event *)w)->port);
	const struct hv_input_signal_event in = {.connection_id = port ? port->connection_id : 0};

	if (port)
		hv_ports_signal(&h->ports, HV_VP_UNKNOWN, &in);
}

/* One that is free, or a new one. The lock is held. */
static struct hv_kernel_event *get_event(struct hv_kernel *h)
{
	struct hv_kernel_event *ev = h->event;

	while (ev && atomic_load(&ev->port))
		ev = ev->next;
	if (ev)
		return ev;
	ev = calloc(1, sizeof(*ev));
	if (!ev)
		return NULL;
	ev->signal = (struct hv_watch){eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), on_signal};
	if (ev->signal.fd < 0 || hv_kernel_watch(h, &ev->signal)) {
		if (ev->signal.fd >= 0)
			close(ev->signal.fd);
		free(ev);
		return NULL;
	}
	ev->next = h->event;
	h->event = ev;
	return ev;
}

static int connect_event(struct hv_kernel *h, const struct hv_port *port)
{
	struct hv_kernel_event *ev = get_event(h);
	uint64_t old;
	int ret;

	if (!ev)
		return -ENOMEM;
	/* What its last port was too late for is none of this one's. */
	while (read(ev->signal.fd, &old, sizeof(old)) == sizeof(old))
		;
	ret = kvm_set_hyperv_eventfd(&h->m->kvm, port->connection_id, ev->signal.fd, NULL);
	if (ret == 0)
		atomic_store(&ev->port, port);
	return ret;
}

int hv_kernel_connect(struct machine *m, const struct hv_port *port)
{
	struct hv_kernel *h = m->hv_kernel;
	int ret = hv_ports_connect(&h->ports, port);

	if (ret || !port->event)
		return ret;
	pthread_mutex_lock(&h->event_lock);
	ret = connect_event(h, port);
	pthread_mutex_unlock(&h->event_lock);
	if (ret)
		hv_ports_disconnect(&h->ports, port);
	return ret;
}

int hv_kernel_disconnect(struct machine *m, const struct hv_port *port)
{
	struct hv_kernel *h = m->hv_kernel;
	int ret = hv_ports_disconnect(&h->ports, port);
	struct hv_kernel_event *ev;

	if (ret || !port->event)
		return ret;
	kvm_set_hyperv_eventfd(&m->kvm, port->connection_id, -1, NULL);
	pthread_mutex_lock(&h->event_lock);
	for (ev = h->event; ev; ev = ev->next) {
		if (atomic_load(&ev->port) == port)
			atomic_store(&ev->port, NULL);
	}
	pthread_mutex_unlock(&h->event_lock);
	return 0;
}

void hv_kernel_port_fini(struct hv_kernel *h)
{
	while (h->event) {
		struct hv_kernel_event *ev = h->event;

		h->event = ev->next;
		close(ev->signal.fd);
		free(ev);
	}
}

/* Copies a block of parameters: aligned, on one page, in RAM. */
static bool fetch(const struct mem *mem, uint64_t addr, void *in, size_t size_bytes)
{
	return addr % INPUT_ALIGN == 0 &&
	       addr % HV_HYP_PAGE_SIZE + size_bytes <= HV_HYP_PAGE_SIZE &&
	       mem_read(mem, gpa(addr), in, size_bytes) == 0;
}

static uint16_t post_message(struct hv_ports *t, const struct mem *mem, uint32_t vp, bool fast,
			     uint64_t addr)
{
	struct hv_input_post_message in;

	if (fast)
		return HV_STATUS_INVALID_HYPERCALL_INPUT;
	if (!fetch(mem, addr, &in, sizeof(in)))
		return HV_STATUS_INVALID_ALIGNMENT;
	return hv_ports_post(t, vp, &in);
}

uint64_t hv_kernel_hypercall(struct hv_ports *t, const struct mem *mem, uint32_t vp,
			     uint64_t control, uint64_t input)
{
	struct hv_input_signal_event event;

	switch (control & HV_HYPERCALL_CODE_MASK) {
	case HVCALL_POST_MESSAGE:
		return post_message(t, mem, vp, control & HV_HYPERCALL_FAST_BIT, input);
	case HVCALL_SIGNAL_EVENT:
		/* The input itself also where the guest gave its address: KVM has read it. */
		memcpy(&event, &input, sizeof(event));
		return hv_ports_signal(t, vp, &event);
	default:
		return HV_STATUS_INVALID_HYPERCALL_CODE;
	}
}
