/* SPDX-License-Identifier: MIT */
/* Unit tests of the ACPI tables, read back by the offsets of the specification. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/loops.h"
#include "tests/unit/suites.h"
#include "tests/unit/suites.h"
#include "tests/unit/vm_fixture.h"
#include "vmm/acpi.h"

#define MIB  0x100000ull
#define GIB  0x40000000ull
#define BASE 0xbff00000ull

static uint64_t le(const uint8_t *p, size_t size_bytes)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size_bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

static uint8_t sum(const uint8_t *p, size_t size_bytes)
{
	uint8_t s = 0;

	for (size_t i = 0; i < size_bytes; i++)
		s += p[i];
	return s;
}

/* One machine and its tables. */
#define SLOTS 2 /* virtio devices */

struct rig {
	struct topology t;
	struct mem m;
	struct acpi_tables a;
};

static void rig_init(struct rig *r, struct topology_config c, uint64_t ram_bytes)
{
	struct err e = {""};

	r->t = topology_of(c);
	r->m = ram_of(ram_bytes);
	ck_assert_msg(acpi_build(&r->a, &r->t, &r->m, SLOTS, gpa(BASE), &e) == 0, "%s", e.text);
}

static void rig_fini(struct rig *r)
{
	acpi_fini(&r->a);
	ck_assert_ptr_null(r->a.data);
	topology_fini(&r->t);
}

static const struct acpi_table_ref *find(const struct rig *r, const char *signature)
{
	for (unsigned i = 0; i < r->a.table_count; i++) {
		if (strcmp(r->a.table[i].signature, signature) == 0)
			return &r->a.table[i];
	}
	return NULL;
}

static const uint8_t *table(const struct rig *r, const char *signature, size_t *size_bytes)
{
	const struct acpi_table_ref *ref = find(r, signature);

	ck_assert_msg(ref != NULL, "no %s", signature);
	*size_bytes = ref->size_bytes;
	return r->a.data + ref->offset;
}

static const struct {
	struct topology_config shape;
	uint64_t ram_bytes;
} machines[] = {
	{{.vps = 1}, 64 * MIB},
	{{.vps = 16, .nodes = 2}, GIB},
	{{.vps = 255}, GIB},
	{{.vps = 256, .nodes = 4}, 4 * GIB},
	{{.vps = 300, .sockets = 3}, 4 * GIB}, /* IDs with holes, and VPs below 255 with more */
	{{.vps = 1024, .nodes = 8}, 6 * GIB},
	{{.vps = 4096, .nodes = 1024}, 4 * GIB},
	{{.vps = 4095, .sockets = 455, .cores = 3, .threads = 3, .nodes = 455}, 1024 * GIB},
};

#define MACHINES ((int)(sizeof(machines) / sizeof(machines[0])))

START_TEST(tables_are_well_formed)
{
	struct rig r;

	rig_init(&r, machines[_i].shape, machines[_i].ram_bytes);
	for (unsigned i = 0; i < r.a.table_count; i++) {
		const struct acpi_table_ref *ref = &r.a.table[i];
		const uint8_t *p = r.a.data + ref->offset;

		ck_assert_uint_eq(ref->offset % 16, 0);
		ck_assert_uint_le(ref->offset + ref->size_bytes, r.a.size_bytes);
		ck_assert_mem_eq(p, ref->signature, 4);
		ck_assert_uint_eq(le(p + 4, 4), ref->size_bytes);
		ck_assert_uint_eq(sum(p, ref->size_bytes), 0);
		ck_assert_mem_eq(p + 10, "VPUP  ", 6);
		ck_assert_ptr_eq(find(&r, ref->signature), ref);
	}
	ck_assert_uint_eq(r.a.table_count, r.t.nodes > 1 ? 6 : 4);
	ck_assert_uint_eq(find(&r, "SRAT") != NULL, r.t.nodes > 1);
	ck_assert_uint_eq(find(&r, "SLIT") != NULL, r.t.nodes > 1);
	rig_fini(&r);
}
END_TEST

