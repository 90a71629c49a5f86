/* SPDX-License-Identifier: MIT */
/* fw_cfg: how firmware, and test kernels, learn about the machine. */
#include <errno.h>

#include "devices/fw_cfg.h"
#include "vmm/glue.h"
#include "vmm/layout.h"
#include "vmm/tsc.h"

#define DATA_PORTS 2 /* selector and data overlap */
#define DMA_HIGH   4 /* offsets from the selector port */
#define DMA_LOW    8
#define DMA_END    12

struct fw_cfg_dev {
	struct glue glue;
	struct fw_cfg core;
};

/* Both ports are one: words written select, bytes read are data, bytes written are ignored. */
static enum io_status access_data(struct fw_cfg_dev *d, struct io_access *a)
{
	if (a->size != (a->is_write && a->off == 0 ? 2 : 1))
		return IO_UNCLAIMED;
	if (!a->is_write)
		a->val = fw_cfg_read(&d->core);
	else if (a->off == 0)
		fw_cfg_select(&d->core, (uint16_t)a->val);
	return IO_OK;
}

static enum io_status access_dma(struct fw_cfg_dev *d, struct io_access *a)
{
	unsigned off = (unsigned)a->off - DMA_HIGH;

	if (!a->is_write) {
		a->val = 0;
		for (unsigned i = 0; i < a->size; i++)
			a->val |= (uint64_t)fw_cfg_dma_signature(&d->core, off + i) << (8 * i);
		return IO_OK;
	}
	if (a->size != 4 || (a->off != DMA_HIGH && a->off != DMA_LOW))
		return IO_UNCLAIMED;
	fw_cfg_dma_write(&d->core, a->off == DMA_LOW, (uint32_t)a->val);
	return IO_OK;
}

static enum io_status fw_cfg_access(void *dev, struct io_access *a)
{
	struct fw_cfg_dev *d = dev;
	enum io_status status = IO_UNCLAIMED;

	pthread_mutex_lock(&d->glue.lock);
	if (a->off < DATA_PORTS)
		status = access_data(d, a);
	else if (a->off >= DMA_HIGH)
		status = access_dma(d, a);
	d->glue.m->record->firmware_end_tsc = tsc_now();
	pthread_mutex_unlock(&d->glue.lock);
	return status;
}

static int fw_cfg_dev_init(struct machine *m, void **state, struct err *e)
{
	struct guest_memory mem = glue_memory(m);
	struct fw_cfg_dev *d;

	if (!m->cfg->testdev && !m->cfg->firmware)
		return 0;
	d = glue_new(sizeof(*d), m, state, e);
	if (!d)
		return -ENOMEM;
	fw_cfg_init(&d->core, &mem);
	fw_cfg_add_number(&d->core, FW_CFG_RAM_SIZE, m->cfg->memory_bytes, 8);
	fw_cfg_add_number(&d->core, FW_CFG_NB_CPUS, m->topology.vps, 2);
	fw_cfg_add_number(&d->core, FW_CFG_MAX_CPUS, m->topology.max_apic_id + 1, 2);
	m->fw_cfg = &d->core;
	return bus_claim(&m->pio, &(struct io_range){
					  .name = "fw_cfg",
					  .base = LAYOUT_PORT_FW_CFG,
					  .last = LAYOUT_PORT_FW_CFG + DMA_END - 1,
					  .fn = fw_cfg_access,
					  .dev = d,
				  });
}

const struct device_ops fw_cfg_device = {"fw_cfg", fw_cfg_dev_init, glue_free};
