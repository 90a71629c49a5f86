/* SPDX-License-Identifier: MIT */
/* What a bzImage finds at its 64-bit entry point: boot_params, setup_data, page tables, GDT. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "vmm/bzimage.h"
#include "vmm/bzimage_header.h"
#include "vmm/layout.h"
#include "vmm/memmap.h"

#define LOADER_UNDEFINED \
	0xff /* type_of_loader of those without a number; 0 would hide the initrd */
#define SETUP_DTB         2
#define SETUP_RNG_SEED    9
#define SEED_BYTES        32
#define E820_ENTRIES_MAX  128
#define PAGE_BYTES        4096ull
#define PAGE_PRESENT_RW   0x3ull
#define PAGE_LARGE        0x80ull
#define LARGE_PAGE_BYTES  0x200000ull
#define ENTRIES           512u
#define MAPPED_GIB        4u
#define DESCRIPTOR_CODE64 0x00af9b000000ffffull /* flat, L */
#define DESCRIPTOR_DATA   0x00cf93000000ffffull

struct e820_entry {
	uint64_t start;
	uint64_t size_bytes;
	uint32_t type;
} __attribute__((packed));

/* boot_params but for what stays 0. */
struct boot_params {
	uint8_t zero0[0x70];
	uint64_t acpi_rsdp_addr;
	uint8_t zero1[0x1e8 - 0x78];
	uint8_t e820_entries;
	uint8_t zero2[SETUP_HEADER_OFFSET - 0x1e9];
	struct setup_header hdr;
	uint8_t hdr_future[0x2d0 - SETUP_HEADER_OFFSET - sizeof(struct setup_header)];
	struct e820_entry e820_table[E820_ENTRIES_MAX];
	uint8_t zero3[PAGE_BYTES - 0x2d0 - E820_ENTRIES_MAX * sizeof(struct e820_entry)];
} __attribute__((packed));

struct setup_data {
	uint64_t next; /* 0: the last one */
	uint32_t type;
	uint32_t size_bytes; /* of what follows */
};

struct seed_node {
	struct setup_data head;
	uint8_t seed[SEED_BYTES];
};

_Static_assert(offsetof(struct boot_params, hdr) == SETUP_HEADER_OFFSET, "ABI");
_Static_assert(offsetof(struct boot_params, e820_table) == 0x2d0, "ABI");
_Static_assert(sizeof(struct boot_params) == PAGE_BYTES, "ABI");
_Static_assert(sizeof(struct setup_data) == BOOT_DTB_HEAD, "ABI");
_Static_assert(MEMMAP_MAX <= E820_ENTRIES_MAX, "all ranges fit");
_Static_assert(LAYOUT_LONG_MODE_SIZE >= (3 + MAPPED_GIB) * PAGE_BYTES, "layout");

/* 4 GiB, each address mapped to itself; and the GDT in the page behind the tables. */
static void write_long_mode(const struct mem *m)
{
	const uint64_t gdt[] = {0, 0, DESCRIPTOR_CODE64, DESCRIPTOR_DATA};
	uint64_t directories = LAYOUT_LONG_MODE + 2 * PAGE_BYTES;
	uint64_t entry = (LAYOUT_LONG_MODE + PAGE_BYTES) | PAGE_PRESENT_RW;
	uint64_t page[ENTRIES] = {0};

	mem_write(m, gpa(LAYOUT_LONG_MODE), &entry, sizeof(entry));
	for (unsigned i = 0; i < MAPPED_GIB; i++)
		page[i] = (directories + i * PAGE_BYTES) | PAGE_PRESENT_RW;
	mem_write(m, gpa(LAYOUT_LONG_MODE + PAGE_BYTES), page, sizeof(page));
	for (unsigned i = 0; i < MAPPED_GIB; i++) {
		for (unsigned k = 0; k < ENTRIES; k++)
			page[k] =
				(i * ENTRIES + k) * LARGE_PAGE_BYTES | PAGE_PRESENT_RW | PAGE_LARGE;
		mem_write(m, gpa(directories + i * PAGE_BYTES), page, sizeof(page));
	}
	mem_write(m, gpa(LAYOUT_BOOT_GDT), gdt, sizeof(gdt));
}

static void fill_e820(struct boot_params *p, const struct mem *m, const struct boot_data *b)
{
	struct memmap map;

	memmap_build(&map, m, b->reserved);
	p->e820_entries = (uint8_t)map.count;
	for (unsigned i = 0; i < map.count; i++) {
		const struct memmap_range *r = &map.range[i];

		p->e820_table[i] = (struct e820_entry){r->start, r->end - r->start, r->type};
	}
}

/* Puts a node in front of the list. */
static void push_node(struct boot_params *p, const struct mem *m, gpa_t where,
		      struct setup_data *node, size_t size_bytes)
{
	node->next = p->hdr.setup_data;
	mem_write(m, where, node, size_bytes);
	p->hdr.setup_data = where.v;
}

static void use_modules(struct boot_params *p, const struct mem *m, const struct boot_data *b)
{
	for (unsigned i = 0; i < b->module_count; i++) {
		const struct boot_module *module = &b->module[i];
		struct setup_data dtb = {.type = SETUP_DTB,
					 .size_bytes = (uint32_t)module->size_bytes};

		if (module->kind == BOOT_DTB) {
			push_node(p, m, gpa(module->base.v - BOOT_DTB_HEAD), &dtb, sizeof(dtb));
			continue;
		}
		/* Both are below 4 GiB: the ext_ fields stay 0. */
		p->hdr.ramdisk_image = (uint32_t)module->base.v;
		p->hdr.ramdisk_size = (uint32_t)module->size_bytes;
	}
}

static int use_seed(struct boot_params *p, const struct mem *m, struct err *e)
{
	struct seed_node node = {.head = {.type = SETUP_RNG_SEED, .size_bytes = SEED_BYTES}};

	if (getrandom(node.seed, sizeof(node.seed), GRND_NONBLOCK) != sizeof(node.seed))
		return err_set(e, EIO, "the host has no random numbers for the guest yet");
	push_node(p, m, gpa(LAYOUT_SETUP_DATA), &node.head, sizeof(node));
	return 0;
}

int bzimage_write_info(const struct mem *m, const struct boot_data *b, struct err *e)
{
	size_t cmdline_bytes = strlen(b->cmdline), max;
	struct boot_params p = {0};
	int ret;

	assert(m->size_bytes >= LAYOUT_RAM_MIN);
	mem_read(m, gpa(LAYOUT_BOOT_PARAMS), &p, sizeof(p));
	max = p.hdr.cmdline_size < LAYOUT_CMDLINE_SIZE ? p.hdr.cmdline_size
						       : LAYOUT_CMDLINE_SIZE - 1;
	if (cmdline_bytes > max)
		return err_set(e, E2BIG,
			       "the guest's command line has %zu bytes; this kernel takes %zu",
			       cmdline_bytes, max);
	p.acpi_rsdp_addr = b->rsdp.v;
	p.hdr.type_of_loader = LOADER_UNDEFINED;
	p.hdr.cmd_line_ptr = LAYOUT_CMDLINE;
	p.hdr.setup_data = 0;
	fill_e820(&p, m, b);
	use_modules(&p, m, b);
	ret = use_seed(&p, m, e);
	if (ret)
		return ret;
	mem_write(m, gpa(LAYOUT_BOOT_PARAMS), &p, sizeof(p));
	mem_write(m, gpa(LAYOUT_CMDLINE), b->cmdline, cmdline_bytes + 1);
	write_long_mode(m);
	return 0;
}
