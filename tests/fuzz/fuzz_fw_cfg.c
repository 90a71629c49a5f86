/* SPDX-License-Identifier: MIT */
/*
 * A hostile guest at fw_cfg: any selection, any reads, any DMA descriptor, also one that overlaps its
 * own target. Items must stay as they were, and a selection must always bring the device back.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "devices/fw_cfg.h"
#include "tests/fuzz/fuzz_input.h"

#define RAM_BYTES 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char file_data[] = "a file's bytes, which a guest can't change";

struct fuzz {
	struct fw_cfg cfg;
	uint8_t *ram; /* by itself on the heap: ASan sees what is past its end */
	char *file;
	struct fuzz_input in;
};

static void *ram_ptr(void *ctx, uint64_t gpa, uint64_t size_bytes)
{
	struct fuzz *z = ctx;

	return gpa <= RAM_BYTES && size_bytes <= RAM_BYTES - gpa ? z->ram + gpa : NULL;
}

/* A descriptor that is mostly fine, or anything, and the two writes that start it. */
static void dma(struct fuzz *z)
{
	uint8_t how = (uint8_t)fuzz_take(&z->in, 1);
	uint64_t at = how & 1 ? fuzz_take(&z->in, 8) : fuzz_take(&z->in, 2) % RAM_BYTES;
	uint64_t target = how & 2 ? fuzz_take(&z->in, 8) : fuzz_take(&z->in, 2) % RAM_BYTES;
	uint32_t length = (uint32_t)fuzz_take(&z->in, how & 4 ? 4 : 1);
	uint32_t key = (uint32_t)fuzz_take(&z->in, how & 8 ? 2 : 1);
	uint32_t words[4] = {htobe32(key << 16 | (uint32_t)fuzz_take(&z->in, 1)), htobe32(length),
			     htobe32((uint32_t)(target >> 32)), htobe32((uint32_t)target)};
	void *ptr = ram_ptr(z, at, sizeof(words));

	if (ptr)
		memcpy(ptr, words, sizeof(words));
	if (at >> 32)
		fw_cfg_dma_write(&z->cfg, false, htobe32((uint32_t)(at >> 32)));
	fw_cfg_dma_write(&z->cfg, true, htobe32((uint32_t)at));
}

static void step(struct fuzz *z)
{
	switch (fuzz_take(&z->in, 1) & 3) {
	case 0:
		fw_cfg_select(&z->cfg, (uint16_t)fuzz_take(&z->in, 2));
		break;
	case 1:
		for (unsigned n = (unsigned)fuzz_take(&z->in, 1); n > 0; n--)
			fw_cfg_read(&z->cfg);
		break;
	case 2:
		z->ram[fuzz_take(&z->in, 2) % RAM_BYTES] = (uint8_t)fuzz_take(&z->in, 1);
		break;
	default:
		dma(z);
		break;
	}
}

static void check_file(struct fuzz *z)
{
	fw_cfg_select(&z->cfg, FW_CFG_FILE_FIRST);
	for (size_t i = 0; i < sizeof(file_data); i++)
		if (fw_cfg_read(&z->cfg) != (uint8_t)file_data[i])
			abort();
	if (fw_cfg_read(&z->cfg) != 0)
		abort(); /* past the end */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz z = {.in = {data, size}};
	const struct guest_memory mem = {ram_ptr, &z};

	z.ram = calloc(1, RAM_BYTES);
	z.file = malloc(sizeof(file_data));
	if (z.ram && z.file) {
		memcpy(z.file, file_data, sizeof(file_data));
		fw_cfg_init(&z.cfg, &mem);
		fw_cfg_add_number(&z.cfg, FW_CFG_NB_CPUS, 2, 2);
		fw_cfg_add_file(&z.cfg, "etc/fuzz", z.file, sizeof(file_data));
		while (z.in.size)
			step(&z);
		check_file(&z);
	}
	free(z.file);
	free(z.ram);
	return 0;
}