START_TEST(pointers_lead_to_the_tables)
{
	const uint8_t *rsdp, *xsdt, *fadt;
	size_t size;
	struct rig r;

	rig_init(&r, machines[_i].shape, machines[_i].ram_bytes);
	rsdp = r.a.rsdp;
	ck_assert_mem_eq(rsdp, "RSD PTR ", 8);
	ck_assert_uint_eq(sum(rsdp, 20), 0);
	ck_assert_uint_eq(sum(rsdp, 36), 0);
	ck_assert_uint_eq(rsdp[15], 2);
	ck_assert_uint_eq(le(rsdp + 16, 4), 0);
	ck_assert_uint_eq(le(rsdp + 20, 4), 36);
	ck_assert_uint_eq(le(rsdp + 24, 8), BASE + find(&r, "XSDT")->offset);

	xsdt = table(&r, "XSDT", &size);
	ck_assert_uint_eq(size, 36 + 8 * (r.t.nodes > 1 ? 4 : 2));
	for (size_t i = 36; i < size; i += 8) {
		const uint8_t *p = r.a.data + (le(xsdt + i, 8) - BASE);
		char signature[5] = "";

		memcpy(signature, p, 4);
		ck_assert_str_ne(signature, "DSDT");
		ck_assert_ptr_eq(table(&r, signature, &(size_t){0}), p);
	}
	fadt = table(&r, "FACP", &size);
	ck_assert_uint_eq(le(fadt + 140, 8), BASE + find(&r, "DSDT")->offset);
	ck_assert_uint_eq(le(fadt + 40, 4), BASE + find(&r, "DSDT")->offset);
	rig_fini(&r);
}
END_TEST

START_TEST(dsdt_above_4_gib_has_no_short_pointer)
{
	struct topology t = topology_of((struct topology_config){.vps = 1});
	struct mem m = ram_of(8 * GIB);
	struct acpi_tables a;

	ck_assert_int_eq(acpi_build(&a, &t, &m, 0, gpa(5 * GIB), NULL), 0);
	ck_assert_uint_eq(le(a.data + a.table[1].offset + 40, 4), 0);
	ck_assert_uint_eq(le(a.data + a.table[1].offset + 140, 8), 5 * GIB);
	acpi_fini(&a);
	topology_fini(&t);
}
END_TEST

START_TEST(fadt_is_hardware_reduced)
{
	static const struct {
		size_t offset, size_bytes;
		uint64_t value;
	} fields[] = {
		{8, 1, 6},            /* revision */
		{131, 1, 3},          /* minor revision */
		{36, 4, 0},           /* no FACS */
		{46, 2, 0},           /* no SCI */
		{56, 4, 0},           /* no PM1a event block */
		{96, 2, 101},         /* no C2 */
		{98, 2, 1001},        /* no C3 */
		{109, 2, 0x5},        /* legacy devices, no VGA, no 8042 to be probed */
		{112, 4, 0x00180431}, /* WBINVD, no buttons, reset, physical, reduced */
		{116, 4, 0x01000801}, /* I/O port, 8 bits, byte access */
		{120, 8, 0x64},
		{128, 1, 0xfe},
		{244, 4, 0x01000801}, /* sleep control and status: likewise */
		{248, 8, 0x600},
		{256, 4, 0x01000801},
		{260, 8, 0x601},
	};
	const uint8_t *fadt;
	size_t size;
	struct rig r;

	rig_init(&r, (struct topology_config){.vps = 2}, GIB);
	fadt = table(&r, "FACP", &size);
	ck_assert_uint_eq(size, 276);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		ck_assert_msg(le(fadt + fields[i].offset, fields[i].size_bytes) == fields[i].value,
			      "offset %zu", fields[i].offset);
	rig_fini(&r);
}
END_TEST

