/* SPDX-License-Identifier: MIT */
/* The table loader's script, and the memory map. */
#include "vmm/firmware_tables.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "vmm/acpi_defs.h"

#define ALLOCATE     1
#define ADD_POINTER  2
#define ADD_CHECKSUM 3

#define ZONE_HIGH      1
#define ZONE_F_SEGMENT 2 /* below 1 MiB, where guests search for the RSDP */

#define TABLES_ALIGN 64
#define RSDP_ALIGN   16

static struct loader_command *next(struct loader_script *s, uint32_t command)
{
	struct loader_command *c = &s->command[s->count];

	assert(s->count < LOADER_COMMANDS_MAX);
	*c = (struct loader_command){.command = command};
	s->count++;
	return c;
}

static void allocate(struct loader_script *s, const char *file, uint32_t align, uint8_t zone)
{
	struct loader_command *c = next(s, ALLOCATE);

	strcpy(c->allocate.file, file);
	c->allocate.align = align;
	c->allocate.zone = zone;
}

/* To somewhere in the tables, from `offset` in a file. */
static void add_pointer(struct loader_script *s, const char *file, size_t offset,
			uint8_t size_bytes)
{
	struct loader_command *c = next(s, ADD_POINTER);

	strcpy(c->pointer.dest, file);
	strcpy(c->pointer.src, ACPI_TABLES_FILE);
	c->pointer.offset = (uint32_t)offset;
	c->pointer.size_bytes = size_bytes;
}

static void add_checksum(struct loader_script *s, const char *file, size_t start, size_t length,
			 size_t offset)
{
	struct loader_command *c = next(s, ADD_CHECKSUM);

	strcpy(c->checksum.file, file);
	c->checksum.offset = (uint32_t)offset;
	c->checksum.start = (uint32_t)start;
	c->checksum.length = (uint32_t)length;
}

static void fix_table(struct loader_script *s, const struct acpi_table_ref *t)
{
	const char *file = ACPI_TABLES_FILE;

	if (strcmp(t->signature, "XSDT") == 0) {
		for (size_t at = sizeof(struct acpi_header); at < t->size_bytes; at += 8)
			add_pointer(s, file, t->offset + at, 8);
	} else if (strcmp(t->signature, "FACP") == 0) {
		add_pointer(s, file, t->offset + offsetof(struct acpi_fadt, dsdt), 4);
		add_pointer(s, file, t->offset + offsetof(struct acpi_fadt, x_dsdt), 8);
	} else {
		return;
	}
	add_checksum(s, file, t->offset, t->size_bytes,
		     t->offset + offsetof(struct acpi_header, checksum));
}

void firmware_script(struct loader_script *s, const struct acpi_tables *t)
{
	const char *rsdp = ACPI_RSDP_FILE;

	s->count = 0;
	allocate(s, rsdp, RSDP_ALIGN, ZONE_F_SEGMENT);
	allocate(s, ACPI_TABLES_FILE, TABLES_ALIGN, ZONE_HIGH);
	for (unsigned i = 0; i < t->table_count; i++)
		fix_table(s, &t->table[i]);
	add_pointer(s, rsdp, offsetof(struct acpi_rsdp, xsdt), 8);
	add_checksum(s, rsdp, 0, offsetof(struct acpi_rsdp, length),
		     offsetof(struct acpi_rsdp, checksum));
	add_checksum(s, rsdp, 0, sizeof(struct acpi_rsdp),
		     offsetof(struct acpi_rsdp, extended_checksum));
}

void firmware_e820(struct e820_file *f, const struct mem *m)
{
	f->count = m->region_count;
	for (unsigned i = 0; i < m->region_count; i++) {
		f->entry[i].start = m->region[i].base.v;
		f->entry[i].size_bytes = m->region[i].size_bytes;
		f->entry[i].type = MEMMAP_RAM;
	}
}
