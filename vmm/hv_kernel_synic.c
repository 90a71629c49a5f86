/* SPDX-License-Identifier: MIT */
/*
 * Kernel mode: the pages of each VP's SynIC, and messages, events and interrupts that the host sends
 * there. KVM has the registers and its timers' messages. It writes those into the page on the VP's
 * own thread, inside KVM_RUN; so that nobody gets into its way, ours are written on that thread, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "vmm/hv_kernel_state.h"

#define VP_OVERLAYS 2

static void *gpa_ptr(void *ctx, uint64_t addr, uint64_t size)
{
	struct hv_kernel *h = ctx;

	return mem_ptr(&h->m->mem, gpa(addr), size);
}

/* All that overlays ask of a host. */
static const struct hv_host_ops overlay_ops = {.gpa_ptr = gpa_ptr};

int hv_kernel_synic_init(struct hv_kernel *h, struct err *e)
{
	h->vp = calloc(h->cfg.vps, sizeof(*h->vp));
	h->page = calloc((size_t)h->cfg.vps * VP_OVERLAYS, sizeof(*h->page));
	if (!h->vp || !h->page || hv_overlays_init(&h->overlays, &overlay_ops, h)) {
		free(h->vp);
		h->vp = NULL;
		return err_set(e, ENOMEM, "out of memory");
	}
	pthread_mutex_init(&h->route_lock, NULL);
	for (uint32_t i = 0; i < h->cfg.vps; i++) {
		struct hv_kernel_vp *vp = &h->vp[i];

		pthread_mutex_init(&vp->lock, NULL);
		vp->scontrol = HV_SYNIC_CONTROL_ENABLE; /* as KVM has it at first */
		vp->event_page.page = h->page[i * VP_OVERLAYS];
		vp->message_page.page = h->page[i * VP_OVERLAYS + 1];
	}
	return 0;
}

static void free_sint(struct hv_kernel_sint *s)
{
	if (!s)
		return;
	if (s->raise_fd >= 0)
		close(s->raise_fd);
	if (s->end.fd >= 0)
		close(s->end.fd);
	free(s);
}

void hv_kernel_synic_fini(struct hv_kernel *h)
{
	for (uint32_t i = 0; h->vp && i < h->cfg.vps; i++) {
		for (unsigned sint = 0; sint < HV_SYNIC_SINT_COUNT; sint++)
			free_sint(h->vp[i].sint[sint]);
		pthread_mutex_destroy(&h->vp[i].lock);
	}
	if (h->vp) {
		pthread_mutex_destroy(&h->route_lock);
		hv_overlays_fini(&h->overlays);
	}
	free(h->vp);
	free(h->page);
	free(h->routes);
}

/* The guest is done with a message, or took an interrupt: the next may have room now. */
static void on_end(struct hv_kernel *h, struct hv_watch *w)
{
	vp_request(&h->m->vp[((struct hv_kernel_sint *)w)->vp], VP_REQUEST_MESSAGES);
}

static struct hv_kernel_sint *make_sint(struct hv_kernel *h, uint32_t vp, unsigned sint)
{
	struct hv_kernel_sint *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->vp = vp;
	s->raise_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->end = (struct hv_watch){eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), on_end};
	if (s->raise_fd < 0 || s->end.fd < 0 || hv_kernel_route(h, s, sint) ||
	    hv_kernel_watch(h, &s->end)) {
		free_sint(s);
		return NULL;
	}
	return s;
}

/* The VP's lock is held. NULL: out of memory, descriptors or routes. */
static struct hv_kernel_sint *sint_of(struct hv_kernel *h, uint32_t vp, unsigned sint)
{
	struct hv_kernel_sint **s = &h->vp[vp].sint[sint];

	if (!*s)
		*s = make_sint(h, vp, sint);
	return *s;
}

/* KVM looks at mask, vector and auto-EOI. Should the counter be full, it is about to do so. */
static void raise(const struct hv_kernel_sint *s)
{
	const uint64_t one = 1;

	if (write(s->raise_fd, &one, sizeof(one)) < 0)
		return;
}

static void flush(struct hv_kernel_vp *vp, struct hv_kernel_sint *s, unsigned sint)
{
	struct hv_message *slot = (struct hv_message *)hv_overlay_contents(&vp->message_page);

	if (!s || !s->queue.count)
		return;
	if (!hv_slot_fill(slot + sint, &s->message[s->queue.head], s->queue.count > 1))
		return;
	hv_queue_drop(&s->queue);
	raise(s);
}

static bool takes_messages(const struct hv_kernel_vp *vp)
{
	return vp->scontrol & HV_SYNIC_CONTROL_ENABLE && vp->simp & HV_PAGE_MSR_ENABLE;
}

void hv_kernel_synic_flush(struct hv_kernel *h, uint32_t index)
{
	struct hv_kernel_vp *vp = &h->vp[index];

	pthread_mutex_lock(&vp->lock);
	for (unsigned sint = 0; takes_messages(vp) && sint < HV_SYNIC_SINT_COUNT; sint++)
		flush(vp, vp->sint[sint], sint);
	pthread_mutex_unlock(&vp->lock);
}

