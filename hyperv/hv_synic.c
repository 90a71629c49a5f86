/* SPDX-License-Identifier: MIT */
/* Synthetic interrupt controller: sources, message slots with their queues, event flags. */
#include "hyperv/hv_internal.h"

#include <string.h>

static bool takes_messages(const struct hv_vp *vp)
{
	return vp->scontrol & HV_SYNIC_CONTROL_ENABLE && vp->simp & HV_PAGE_MSR_ENABLE;
}

static bool takes_events(const struct hv_vp *vp)
{
	return vp->scontrol & HV_SYNIC_CONTROL_ENABLE && vp->siefp & HV_PAGE_MSR_ENABLE;
}

static bool is_masked(const struct hv_vp *vp, unsigned sint)
{
	return vp->sint[sint] & HV_SYNIC_SINT_MASKED;
}

/*
 * A masked or polled source has no interrupt. Others have a vector from 16 on: see hv_sint_write.
 * Where polling is not offered its bit is one of the reserved.
 */
static void raise(const struct hv_partition *p, struct hv_vp *vp, unsigned sint)
{
	uint64_t reg = vp->sint[sint], silent = HV_SYNIC_SINT_MASKED;

	if (hv_has(p, HV_FEATURE_SINT_POLLING))
		silent |= HV_SYNIC_SINT_POLLING;
	if (!(reg & silent))
		hv_vp_irq(vp, reg & HV_SYNIC_SINT_VECTOR_MASK, reg & HV_SYNIC_SINT_AUTO_EOI);
}

/* One message: with more behind it, the guest's EOM brings the next. Timers go first. */
void hv_synic_flush(struct hv_partition *p, struct hv_vp *vp, unsigned sint)
{
	struct hv_message_queue *q = &vp->queue[sint];
	struct hv_message *slot = (struct hv_message *)hv_overlay_contents(&vp->message_page);
	struct hv_message timer_message;
	const struct hv_message *m = &vp->message[sint][q->head];
	unsigned timer = 0, timers = hv_stimer_waiting(vp, sint, &timer);

	if (!(timers + q->count) || !takes_messages(vp))
		return;
	if (timers) {
		hv_stimer_message(p, vp, timer, &timer_message);
		m = &timer_message;
	}
	if (!hv_slot_fill(slot + sint, m, timers + q->count > 1))
		return;
	raise(p, vp, sint);
	if (timers)
		hv_stimer_delivered(vp, timer);
	else
		hv_queue_drop(q);
}

static void flush_all(struct hv_partition *p, struct hv_vp *vp)
{
	for (unsigned sint = 0; sint < HV_SYNIC_SINT_COUNT; sint++)
		hv_synic_flush(p, vp, sint);
}

static uint16_t enqueue(struct hv_partition *p, struct hv_vp *vp, unsigned sint,
			const struct hv_message *m)
{
	struct hv_message *last;

	if (!takes_messages(vp))
		return HV_STATUS_INVALID_SYNIC_STATE;
	last = hv_queue_put(&vp->queue[sint], vp->message[sint]);
	if (!last)
		return HV_STATUS_INSUFFICIENT_BUFFERS;
	*last = *m;
	hv_synic_flush(p, vp, sint);
	return HV_STATUS_SUCCESS;
}

uint16_t hv_synic_post_message(struct hv_partition *p, uint32_t vp_index, unsigned sint,
			       const struct hv_message *m)
{
	struct hv_vp *vp;
	uint16_t status;

	if (vp_index >= p->cfg.vps)
		return HV_STATUS_INVALID_VP_INDEX;
	if (sint >= HV_SYNIC_SINT_COUNT || m->type == HVMSG_NONE ||
	    m->payload_bytes > HV_MESSAGE_PAYLOAD_BYTES)
		return HV_STATUS_INVALID_PARAMETER;
	vp = hv_vp(p, vp_index);
	hv_vp_lock(vp);
	status = enqueue(p, vp, sint, m);
	hv_vp_unlock(p, vp);
	return status;
}

static uint16_t set_flag(const struct hv_partition *p, struct hv_vp *vp, unsigned sint,
			 uint16_t flag)
{
	if (!takes_events(vp) || is_masked(vp, sint))
		return HV_STATUS_INVALID_SYNIC_STATE;
	if (hv_flag_set(hv_overlay_contents(&vp->event_page), sint, flag))
		raise(p, vp, sint);
	return HV_STATUS_SUCCESS;
}

