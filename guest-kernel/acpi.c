/* SPDX-License-Identifier: MIT */
/* VPs from the MADT and their nodes from the SRAT (ACPI 6.3, 5.2.12 and 5.2.16). */
#include "guest-kernel/acpi.h"

#include "guest-kernel/console.h"
#include "guest-kernel/string.h"

#define RSDP_SIGNATURE  0x2052545020445352ull /* "RSD PTR " */
#define RSDP_SCAN_START 0xe0000
#define RSDP_SCAN_END   0x100000
#define RSDP_SCAN_STEP  16
#define RSDP_V1_SIZE    20
#define RSDP_V2_SIZE    36
#define RSDP_REVISION   15
#define RSDP_RSDT       16
#define RSDP_XSDT       24

#define SIGNATURE_MADT 0x43495041u /* "APIC" */
#define SIGNATURE_SRAT 0x54415253u /* "SRAT" */

#define TABLE_LENGTH      4
#define TABLE_REVISION    8
#define TABLE_HEADER_SIZE 36
#define TABLE_SIZE_MAX    0x400000u /* an SRAT of 65536 x2APIC entries takes 1.5 MiB */
#define TABLE_ADDR_LIMIT  0x100000000ull

#define MADT_FIRST_ENTRY   44
#define MADT_LAPIC         0
#define MADT_LAPIC_SIZE    8
#define MADT_X2APIC        9
#define MADT_X2APIC_SIZE   16
#define MADT_ENABLED       1u
#define LAPIC_ID_BROADCAST 0xff

#define SRAT_FIRST_ENTRY 48
#define SRAT_LAPIC       0
#define SRAT_LAPIC_SIZE  16
#define SRAT_X2APIC      2
#define SRAT_X2APIC_SIZE 24
#define SRAT_ENABLED     1u

/* Goes over a table whose entries begin with a byte of type and one of length. */
struct entry_walk {
	const uint8_t *next;
	const uint8_t *end;
};

/*
 * The sum of all bytes modulo 256 is 0. Eight bytes at a time: `even` sums bytes 0, 2, 4 and 6 of
 * each word in lanes of 16 bits, and `all - even` those between them, 256 times too large. 256
 * words fill no lane.
 */
static bool checksum_ok(const uint8_t *p, uint32_t size)
{
	const uint64_t even_mask = 0x00ff00ff00ff00ffull;
	uint64_t even, all, word, odd;
	uint32_t words, i;
	uint8_t sum = 0;

	while (size >= 8) {
		words = size / 8 < 256 ? size / 8 : 256;
		even = 0;
		all = 0;
		for (i = 0; i < words; i++) {
			word = load_u64(p + i * 8);
			all += word;
			even += word & even_mask;
		}
		odd = (all - even) >> 8;
		sum += (uint8_t)(even + (even >> 16) + (even >> 32) + (even >> 48));
		sum += (uint8_t)(odd + (odd >> 16) + (odd >> 32) + (odd >> 48));
		p += words * 8;
		size -= words * 8;
	}
	while (size-- > 0)
		sum += *p++;
	return sum == 0;
}

/* The table at addr and its size, or NULL if its length can't be right. */
static const uint8_t *table_at(uint64_t addr, uint32_t *size)
{
	const uint8_t *t = (const uint8_t *)addr;

	if (addr == 0 || addr > TABLE_ADDR_LIMIT - TABLE_HEADER_SIZE)
		return NULL;
	*size = load_u32(t + TABLE_LENGTH);
	if (*size < TABLE_HEADER_SIZE || *size > TABLE_SIZE_MAX || *size > TABLE_ADDR_LIMIT - addr)
		return NULL;
	return t;
}

static bool rsdp_ok(const uint8_t *p)
{
	return load_u64(p) == RSDP_SIGNATURE && checksum_ok(p, RSDP_V1_SIZE);
}

static const uint8_t *find_rsdp(uint64_t rsdp)
{
	const uint8_t *p;

	if (rsdp != 0 && rsdp <= TABLE_ADDR_LIMIT - RSDP_V2_SIZE && rsdp_ok((const uint8_t *)rsdp))
		return (const uint8_t *)rsdp;
	for (p = (const uint8_t *)RSDP_SCAN_START; p < (const uint8_t *)RSDP_SCAN_END;
	     p += RSDP_SCAN_STEP) {
		if (rsdp_ok(p))
			return p;
	}
	return NULL;
}

