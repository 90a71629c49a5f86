/* SPDX-License-Identifier: MIT */
/* Life of a partition: made, reset, freed. */
#include "hyperv/hv_internal.h"

#include <stdlib.h>
#include <string.h>

struct hv_partition *hv_partition_new(const struct hv_config *cfg, const struct hv_host_ops *ops,
				      void *ctx)
{
	/* Both sizes are multiples of a cache line, as aligned_alloc() wants their sum to be. */
	size_t size_bytes = sizeof(struct hv_partition) + (size_t)cfg->vps * sizeof(struct hv_vp);
	struct hv_partition *p = aligned_alloc(HV_CACHE_LINE_BYTES, size_bytes);

	if (!p)
		return NULL;
	memset(p, 0, size_bytes);
	if (pthread_mutex_init(&p->lock, NULL)) {
		free(p);
		return NULL;
	}
	p->cfg = *cfg;
	p->ops = ops;
	p->ctx = ctx;
	hv_msr_map(p->msr_row);
	hv_partition_reset(p);
	return p;
}

void hv_partition_free(struct hv_partition *p)
{
	if (!p)
		return;
	pthread_mutex_destroy(&p->lock);
	free(p);
}

void hv_partition_reset(struct hv_partition *p)
{
	pthread_mutex_lock(&p->lock);
	atomic_store(&p->guest_os_id, 0);
	atomic_store(&p->hypercall, 0);
	hv_overlay_reset(&p->hypercall_page);
	hv_hypercall_page_fill(hv_overlay_contents(&p->hypercall_page), p->cfg.hypercall_port);
	pthread_mutex_unlock(&p->lock);

	/* Of a VP's fields the counters stay: they tell of the whole run. */
	for (uint32_t vp = 0; vp < p->cfg.vps; vp++)
		p->vp[vp].index = vp;
}
