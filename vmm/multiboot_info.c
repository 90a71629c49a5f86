/* SPDX-License-Identifier: MIT */
/* The Multiboot information: one structure, and behind it the strings that it points to. */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "vmm/layout.h"
#include "vmm/memmap.h"
#include "vmm/multiboot.h"

#define LOADER_NAME "vpup"

#define MBI_MEMORY           (1u << 0)
#define MBI_CMDLINE          (1u << 2)
#define MBI_MODS             (1u << 3)
#define MBI_MEM_MAP          (1u << 6)
#define MBI_BOOT_LOADER_NAME (1u << 9)

struct multiboot_info {
	uint32_t flags;
	uint32_t mem_lower_kib;
	uint32_t mem_upper_kib; /* from 1 MiB to the first hole */
	uint32_t boot_device;
	uint32_t cmdline;
	uint32_t mods_count;
	uint32_t mods_addr;
	uint32_t syms[4];
	uint32_t mmap_length;
	uint32_t mmap_addr;
	uint32_t drives_length;
	uint32_t drives_addr;
	uint32_t config_table;
	uint32_t boot_loader_name;
	uint32_t absent[12]; /* APM, VBE, frame buffer */
};

struct multiboot_module {
	uint32_t start;
	uint32_t end; /* exclusive */
	uint32_t string;
	uint32_t reserved;
};

struct multiboot_mmap_entry {
	uint32_t size_bytes; /* of what follows */
	uint64_t base;
	uint64_t length;
	uint32_t type;
} __attribute__((packed));

struct info_area {
	struct multiboot_info info;
	struct multiboot_module module[BOOT_MODULES_MAX];
	struct multiboot_mmap_entry mmap[MEMMAP_MAX];
};

_Static_assert(offsetof(struct multiboot_info, mmap_length) == 44, "ABI");
_Static_assert(offsetof(struct multiboot_info, boot_loader_name) == 64, "ABI");
_Static_assert(sizeof(struct multiboot_module) == 16, "ABI");
_Static_assert(sizeof(struct multiboot_mmap_entry) == 24, "ABI");
_Static_assert(LAYOUT_MBI + LAYOUT_MBI_SIZE <= LAYOUT_EBDA, "layout");

/* Strings in the making, behind the structure. */
struct strings {
	const struct mem *mem;
	uint64_t next, end;
	bool full; /* something did not fit, and nothing is added any more */
};

/* Appends text without its NUL. */
static void append(struct strings *s, const char *text)
{
	size_t len = strlen(text);

	if (s->full || len >= s->end - s->next) { /* a byte is left for the NUL */
		s->full = true;
		return;
	}
	mem_write(s->mem, gpa(s->next), text, len);
	s->next += len;
}

/* Ends the string that began at start, and returns start. */
static uint32_t finish(struct strings *s, uint64_t start)
{
	if (!s->full)
		mem_write(s->mem, gpa(s->next++), "", 1);
	return (uint32_t)start;
}

static uint32_t add_string(struct strings *s, const char *text)
{
	uint64_t start = s->next;

	append(s, text);
	return finish(s, start);
}

static uint32_t add_cmdline(struct strings *s, const struct boot_data *b)
{
	uint64_t start = s->next;

	append(s, b->kernel);
	if (b->cmdline[0]) {
		append(s, " ");
		append(s, b->cmdline);
	}
	return finish(s, start);
}

static void fill_memory(struct info_area *a, const struct mem *m, gpa_t acpi)
{
	struct memmap map;

	memmap_build(&map, m, acpi);
	a->info.mem_lower_kib = LAYOUT_EBDA / 1024;
	for (unsigned i = 0; i < map.count; i++) {
		const struct memmap_range *r = &map.range[i];

		a->mmap[i] = (struct multiboot_mmap_entry){
			.size_bytes = sizeof(a->mmap[i]) - sizeof(a->mmap[i].size_bytes),
			.base = r->start,
			.length = r->end - r->start,
			.type = r->type,
		};
		if (r->start == LAYOUT_KERNEL_MIN)
			a->info.mem_upper_kib = (uint32_t)((r->end - r->start) / 1024);
	}
	a->info.mmap_addr = LAYOUT_MBI + offsetof(struct info_area, mmap);
	a->info.mmap_length = map.count * sizeof(a->mmap[0]);
}

static void fill_modules(struct info_area *a, const struct boot_data *b, struct strings *s)
{
	a->info.mods_count = b->module_count;
	a->info.mods_addr = LAYOUT_MBI + offsetof(struct info_area, module);
	for (unsigned i = 0; i < b->module_count; i++) {
		const struct boot_module *mod = &b->module[i];

		a->module[i] = (struct multiboot_module){
			.start = (uint32_t)mod->base.v,
			.end = (uint32_t)(mod->base.v + mod->size_bytes),
			.string = add_string(s, mod->name),
		};
	}
}

int multiboot_write_info(const struct mem *m, const struct boot_data *b, struct err *e)
{
	struct strings s = {
		.mem = m,
		.next = LAYOUT_MBI + sizeof(struct info_area),
		.end = LAYOUT_MBI + LAYOUT_MBI_SIZE,
	};
	struct info_area a = {
		.info.flags =
			MBI_MEMORY | MBI_CMDLINE | MBI_MODS | MBI_MEM_MAP | MBI_BOOT_LOADER_NAME,
	};

	assert(m->size_bytes >= LAYOUT_RAM_MIN);
	assert(b->module_count <= BOOT_MODULES_MAX);

	fill_memory(&a, m, b->reserved);
	a.info.boot_loader_name = add_string(&s, LOADER_NAME);
	fill_modules(&a, b, &s);
	a.info.cmdline = add_cmdline(&s, b);
	if (s.full)
		return err_set(e, E2BIG,
			       "the guest's command line and the names of its files are too long: "
			       "there is room for %llu bytes",
			       LAYOUT_MBI_SIZE - sizeof(a));
	mem_write(m, gpa(LAYOUT_MBI), &a, sizeof(a));
	return 0;
}