/* If the table at addr is one that we want, and whole, takes it. */
static void take_table(struct acpi_tables *out, uint64_t addr)
{
	uint32_t size;
	const uint8_t *t = table_at(addr, &size);
	uint32_t signature;

	if (!t)
		return;
	signature = load_u32(t);
	if (signature != SIGNATURE_MADT && signature != SIGNATURE_SRAT)
		return;
	/* The SRAT has the longer fixed part, and a MADT of that length has no entries. */
	if (!checksum_ok(t, size) || size < SRAT_FIRST_ENTRY) {
		console_info("ACPI: checksum or length of %s is wrong, ignored",
			     signature == SIGNATURE_MADT ? "APIC" : "SRAT");
		return;
	}
	if (signature == SIGNATURE_MADT) {
		out->madt = t;
		out->madt_size = size;
	} else {
		out->srat = t;
		out->srat_size = size;
	}
}

bool acpi_find(struct acpi_tables *out, uint64_t rsdp)
{
	const uint8_t *p = find_rsdp(rsdp), *root = NULL;
	uint32_t size, off, pointer_size = 8;

	*out = (struct acpi_tables){.madt = NULL};
	if (!p)
		return false;
	if (p[RSDP_REVISION] >= 2 && checksum_ok(p, RSDP_V2_SIZE))
		root = table_at(load_u64(p + RSDP_XSDT), &size);
	if (!root) {
		pointer_size = 4;
		root = table_at(load_u32(p + RSDP_RSDT), &size);
	}
	if (!root || !checksum_ok(root, size))
		return false;
	for (off = TABLE_HEADER_SIZE; off + pointer_size <= size; off += pointer_size)
		take_table(out, pointer_size == 8 ? load_u64(root + off) : load_u32(root + off));
	return out->madt != NULL;
}

/*
 * The next entry, or NULL at the end. Its length is checked; each type's own minimum is for the
 * caller to check.
 */
static inline const uint8_t *next_entry(struct entry_walk *w)
{
	const uint8_t *e = w->next;
	size_t left = (size_t)(w->end - e);

	if (left < 2)
		return NULL;
	if (e[1] < 2 || e[1] > left) {
		console_info("ACPI: malformed entry in a table, rest ignored");
		return NULL;
	}
	w->next = e + e[1];
	return e;
}

static void read_madt(const struct acpi_tables *t, struct vp_table *vps)
{
	struct entry_walk w = {.next = t->madt + MADT_FIRST_ENTRY, .end = t->madt + t->madt_size};
	const uint8_t *e;

	while ((e = next_entry(&w))) {
		if (e[0] == MADT_LAPIC && e[1] >= MADT_LAPIC_SIZE) {
			if (load_u32(e + 4) & MADT_ENABLED && e[3] != LAPIC_ID_BROADCAST)
				vp_table_add(vps, e[3]);
		} else if (e[0] == MADT_X2APIC && e[1] >= MADT_X2APIC_SIZE) {
			if (load_u32(e + 8) & MADT_ENABLED)
				vp_table_add(vps, load_u32(e + 4));
		}
	}
}

static void read_srat(const struct acpi_tables *t, struct vp_table *vps)
{
	struct entry_walk w = {.next = t->srat + SRAT_FIRST_ENTRY, .end = t->srat + t->srat_size};
	/* In revision 1 the upper bytes of a local APIC's proximity domain are reserved. */
	const uint32_t upper_mask = t->srat[TABLE_REVISION] < 2 ? 0 : 0xffffff00u;
	const uint8_t *e;

	while ((e = next_entry(&w))) {
		if (e[0] == SRAT_LAPIC && e[1] >= SRAT_LAPIC_SIZE) {
			if (load_u32(e + 4) & SRAT_ENABLED)
				vp_table_set_proximity(vps, e[3],
						       e[2] | (load_u32(e + 8) & upper_mask));
		} else if (e[0] == SRAT_X2APIC && e[1] >= SRAT_X2APIC_SIZE) {
			if (load_u32(e + 12) & SRAT_ENABLED)
				vp_table_set_proximity(vps, load_u32(e + 8), load_u32(e + 4));
		}
	}
}

void acpi_read_vps(const struct acpi_tables *t, struct vp_table *vps)
{
	read_madt(t, vps);
	if (t->srat)
		read_srat(t, vps);
}
