/* SPDX-License-Identifier: MIT */
/* fw_cfg core: items that the guest selects by key and reads byte by byte or by DMA. */
#include "devices/fw_cfg.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#define SIGNATURE      0x554d4551 /* "QEMU": what guests know the interface by */
#define ID_TRADITIONAL (1u << 0)  /* the two ports */
#define ID_DMA         (1u << 1)

/* An old flag for writing, which does not take part in the lookup. */
#define FW_CFG_WRITE_CHANNEL 0x4000

#define DMA_ERROR  (1u << 0)
#define DMA_READ   (1u << 1)
#define DMA_SKIP   (1u << 2)
#define DMA_SELECT (1u << 3)
#define DMA_WRITE  (1u << 4)

/* In guest RAM, big-endian. */
struct dma_descriptor {
	uint32_t control;
	uint32_t length;
	uint64_t address;
};

_Static_assert(sizeof(struct dma_descriptor) == 16, "fw_cfg.rst");

void fw_cfg_init(struct fw_cfg *f, const struct guest_memory *mem)
{
	*f = (struct fw_cfg){.has_dma = mem != NULL};
	if (mem)
		f->mem = *mem;
	fw_cfg_add_number(f, FW_CFG_SIGNATURE, SIGNATURE, 4);
	fw_cfg_add_number(f, FW_CFG_ID, ID_TRADITIONAL | (mem ? ID_DMA : 0), 4);
	fw_cfg_add_data(f, FW_CFG_FILE_DIR, &f->directory, sizeof(f->directory.count));
}

static struct fw_cfg_item *add_item(struct fw_cfg *f, uint16_t key, uint32_t size_bytes)
{
	struct fw_cfg_item *item = &f->item[f->items];

	assert(f->items < FW_CFG_ITEMS_MAX);
	*item = (struct fw_cfg_item){.key = key, .size_bytes = size_bytes};
	f->items++;
	return item;
}

void fw_cfg_add_number(struct fw_cfg *f, uint16_t key, uint64_t val, uint8_t size_bytes)
{
	struct fw_cfg_item *item = add_item(f, key, size_bytes);

	assert(size_bytes > 0 && size_bytes <= sizeof(item->number));
	for (unsigned i = 0; i < size_bytes; i++)
		item->number[i] = (uint8_t)(val >> (8 * i));
}

void fw_cfg_add_data(struct fw_cfg *f, uint16_t key, const void *data, uint32_t size_bytes)
{
	add_item(f, key, size_bytes)->data = data;
}

static struct fw_cfg_item *find(struct fw_cfg *f, uint16_t key)
{
	for (unsigned i = 0; i < f->items; i++)
		if (f->item[i].key == key)
			return &f->item[i];
	return NULL;
}

void fw_cfg_add_file(struct fw_cfg *f, const char *name, const void *data, uint32_t size_bytes)
{
	uint16_t key = (uint16_t)(FW_CFG_FILE_FIRST + f->files);
	struct fw_cfg_file *file = &f->directory.file[f->files];

	assert(f->files < FW_CFG_FILES_MAX && strlen(name) < sizeof(file->name));
	assert(f->files == 0 || strcmp(f->directory.file[f->files - 1].name, name) < 0);
	*file = (struct fw_cfg_file){.size_bytes = htobe32(size_bytes), .key = htobe16(key)};
	strcpy(file->name, name);
	f->files++;
	f->directory.count = htobe32(f->files);
	find(f, FW_CFG_FILE_DIR)->size_bytes =
		(uint32_t)(sizeof(f->directory.count) + f->files * sizeof(*file));
	fw_cfg_add_data(f, key, data, size_bytes);
}

void fw_cfg_select(struct fw_cfg *f, uint16_t key)
{
	f->key = key & ~FW_CFG_WRITE_CHANNEL;
	f->next = 0;
}

/* The next bytes of the selected item, or NULL at its end; *size_bytes becomes what there is. */
static const uint8_t *take(struct fw_cfg *f, uint32_t *size_bytes)
{
	const struct fw_cfg_item *item = find(f, f->key);
	const uint8_t *data;

	if (!item || f->next >= item->size_bytes) {
		*size_bytes = 0;
		return NULL;
	}
	data = item->data ? item->data : item->number;
	data += f->next;
	if (*size_bytes > item->size_bytes - f->next)
		*size_bytes = item->size_bytes - f->next;
	f->next += *size_bytes;
	return data;
}

uint8_t fw_cfg_read(struct fw_cfg *f)
{
	uint32_t size = 1;
	const uint8_t *data = take(f, &size);

	return data ? *data : 0;
}

uint8_t fw_cfg_dma_signature(const struct fw_cfg *f, unsigned off)
{
	static const char signature[8] = "QEMU CFG";

	return f->has_dma && off < sizeof(signature) ? (uint8_t)signature[off] : 0xff;
}

/* What is past the item's end reads as zeroes. */
static bool dma_read(struct fw_cfg *f, uint64_t address, uint32_t length)
{
	uint8_t *dst = f->mem.ptr(f->mem.ctx, address, length);
	uint32_t size = length;
	const uint8_t *data;

	if (!dst)
		return false;
	data = take(f, &size);
	if (data)
		memcpy(dst, data, size);
	memset(dst + size, 0, length - size);
	return true;
}

/* READ wins over WRITE, and that over SKIP; nothing here can be written. */
static bool transfer(struct fw_cfg *f, uint32_t control, uint64_t address, uint32_t length)
{
	if (control & DMA_SELECT)
		fw_cfg_select(f, (uint16_t)(control >> 16));
	if (control & DMA_READ)
		return length == 0 || dma_read(f, address, length);
	if (control & DMA_WRITE)
		return false;
	if (control & DMA_SKIP)
		take(f, &length);
	return true;
}

static void run_dma(struct fw_cfg *f, uint64_t address)
{
	void *at = f->mem.ptr(f->mem.ctx, address, sizeof(struct dma_descriptor));
	struct dma_descriptor d;
	uint32_t control;

	if (!at)
		return;
	memcpy(&d, at, sizeof(d));
	control = transfer(f, be32toh(d.control), be64toh(d.address), be32toh(d.length))
			  ? 0
			  : htobe32(DMA_ERROR);
	memcpy(at, &control, sizeof(control));
}

void fw_cfg_dma_write(struct fw_cfg *f, bool is_low, uint32_t val)
{
	uint64_t address;

	if (!f->has_dma)
		return;
	if (!is_low) {
		f->dma_high = be32toh(val);
		return;
	}
	address = (uint64_t)f->dma_high << 32 | be32toh(val);
	f->dma_high = 0;
	run_dma(f, address);
}