/* Every VP once, in order, by the entry that its ID asks for. */
START_TEST(madt_lists_every_vp)
{
	unsigned vp = 0, ioapics = 0, nmis = 0;
	const uint8_t *madt;
	size_t size;
	struct rig r;

	rig_init(&r, machines[_i].shape, machines[_i].ram_bytes);
	madt = table(&r, "APIC", &size);
	ck_assert_uint_eq(le(madt + 36, 4), 0xfee00000);
	ck_assert_uint_eq(le(madt + 40, 4), 1);
	for (const uint8_t *p = madt + 44; p < madt + size; p += p[1]) {
		ck_assert_uint_ge(p[1], 6);
		switch (p[0]) {
		case 0:
			ck_assert_uint_eq(p[1], 8);
			ck_assert_uint_eq(p[2], vp);
			ck_assert_uint_lt(p[3], 255);
			ck_assert_uint_eq(p[3], r.t.vp[vp++].apic_id);
			ck_assert_uint_eq(le(p + 4, 4), 1);
			break;
		case 9:
			ck_assert_uint_eq(p[1], 16);
			ck_assert_uint_ge(le(p + 4, 4), 255);
			ck_assert_uint_eq(le(p + 12, 4), vp);
			ck_assert_uint_eq(le(p + 4, 4), r.t.vp[vp++].apic_id);
			ck_assert_uint_eq(le(p + 8, 4), 1);
			break;
		case 1:
			ck_assert_uint_eq(p[1], 12);
			ck_assert_uint_eq(le(p + 4, 4), 0xfec00000);
			ck_assert_uint_eq(le(p + 8, 4), 0);
			ioapics++;
			break;
		case 4:
			ck_assert_uint_eq(p[1], 6);
			ck_assert_uint_eq(p[2], 0xff);
			ck_assert_uint_eq(p[5], 1);
			nmis++;
			break;
		case 0xa:
			ck_assert_uint_eq(p[1], 12);
			ck_assert_uint_eq(le(p + 4, 4), 0xffffffff);
			ck_assert_uint_eq(p[8], 1);
			nmis++;
			break;
		default: /* no interrupt source override */
			ck_abort_msg("entry of type %u", p[0]);
		}
	}
	ck_assert_uint_eq(vp, r.t.vps);
	ck_assert_uint_eq(ioapics, 1);
	ck_assert_uint_eq(nmis, r.t.max_apic_id > 254 ? 2 : 1);
	rig_fini(&r);
}
END_TEST

START_TEST(srat_places_vps_and_memory)
{
	uint64_t ram = 0;
	const uint8_t *srat;
	unsigned vp = 0;
	size_t size;
	struct rig r;

	rig_init(&r, machines[_i].shape, machines[_i].ram_bytes);
	if (r.t.nodes == 1) {
		rig_fini(&r);
		return;
	}
	srat = table(&r, "SRAT", &size);
	ck_assert_uint_eq(srat[8], 3);
	ck_assert_uint_eq(le(srat + 36, 4), 1);
	for (const uint8_t *p = srat + 48; p < srat + size; p += p[1]) {
		if (p[0] == 0) {
			ck_assert_uint_eq(p[1], 16);
			ck_assert_uint_eq(p[2] | le(p + 9, 3) << 8, r.t.vp[vp].node);
			ck_assert_uint_eq(p[3], r.t.vp[vp++].apic_id);
			ck_assert_uint_eq(le(p + 4, 4), 1);
		} else if (p[0] == 2) {
			ck_assert_uint_eq(p[1], 24);
			ck_assert_uint_eq(le(p + 4, 4), r.t.vp[vp].node);
			ck_assert_uint_eq(le(p + 8, 4), r.t.vp[vp++].apic_id);
			ck_assert_uint_eq(le(p + 12, 4), 1);
		} else {
			uint64_t base = le(p + 8, 8), bytes = le(p + 16, 8);

			ck_assert_uint_eq(p[0], 1);
			ck_assert_uint_eq(p[1], 40);
			ck_assert_uint_lt(le(p + 2, 4), r.t.nodes);
			ck_assert_uint_eq(le(p + 28, 4), 1);
			ck_assert(base + bytes <= LAYOUT_LOW_RAM_MAX ||
				  base >= LAYOUT_HIGH_RAM_BASE);
			ram += bytes;
		}
	}
	ck_assert_uint_eq(vp, r.t.vps);
	ck_assert_uint_eq(ram, machines[_i].ram_bytes);
	rig_fini(&r);
}
END_TEST

START_TEST(slit_has_two_distances)
{
	const uint8_t *slit;
	size_t size;
	struct rig r;

	rig_init(&r, (struct topology_config){.vps = 12, .nodes = 3}, GIB);
	slit = table(&r, "SLIT", &size);
	ck_assert_uint_eq(size, 44 + 9);
	ck_assert_uint_eq(le(slit + 36, 8), 3);
	ck_assert_mem_eq(slit + 44, "\x0a\x14\x14\x14\x0a\x14\x14\x14\x0a", 9);
	rig_fini(&r);
}
END_TEST

/* Reads a package length and moves past it; *end is where the object ends. */
static const uint8_t *package(const uint8_t *p, const uint8_t **end)
{
	size_t more = p[0] >> 6, length = more ? (p[0] & 0xf) | le(p + 1, more) << 4 : p[0];

	*end = p + length;
	return p + 1 + more;
}

