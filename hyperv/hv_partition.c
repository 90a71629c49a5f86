/* SPDX-License-Identifier: MIT */
/* Life of a partition: made, reset, freed. */
#include "hyperv/hv_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PARTITION_OVERLAYS 2 /* hypercall page, reference TSC page */
#define VP_OVERLAYS        3

static int init_locks(struct hv_partition *p)
{
	uint32_t vp = 0;

	if (hv_overlays_init(&p->overlays, p->ops, p->ctx))
		return -ENOMEM;
	if (hv_ports_init(&p->ports))
		goto out_overlays;
	if (pthread_mutex_init(&p->lock, NULL))
		goto out_ports;
	for (; vp < p->cfg.vps; vp++) {
		if (pthread_mutex_init(&p->vp[vp].lock, NULL))
			goto out_vps;
	}
	return 0;
out_vps:
	while (vp-- > 0)
		pthread_mutex_destroy(&p->vp[vp].lock);
	pthread_mutex_destroy(&p->lock);
out_ports:
	hv_ports_fini(&p->ports);
out_overlays:
	hv_overlays_fini(&p->overlays);
	return -ENOMEM;
}

/* Overlays and queues of a partition, in memory that nothing touches before its use. */
static int lay_out(struct hv_partition *p)
{
	uint8_t(*page)[HV_HYP_PAGE_SIZE];

	p->page = calloc(PARTITION_OVERLAYS + (size_t)p->cfg.vps * VP_OVERLAYS, sizeof(*p->page));
	p->message = calloc((size_t)p->cfg.vps * HV_SYNIC_SINT_COUNT, sizeof(*p->message));
	if (!p->page || !p->message)
		return -ENOMEM;
	page = p->page;
	p->hypercall_page.page = *page++;
	p->tsc_page.page = *page++;
	for (uint32_t i = 0; i < p->cfg.vps; i++) {
		struct hv_vp *vp = &p->vp[i];

		vp->index = i;
		vp->assist_page.page = *page++;
		vp->event_page.page = *page++;
		vp->message_page.page = *page++;
		vp->message = p->message + (size_t)i * HV_SYNIC_SINT_COUNT;
	}
	return 0;
}

static void free_memory(struct hv_partition *p)
{
	free(p->page);
	free(p->message);
	free(p->allocation);
}

struct hv_partition *hv_partition_new(const struct hv_config *cfg, const struct hv_host_ops *ops,
				      void *ctx)
{
	/* calloc() takes what is large as fresh pages and does not touch it, as memset() would. */
	void *allocation =
		calloc(1, sizeof(struct hv_partition) + (size_t)cfg->vps * sizeof(struct hv_vp) +
				  HV_CACHE_LINE_BYTES);
	struct hv_partition *p;

	if (!allocation)
		return NULL;
	p = (void *)(((uintptr_t)allocation + HV_CACHE_LINE_BYTES - 1) &
		     ~(uintptr_t)(HV_CACHE_LINE_BYTES - 1));
	p->allocation = allocation;
	p->cfg = *cfg;
	p->ops = ops;
	p->ctx = ctx;
	if (lay_out(p) || init_locks(p)) {
		free_memory(p);
		return NULL;
	}
	hv_msr_map(p->msr_row);
	hv_time_init(p);
	hv_partition_reset(p);
	return p;
}

void hv_partition_free(struct hv_partition *p)
{
	if (!p)
		return;
	for (uint32_t vp = 0; vp < p->cfg.vps; vp++)
		pthread_mutex_destroy(&p->vp[vp].lock);
	pthread_mutex_destroy(&p->lock);
	hv_ports_fini(&p->ports);
	hv_overlays_fini(&p->overlays);
	free_memory(p);
}

static void reset_registers(struct hv_partition *p)
{
	for (unsigned i = 0; i < HV_CRASH_PARAMS; i++)
		atomic_store(&p->crash[i], 0);
	atomic_store(&p->reenlightenment, 0);
	atomic_store(&p->tsc_emulation, 0);
	atomic_store(&p->tsc_invariant, 0);
	pthread_mutex_lock(&p->lock);
	atomic_store(&p->guest_os_id, 0);
	atomic_store(&p->hypercall, 0);
	atomic_store(&p->reference_tsc, 0);
	hv_overlay_reset(&p->overlays, &p->tsc_page);
	hv_overlay_reset(&p->overlays, &p->hypercall_page);
	hv_hypercall_page_fill(hv_overlay_contents(&p->hypercall_page), p->cfg.hypercall_port);
	pthread_mutex_unlock(&p->lock);
}

void hv_partition_reset(struct hv_partition *p)
{
	reset_registers(p);
	/* Of a VP's fields the counters stay: they tell of the whole run. */
	for (uint32_t i = 0; i < p->cfg.vps; i++) {
		struct hv_vp *vp = &p->vp[i];

		hv_vp_lock(vp);
		hv_stimer_reset(p, vp);
		hv_synic_reset(p, vp);
		hv_vp_unlock(p, vp);
	}
}

void hv_vp_lock(struct hv_vp *vp)
{
	pthread_mutex_lock(&vp->lock);
}

/* The host may take its time over an interrupt: nobody is to wait for the lock meanwhile. */
void hv_vp_unlock(struct hv_partition *p, struct hv_vp *vp)
{
	struct hv_irq irq[HV_IRQS_MAX];
	unsigned count = vp->irqs;

	memcpy(irq, vp->irq, count * sizeof(irq[0]));
	vp->irqs = 0;
	pthread_mutex_unlock(&vp->lock);
	for (unsigned i = 0; i < count; i++)
		p->ops->irq(p->ctx, vp->index, irq[i].vector, irq[i].auto_eoi);
}

/* At most one for each SINT, which a pass fills once, and one for each timer. */
void hv_vp_irq(struct hv_vp *vp, uint8_t vector, bool auto_eoi)
{
	assert(vp->irqs < HV_IRQS_MAX);
	vp->irq[vp->irqs++] = (struct hv_irq){.vector = vector, .auto_eoi = auto_eoi};
}
