/* SPDX-License-Identifier: MIT */
/*
 * fw_cfg (QEMU docs/specs/fw_cfg) core: items that firmware and test kernels select by key and read
 * byte by byte. Without DMA and files.
 */
#ifndef VPUP_DEVICES_FW_CFG_H
#define VPUP_DEVICES_FW_CFG_H

#include <stdint.h>

#define FW_CFG_SIGNATURE 0x00
#define FW_CFG_ID        0x01
#define FW_CFG_RAM_SIZE  0x03
#define FW_CFG_NB_CPUS   0x05
#define FW_CFG_MAX_CPUS  0x0f

#define FW_CFG_ITEMS_MAX 8

struct fw_cfg_item {
	uint16_t key;
	uint8_t size_bytes;
	uint8_t data[8];
};

struct fw_cfg {
	unsigned items;
	struct fw_cfg_item item[FW_CFG_ITEMS_MAX];
	uint16_t key;  /* selected */
	uint32_t next; /* offset of the byte that the next read gives */
};

/* Starts with the items that say what it is: FW_CFG_SIGNATURE and FW_CFG_ID. */
void fw_cfg_init(struct fw_cfg *f);

/* Adds a little-endian number of 1 to 8 bytes. At most FW_CFG_ITEMS_MAX, with those of the start. */
void fw_cfg_add_number(struct fw_cfg *f, uint16_t key, uint64_t val, uint8_t size_bytes);

/* Selector port: the next read gives the first byte of this item. */
void fw_cfg_select(struct fw_cfg *f, uint16_t key);

/* Data port: the next byte; 0 past the item's end, and where there is no such item. */
uint8_t fw_cfg_read(struct fw_cfg *f);

#endif