/* Its last bytes: Memory32Fixed, an edge-triggered interrupt, the end tag. */
static void check_virtio(const uint8_t *p, const uint8_t *end, unsigned slot)
{
	const uint8_t crs[] = {0x86, 9, 0, 1, 0, (uint8_t)(slot << 4), 0xb0, 0xfe, 0, 0x10, 0, 0,
			       0x89, 6, 0, 3, 1, (uint8_t)(16 + slot), 0,    0,    0, 0x79, 0};

	ck_assert_mem_eq(p + 4, "\x08_HID\x0dLNRO0005", 15);
	ck_assert_mem_eq(end - sizeof(crs), crs, sizeof(crs));
}

START_TEST(dsdt_has_a_device_per_vp)
{
	static const uint8_t com1[] = {0x5b, 0x82, 0x31, 'C',  'O',  'M',  '1',  0x08, '_',
				       'H',  'I',  'D',  0x0c, 0x41, 0xd0, 0x05, 0x01, 0x08,
				       '_',  'U',  'I',  'D',  0x01, 0x08, '_',  'C',  'R',
				       'S',  0x11, 0x16, 0x0a, 0x13, 0x47, 0x01, 0xf8, 0x03,
				       0xf8, 0x03, 0x01, 0x08, 0x89, 0x06, 0x00, 0x03, 0x01,
				       0x04, 0x00, 0x00, 0x00, 0x79, 0x00};
	static const uint8_t s5[] = {0x08, '_', 'S', '5', '_', 0x12, 0x07, 4, 0x0a, 5, 0, 0, 0};
	const uint8_t *dsdt, *p, *scope_end, *end;
	uint32_t vps = 0, virtio = 0, others = 0;
	size_t size;
	struct rig r;

	rig_init(&r, machines[_i].shape, machines[_i].ram_bytes);
	dsdt = table(&r, "DSDT", &size);
	ck_assert_uint_eq(dsdt[8], 2);
	ck_assert_mem_eq(dsdt + 36, s5, sizeof(s5));
	ck_assert_uint_eq(dsdt[36 + sizeof(s5)], 0x10);
	p = package(dsdt + 36 + sizeof(s5) + 1, &scope_end);
	ck_assert_ptr_eq(scope_end, dsdt + size);
	ck_assert_mem_eq(p, "_SB_", 4);
	ck_assert_mem_eq(p + 4, com1, sizeof(com1));
	for (p += 4; p < scope_end; p = end) {
		char name[8], want[8];

		ck_assert_mem_eq(p, "\x5b\x82", 2);
		p = package(p + 2, &end);
		snprintf(name, sizeof(name), "%.4s", (const char *)p);
		if (strcmp(name, "COM1") == 0 || strcmp(name, "RTC_") == 0 ||
		    strcmp(name, "PWRB") == 0 || strcmp(name, "GED_") == 0) {
			others++;
			continue;
		}
		if (strcmp(name, virtio ? "VR01" : "VR00") == 0) {
			check_virtio(p, end, virtio++);
			continue;
		}
		snprintf(want, sizeof(want), "C%03X", vps);
		ck_assert_str_eq(name, want);
		ck_assert_mem_eq(p + 4,
				 "\x08_HID\x0d"
				 "ACPI0007\0\x08_UID",
				 20);
		if (vps < 2)
			ck_assert_uint_eq(p[24], vps);
		else
			ck_assert_uint_eq(le(p + 25, vps < 256 ? 1 : 2), vps);
		vps++;
	}
	ck_assert_uint_eq(vps, r.t.vps);
	ck_assert_uint_eq(virtio, SLOTS);
	ck_assert_uint_eq(others, 4);
	rig_fini(&r);
}
END_TEST

/* The bound is never passed, and not so loose that a small guest would pay for it. */
START_TEST(size_bound_holds_and_is_tight)
{
	static const uint32_t vps[] = {1, 2, 15, 16, 17, 254, 255, 256, 257, 1024, 4095, 4096};

	for (size_t i = 0; i < sizeof(vps) / sizeof(vps[0]); i++) {
		for (uint32_t nodes = 1; nodes <= loops(1024) && nodes <= vps[i]; nodes++) {
			size_t bound;
			struct rig r;

			if (vps[i] % nodes)
				continue;
			rig_init(&r, (struct topology_config){.vps = vps[i], .nodes = nodes},
				 4 * GIB);
			bound = acpi_size_bound(&r.t, SLOTS);
			ck_assert_uint_le(r.a.size_bytes, bound);
			ck_assert_uint_le(bound, r.a.size_bytes * 2 + 256);
			rig_fini(&r);
		}
	}
}
END_TEST