uint16_t hv_synic_signal_event(struct hv_partition *p, uint32_t vp_index, unsigned sint,
			       uint16_t flag)
{
	struct hv_vp *vp;
	uint16_t status;

	if (vp_index >= p->cfg.vps)
		return HV_STATUS_INVALID_VP_INDEX;
	if (sint >= HV_SYNIC_SINT_COUNT || flag >= HV_EVENT_FLAGS_COUNT)
		return HV_STATUS_INVALID_PARAMETER;
	vp = hv_vp(p, vp_index);
	hv_vp_lock(vp);
	status = set_flag(p, vp, sint, flag);
	hv_vp_unlock(p, vp);
	return status;
}

uint16_t hv_synic_raise(struct hv_partition *p, uint32_t vp_index, unsigned sint)
{
	uint16_t status = HV_STATUS_INVALID_SYNIC_STATE;
	struct hv_vp *vp;

	if (vp_index >= p->cfg.vps)
		return HV_STATUS_INVALID_VP_INDEX;
	if (sint >= HV_SYNIC_SINT_COUNT)
		return HV_STATUS_INVALID_PARAMETER;
	vp = hv_vp(p, vp_index);
	hv_vp_lock(vp);
	if (vp->scontrol & HV_SYNIC_CONTROL_ENABLE && !is_masked(vp, sint)) {
		raise(p, vp, sint);
		status = HV_STATUS_SUCCESS;
	}
	hv_vp_unlock(p, vp);
	return status;
}

/* Messages that waited because SynIC or page were off go out now. */
enum hv_msr_result hv_scontrol_write(struct hv_msr_access *a)
{
	hv_vp_lock(a->vp);
	a->vp->scontrol = a->val;
	flush_all(a->p, a->vp);
	hv_vp_unlock(a->p, a->vp);
	return HV_MSR_OK;
}

/* A page register of a VP, under its lock. */
static enum hv_msr_result write_page(struct hv_msr_access *a, struct hv_overlay *o, uint64_t *reg)
{
	enum hv_msr_result result;

	hv_vp_lock(a->vp);
	result = hv_page_msr_write(a->p, o, a->val);
	if (result == HV_MSR_OK)
		*reg = a->val;
	flush_all(a->p, a->vp);
	hv_vp_unlock(a->p, a->vp);
	return result;
}

enum hv_msr_result hv_siefp_write(struct hv_msr_access *a)
{
	return write_page(a, &a->vp->event_page, &a->vp->siefp);
}

enum hv_msr_result hv_simp_write(struct hv_msr_access *a)
{
	return write_page(a, &a->vp->message_page, &a->vp->simp);
}

enum hv_msr_result hv_vp_assist_write(struct hv_msr_access *a)
{
	return write_page(a, &a->vp->assist_page, &a->vp->assist);
}

enum hv_msr_result hv_eom_write(struct hv_msr_access *a)
{
	hv_vp_lock(a->vp);
	flush_all(a->p, a->vp);
	hv_vp_unlock(a->p, a->vp);
	return HV_MSR_OK;
}

/* Hyper-V as a guest writes the reset value back, vector 0 and masked: that has to be legal. */
enum hv_msr_result hv_sint_write(struct hv_msr_access *a)
{
	if ((a->val & HV_SYNIC_SINT_VECTOR_MASK) < HV_SYNIC_FIRST_VALID_VECTOR &&
	    !(a->val & HV_SYNIC_SINT_MASKED))
		return HV_MSR_GP;
	hv_vp_lock(a->vp);
	a->vp->sint[a->n] = a->val;
	hv_synic_flush(a->p, a->vp, a->n);
	hv_vp_unlock(a->p, a->vp);
	return HV_MSR_OK;
}

void hv_synic_reset(struct hv_partition *p, struct hv_vp *vp)
{
	vp->assist = 0;
	vp->scontrol = HV_SYNIC_CONTROL_ENABLE; /* as Hyper-V has it, though the TLFS says 0 */
	vp->siefp = 0;
	vp->simp = 0;
	for (unsigned sint = 0; sint < HV_SYNIC_SINT_COUNT; sint++)
		vp->sint[sint] = HV_SYNIC_SINT_MASKED;
	memset(vp->queue, 0, sizeof(vp->queue));
	hv_overlay_reset(&p->overlays, &vp->assist_page);
	hv_overlay_reset(&p->overlays, &vp->event_page);
	hv_overlay_reset(&p->overlays, &vp->message_page);
}
