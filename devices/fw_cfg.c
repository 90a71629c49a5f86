/* SPDX-License-Identifier: MIT */
/* fw_cfg core: items that the guest selects by key and reads byte by byte. */
#include "devices/fw_cfg.h"

#include <assert.h>
#include <stddef.h>

#define SIGNATURE      0x554d4551 /* "QEMU": what guests know the interface by */
#define ID_TRADITIONAL (1u << 0)  /* the two ports; bit 1 would be DMA */

/* An old flag for writing, which does not take part in the lookup. */
#define FW_CFG_WRITE_CHANNEL 0x4000

void fw_cfg_init(struct fw_cfg *f)
{
	*f = (struct fw_cfg){0};
	fw_cfg_add_number(f, FW_CFG_SIGNATURE, SIGNATURE, 4);
	fw_cfg_add_number(f, FW_CFG_ID, ID_TRADITIONAL, 4);
}

void fw_cfg_add_number(struct fw_cfg *f, uint16_t key, uint64_t val, uint8_t size_bytes)
{
	struct fw_cfg_item *item = &f->item[f->items];

	assert(f->items < FW_CFG_ITEMS_MAX);
	assert(size_bytes > 0 && size_bytes <= sizeof(item->data));
	*item = (struct fw_cfg_item){.key = key, .size_bytes = size_bytes};
	for (unsigned i = 0; i < size_bytes; i++)
		item->data[i] = (uint8_t)(val >> (8 * i));
	f->items++;
}

void fw_cfg_select(struct fw_cfg *f, uint16_t key)
{
	f->key = key & ~FW_CFG_WRITE_CHANNEL;
	f->next = 0;
}

static const struct fw_cfg_item *find(const struct fw_cfg *f, uint16_t key)
{
	for (unsigned i = 0; i < f->items; i++)
		if (f->item[i].key == key)
			return &f->item[i];
	return NULL;
}

uint8_t fw_cfg_read(struct fw_cfg *f)
{
	const struct fw_cfg_item *item = find(f, f->key);

	if (!item || f->next >= item->size_bytes)
		return 0;
	return item->data[f->next++];
}