static void read_back(const char *dir, const char *name, const void *want, size_t size_bytes)
{
	uint8_t *data = malloc(size_bytes + 1);
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "rb");
	ck_assert_msg(f && data, "%s: %s", path, strerror(errno));
	ck_assert_uint_eq(fread(data, 1, size_bytes + 1, f), size_bytes);
	ck_assert_mem_eq(data, want, size_bytes);
	fclose(f);
	free(data);
	ck_assert_int_eq(unlink(path), 0);
}

START_TEST(dumps_under_acpidumps_names)
{
	static const struct {
		const char *signature, *name;
	} files[] = {
		{"FACP", "facp.dat"}, {"APIC", "apic.dat"}, {"SRAT", "srat.dat"},
		{"SLIT", "slit.dat"}, {"DSDT", "dsdt.dat"}, {"XSDT", "xsdt.dat"},
	};
	char top[] = "/tmp/vpup-acpi-XXXXXX", dir[64];
	struct rig r;

	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(dir, sizeof(dir), "%s/new", top);
	rig_init(&r, (struct topology_config){.vps = 4, .nodes = 2}, GIB);
	for (int round = 0; round < 2; round++) { /* into a new directory, then into an old one */
		ck_assert_int_eq(acpi_dump(&r.a, dir, NULL), 0);
		for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
			size_t size;
			const uint8_t *p = table(&r, files[i].signature, &size);

			read_back(dir, files[i].name, p, size);
		}
		read_back(dir, "rsdp.dat", r.a.rsdp, sizeof(r.a.rsdp));
	}
	ck_assert_int_eq(rmdir(dir), 0); /* nothing else was left in it */
	ck_assert_int_eq(rmdir(top), 0);
	rig_fini(&r);
}
END_TEST

START_TEST(dump_says_what_is_wrong)
{
	struct err e = {""};
	char *longer = malloc(5000);
	struct rig r;

	rig_init(&r, (struct topology_config){.vps = 1}, GIB);
	ck_assert_int_eq(acpi_dump(&r.a, "/dev/null/x", &e), -ENOTDIR);
	ck_assert_str_eq(e.text, "can't make the directory /dev/null/x: Not a directory");
	ck_assert_int_eq(acpi_dump(&r.a, "/nowhere/x", &e), -ENOENT);
	ck_assert_int_eq(acpi_dump(&r.a, "/dev/null", &e), -ENOTDIR);
	ck_assert_ptr_nonnull(strstr(e.text, "/dev/null"));
	ck_assert_ptr_nonnull(longer);
	memset(longer, 'x', 4999);
	longer[4999] = '\0';
	ck_assert_int_eq(acpi_dump(&r.a, longer, &e), -ENAMETOOLONG);
	free(longer);
	rig_fini(&r);
}
END_TEST

Suite *acpi_suite(void)
{
	Suite *s = suite_create("acpi");
	TCase *t = tcase_create("tables");
	TCase *dump = tcase_create("dump");

	tcase_add_loop_test(t, tables_are_well_formed, 0, MACHINES);
	tcase_add_loop_test(t, pointers_lead_to_the_tables, 0, MACHINES);
	tcase_add_test(t, dsdt_above_4_gib_has_no_short_pointer);
	tcase_add_test(t, fadt_is_hardware_reduced);
	tcase_add_loop_test(t, madt_lists_every_vp, 0, MACHINES);
	tcase_add_loop_test(t, srat_places_vps_and_memory, 0, MACHINES);
	tcase_add_test(t, slit_has_two_distances);
	tcase_add_test(t, size_bound_holds_and_is_tight);
	tcase_add_loop_test(t, dsdt_has_a_device_per_vp, 0, MACHINES);
	suite_add_tcase(s, t);
	tcase_add_test(dump, dumps_under_acpidumps_names);
	tcase_add_test(dump, dump_says_what_is_wrong);
	suite_add_tcase(s, dump);
	return s;
}
