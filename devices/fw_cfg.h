/* SPDX-License-Identifier: MIT */
/*
 * fw_cfg (QEMU docs/specs/fw_cfg.rst) core: items that firmware and test kernels select by key and
 * read, byte by byte or by DMA. Some items are files: a directory gives their names and keys.
 */
#ifndef VPUP_DEVICES_FW_CFG_H
#define VPUP_DEVICES_FW_CFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "devices/guest_memory.h"

#define FW_CFG_SIGNATURE     0x00
#define FW_CFG_ID            0x01
#define FW_CFG_RAM_SIZE      0x03
#define FW_CFG_NOGRAPHIC     0x04
#define FW_CFG_NB_CPUS       0x05
#define FW_CFG_KERNEL_ADDR   0x07
#define FW_CFG_KERNEL_SIZE   0x08
#define FW_CFG_INITRD_ADDR   0x0a
#define FW_CFG_INITRD_SIZE   0x0b
#define FW_CFG_BOOT_MENU     0x0e
#define FW_CFG_MAX_CPUS      0x0f
#define FW_CFG_KERNEL_ENTRY  0x10
#define FW_CFG_KERNEL_DATA   0x11
#define FW_CFG_INITRD_DATA   0x12
#define FW_CFG_CMDLINE_ADDR  0x13
#define FW_CFG_CMDLINE_SIZE  0x14
#define FW_CFG_CMDLINE_DATA  0x15
#define FW_CFG_SETUP_ADDR    0x16
#define FW_CFG_SETUP_SIZE    0x17
#define FW_CFG_SETUP_DATA    0x18
#define FW_CFG_FILE_DIR      0x19
#define FW_CFG_FILE_FIRST    0x20
#define FW_CFG_IRQ0_OVERRIDE 0x8002

#define FW_CFG_ITEMS_MAX  40
#define FW_CFG_FILES_MAX  12
#define FW_CFG_NAME_BYTES 56 /* with its terminating NUL */

struct fw_cfg_item {
	uint16_t key;
	uint32_t size_bytes;
	const void *data; /* NULL: it is in `number` */
	uint8_t number[8];
};

/* An entry of the directory, as the guest reads it: big-endian. */
struct fw_cfg_file {
	uint32_t size_bytes;
	uint16_t key;
	uint16_t reserved;
	char name[FW_CFG_NAME_BYTES];
};

struct fw_cfg_directory {
	uint32_t count;
	struct fw_cfg_file file[FW_CFG_FILES_MAX];
};

struct fw_cfg {
	struct guest_memory mem;
	bool has_dma;
	unsigned items;
	struct fw_cfg_item item[FW_CFG_ITEMS_MAX];
	unsigned files;
	struct fw_cfg_directory directory;
	uint16_t key;      /* selected */
	uint32_t next;     /* offset of the byte that the next read gives */
	uint32_t dma_high; /* of the address of the next DMA descriptor */
};

/*
 * Starts with the items that say what it is: FW_CFG_SIGNATURE and FW_CFG_ID, and the directory. mem is
 * where DMA goes; NULL: there is none.
 */
void fw_cfg_init(struct fw_cfg *f, const struct guest_memory *mem);

/* Adds a little-endian number of 1 to 8 bytes. At most FW_CFG_ITEMS_MAX items in all. */
void fw_cfg_add_number(struct fw_cfg *f, uint16_t key, uint64_t val, uint8_t size_bytes);

/* Adds bytes, which must stay where they are. */
void fw_cfg_add_data(struct fw_cfg *f, uint16_t key, const void *data, uint32_t size_bytes);

/*
 * Adds a file, whose bytes must stay where they are; names must come in ascending order, as QEMU has
 * them. At most FW_CFG_FILES_MAX.
 */
void fw_cfg_add_file(struct fw_cfg *f, const char *name, const void *data, uint32_t size_bytes);

/* Selector port: the next read gives the first byte of this item. */
void fw_cfg_select(struct fw_cfg *f, uint16_t key);

/* Data port: the next byte; 0 past the item's end, and where there is no such item. */
uint8_t fw_cfg_read(struct fw_cfg *f);

/* A byte of the DMA address register, which reads as a signature; off is 0 to 7. */
uint8_t fw_cfg_dma_signature(const struct fw_cfg *f, unsigned off);

/*
 * A write of the high or the low half of a DMA descriptor's address, as the guest has it in its
 * register: big-endian. The low half starts the transfer, which is done when this returns.
 */
void fw_cfg_dma_write(struct fw_cfg *f, bool is_low, uint32_t val);

_Static_assert(sizeof(struct fw_cfg_file) == 64, "fw_cfg.rst");
_Static_assert(offsetof(struct fw_cfg_directory, file) == 4, "fw_cfg.rst");

#endif