/*
 * KVM has taken the value already. An address that can't be shown leaves the page where nobody sees
 * it, and KVM will find no memory there, or the other overlay's.
 */
static void move_page(struct hv_kernel *h, struct hv_overlay *o, uint64_t *reg, uint64_t val)
{
	if (*reg == val)
		return;
	*reg = val;
	if (!(val & HV_PAGE_MSR_ENABLE) ||
	    hv_overlay_show(&h->overlays, o, val & ~(uint64_t)(HV_HYP_PAGE_SIZE - 1)))
		hv_overlay_hide(&h->overlays, o);
}

void hv_kernel_synic_changed(struct hv_kernel *h, const struct vp_exit *x)
{
	struct hv_kernel_vp *vp = &h->vp[x->vp];

	pthread_mutex_lock(&vp->lock);
	vp->scontrol = x->hyperv.scontrol;
	move_page(h, &vp->event_page, &vp->siefp, x->hyperv.siefp);
	move_page(h, &vp->message_page, &vp->simp, x->hyperv.simp);
	pthread_mutex_unlock(&vp->lock);
	hv_kernel_synic_flush(h, x->vp);
}

static uint16_t enqueue(struct hv_kernel *h, uint32_t vp, unsigned sint,
			const struct hv_message *msg)
{
	struct hv_kernel_sint *s;
	struct hv_message *last;

	if (!takes_messages(&h->vp[vp]))
		return HV_STATUS_INVALID_SYNIC_STATE;
	s = sint_of(h, vp, sint);
	last = s ? hv_queue_put(&s->queue, s->message) : NULL;
	if (!last)
		return HV_STATUS_INSUFFICIENT_BUFFERS;
	*last = *msg;
	return HV_STATUS_SUCCESS;
}

uint16_t hv_kernel_post_message(struct machine *m, uint32_t vp, unsigned sint,
				const struct hv_message *msg)
{
	struct hv_kernel *h = m->hv_kernel;
	uint16_t status;

	if (vp >= h->cfg.vps)
		return HV_STATUS_INVALID_VP_INDEX;
	if (sint >= HV_SYNIC_SINT_COUNT || msg->type == HVMSG_NONE ||
	    msg->payload_bytes > HV_MESSAGE_PAYLOAD_BYTES)
		return HV_STATUS_INVALID_PARAMETER;
	pthread_mutex_lock(&h->vp[vp].lock);
	status = enqueue(h, vp, sint, msg);
	pthread_mutex_unlock(&h->vp[vp].lock);
	if (status == HV_STATUS_SUCCESS)
		vp_request(&m->vp[vp], VP_REQUEST_MESSAGES);
	return status;
}

static uint16_t set_flag(struct hv_kernel *h, uint32_t index, unsigned sint, uint16_t flag)
{
	struct hv_kernel_vp *vp = &h->vp[index];
	struct hv_kernel_sint *s;

	if (!(vp->scontrol & HV_SYNIC_CONTROL_ENABLE) || !(vp->siefp & HV_PAGE_MSR_ENABLE))
		return HV_STATUS_INVALID_SYNIC_STATE;
	s = sint_of(h, index, sint);
	if (!s)
		return HV_STATUS_INSUFFICIENT_BUFFERS;
	if (hv_flag_set(hv_overlay_contents(&vp->event_page), sint, flag))
		raise(s);
	return HV_STATUS_SUCCESS;
}

uint16_t hv_kernel_signal_event(struct machine *m, uint32_t vp, unsigned sint, uint16_t flag)
{
	struct hv_kernel *h = m->hv_kernel;
	uint16_t status;

	if (vp >= h->cfg.vps)
		return HV_STATUS_INVALID_VP_INDEX;
	if (sint >= HV_SYNIC_SINT_COUNT || flag >= HV_EVENT_FLAGS_COUNT)
		return HV_STATUS_INVALID_PARAMETER;
	pthread_mutex_lock(&h->vp[vp].lock);
	status = set_flag(h, vp, sint, flag);
	pthread_mutex_unlock(&h->vp[vp].lock);
	return status;
}

uint16_t hv_kernel_raise(struct machine *m, uint32_t vp, unsigned sint)
{
	struct hv_kernel *h = m->hv_kernel;
	uint16_t status = HV_STATUS_INVALID_SYNIC_STATE;
	struct hv_kernel_sint *s = NULL;

	if (vp >= h->cfg.vps)
		return HV_STATUS_INVALID_VP_INDEX;
	if (sint >= HV_SYNIC_SINT_COUNT)
		return HV_STATUS_INVALID_PARAMETER;
	pthread_mutex_lock(&h->vp[vp].lock);
	if (h->vp[vp].scontrol & HV_SYNIC_CONTROL_ENABLE)
		s = sint_of(h, vp, sint);
	if (s) {
		raise(s);
		status = HV_STATUS_SUCCESS;
	}
	pthread_mutex_unlock(&h->vp[vp].lock);
	return status;
}
