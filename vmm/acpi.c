/* SPDX-License-Identifier: MIT */
/* ACPI tables of the machine: RSDP, XSDT, FADT, MADT, SRAT, SLIT, DSDT (ACPI 6.3, chapter 5). */
#include "vmm/acpi.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "devices/acpi_power.h"
#include "vmm/acpi_aml.h"
#include "vmm/acpi_defs.h"
#include "vmm/acpi_dsdt.h"
#include "vmm/layout.h"
#include "vmm/numa.h"

#define TABLE_ALIGN 16

#define FADT_WBINVD          (1u << 0)
#define FADT_NO_POWER_BUTTON (1u << 4) /* no fixed-hardware one */
#define FADT_NO_SLEEP_BUTTON (1u << 5)
#define FADT_RESET_REG_SUP   (1u << 10)
#define FADT_FORCE_PHYSICAL  (1u << 19)
#define FADT_HW_REDUCED      (1u << 20)
#define FADT_LEGACY_DEVICES  (1u << 0) /* IAPC_BOOT_ARCH */
#define FADT_VGA_NOT_PRESENT (1u << 2)
#define FADT_C2_UNSUPPORTED  101  /* more than 100 us */
#define FADT_C3_UNSUPPORTED  1001 /* more than 1000 us */
#define I8042_PULSE_RESET    0xfe
#define GAS_IO               1
#define GAS_BYTE             1

#define MADT_PCAT_COMPAT (1u << 0)
#define ENTRY_ENABLED    (1u << 0) /* of MADT and SRAT entries */
#define LOCAL_DISTANCE   10
#define REMOTE_DISTANCE  20

/* First APIC ID that needs x2APIC entries: 255 means "all" to a local APIC. */
#define X2APIC_MIN_ID 255

struct build {
	struct acpi_tables *out;
	struct acpi_buf buf;
	const struct topology *t;
	const struct mem *m;
	unsigned virtio_slots;
	gpa_t base;
	size_t start; /* of the table being written */
};

static size_t align_up(size_t n)
{
	return (n + TABLE_ALIGN - 1) & ~(size_t)(TABLE_ALIGN - 1);
}

size_t acpi_size_bound(const struct topology *t, unsigned virtio_slots)
{
	size_t size = align_up(sizeof(struct acpi_header) + acpi_dsdt_bound(t, virtio_slots));

	size += align_up(sizeof(struct acpi_fadt));
	size += align_up(sizeof(struct acpi_madt) + t->vps * sizeof(struct acpi_madt_x2apic) +
			 sizeof(struct acpi_madt_ioapic) + sizeof(struct acpi_madt_lapic_nmi) +
			 sizeof(struct acpi_madt_x2apic_nmi));
	size += align_up(sizeof(struct acpi_header) + ACPI_TABLES_MAX * sizeof(uint64_t));
	if (t->nodes > 1) {
		size += align_up(sizeof(struct acpi_srat) +
				 t->vps * sizeof(struct acpi_srat_x2apic) +
				 numa_ranges_max(t->nodes) * sizeof(struct acpi_srat_memory));
		size += align_up(sizeof(struct acpi_slit) + (size_t)t->nodes * t->nodes);
	}
	return size;
}

/* The byte that makes the sum of all bytes 0. */
static uint8_t checksum(const void *data, size_t size_bytes)
{
	const uint8_t *p = data;
	uint8_t sum = 0;

	for (size_t i = 0; i < size_bytes; i++)
		sum += p[i];
	return (uint8_t)-sum;
}

/* Starts a table whose own structure, header included, has size_bytes; returns it, else zeroed. */
static void *table_open(struct build *b, const char *signature, uint8_t revision, size_t size_bytes)
{
	const struct acpi_header header = {
		.revision = revision,
		.oem_id = "VPUP  ",
		.oem_table_id = "VPUPVM  ",
		.oem_revision = 1,
		.creator_id = "VPUP",
		.creator_revision = 1,
	};
	struct acpi_header *h;

	acpi_buf_grow(&b->buf, align_up(b->buf.size_bytes) - b->buf.size_bytes);
	b->start = b->buf.size_bytes;
	h = acpi_buf_grow(&b->buf, size_bytes);
	*h = header;
	memcpy(h->signature, signature, sizeof(h->signature));
	return h;
}

/* Ends the table: length, checksum, and its place in the list. */
static void table_close(struct build *b)
{
	struct acpi_header *h = (struct acpi_header *)(b->buf.data + b->start);
	struct acpi_table_ref *ref = &b->out->table[b->out->table_count++];

	h->length = (uint32_t)(b->buf.size_bytes - b->start);
	h->checksum = checksum(h, h->length);
	memcpy(ref->signature, h->signature, sizeof(h->signature));
	ref->offset = b->start;
	ref->size_bytes = h->length;
}

static uint64_t table_gpa(const struct build *b, size_t offset)
{
	return gpa_add(b->base, offset).v;
}

/* Revision 2 makes integers 64 bits wide. */
static void write_dsdt(struct build *b)
{
	table_open(b, "DSDT", 2, sizeof(struct acpi_header));
	acpi_dsdt_write(&b->buf, b->t, b->virtio_slots);
	table_close(b);
}

static struct acpi_gas io_byte(uint16_t port)
{
	return (struct acpi_gas){
		.space = GAS_IO,
		.bit_width = 8,
		.access_size = GAS_BYTE,
		.address = port,
	};
}

/*
 * A hardware-reduced machine: no SCI, no PM timer, no PIT as a clock event. Off is the sleep type of
 * \_S5, and the power button is a device with an event (vmm/acpi_dsdt.c).
 * Physical destinations are what Linux takes on Hyper-V anyway: so it sends IPIs alike without it.
 */
static void write_fadt(struct build *b, size_t dsdt)
{
	struct acpi_fadt *f = table_open(b, "FACP", 6, sizeof(*f));

	f->x_dsdt = table_gpa(b, dsdt);
	if (f->x_dsdt <= UINT32_MAX)
		f->dsdt = (uint32_t)f->x_dsdt;
	f->minor_revision = 3;
	f->c2_latency_us = FADT_C2_UNSUPPORTED;
	f->c3_latency_us = FADT_C3_UNSUPPORTED;
	f->iapc_boot_arch = FADT_LEGACY_DEVICES | FADT_VGA_NOT_PRESENT;
	f->flags = FADT_WBINVD | FADT_NO_POWER_BUTTON | FADT_NO_SLEEP_BUTTON | FADT_RESET_REG_SUP |
		   FADT_FORCE_PHYSICAL | FADT_HW_REDUCED;
	f->reset_reg = io_byte(LAYOUT_PORT_I8042_CMD);
	f->reset_value = I8042_PULSE_RESET;
	f->sleep_control_reg = io_byte(LAYOUT_PORT_ACPI + ACPI_POWER_SLEEP_CONTROL);
	f->sleep_status_reg = io_byte(LAYOUT_PORT_ACPI + ACPI_POWER_SLEEP_STATUS);
	table_close(b);
}

static void put_madt_vp(struct build *b, uint32_t vp)
{
	uint32_t apic_id = b->t->vp[vp].apic_id;

	if (apic_id < X2APIC_MIN_ID) {
		/* IDs never fall behind VP numbers, so that vp fits the byte too. */
		const struct acpi_madt_lapic entry = {
			.type = 0,
			.length = sizeof(entry),
			.uid = (uint8_t)vp,
			.apic_id = (uint8_t)apic_id,
			.flags = ENTRY_ENABLED,
		};
		acpi_buf_put(&b->buf, &entry, sizeof(entry));
	} else {
		const struct acpi_madt_x2apic entry = {
			.type = 9,
			.length = sizeof(entry),
			.apic_id = apic_id,
			.flags = ENTRY_ENABLED,
			.uid = vp,
		};
		acpi_buf_put(&b->buf, &entry, sizeof(entry));
	}
}

/* NMI on LINT1 of every VP, as on a PC. */
static void put_madt_nmi(struct build *b)
{
	const struct acpi_madt_lapic_nmi nmi = {4, sizeof(nmi), 0xff, 0, 1};
	const struct acpi_madt_x2apic_nmi x2nmi = {
		.type = 0xa,
		.length = sizeof(x2nmi),
		.uid = UINT32_MAX,
		.lint = 1,
	};

	acpi_buf_put(&b->buf, &nmi, sizeof(nmi));
	if (b->t->max_apic_id >= X2APIC_MIN_ID)
		acpi_buf_put(&b->buf, &x2nmi, sizeof(x2nmi));
}

/*
 * VP 0 boots and so comes first, as Linux expects. There is no interrupt source override: KVM's
 * default routing (default_routing in its arch/x86/kvm/irq.c) leads GSI n to I/O APIC pin n, and
 * GSIs 0 to 15 to the PIC as well. The PIT's GSI 0 is no exception, other than in QEMU.
 */
static void write_madt(struct build *b)
{
	const struct acpi_madt_ioapic ioapic = {
		.type = 1,
		.length = sizeof(ioapic),
		.address = LAYOUT_IOAPIC,
	};
	struct acpi_madt *madt = table_open(b, "APIC", 5, sizeof(*madt));

	madt->lapic_address = LAYOUT_LAPIC;
	madt->flags = MADT_PCAT_COMPAT;
	for (uint32_t vp = 0; vp < b->t->vps; vp++)
		put_madt_vp(b, vp);
	acpi_buf_put(&b->buf, &ioapic, sizeof(ioapic));
	put_madt_nmi(b);
	table_close(b);
}

static void put_srat_vp(struct build *b, const struct vp_place *p)
{
	if (p->apic_id < X2APIC_MIN_ID) {
		/* Nor do nodes outrun IDs, so that node_high stays 0. */
		const struct acpi_srat_lapic entry = {
			.type = 0,
			.length = sizeof(entry),
			.node_low = (uint8_t)p->node,
			.apic_id = (uint8_t)p->apic_id,
			.flags = ENTRY_ENABLED,
		};
		acpi_buf_put(&b->buf, &entry, sizeof(entry));
	} else {
		const struct acpi_srat_x2apic entry = {
			.type = 2,
			.length = sizeof(entry),
			.node = p->node,
			.apic_id = p->apic_id,
			.flags = ENTRY_ENABLED,
		};
		acpi_buf_put(&b->buf, &entry, sizeof(entry));
	}
}

/* Revision 3: below it only eight bits of a node number count. */
static void write_srat(struct build *b)
{
	struct acpi_srat *srat = table_open(b, "SRAT", 3, sizeof(*srat));
	struct numa_range range;
	struct numa_iter it;

	srat->one = 1;
	for (uint32_t vp = 0; vp < b->t->vps; vp++)
		put_srat_vp(b, &b->t->vp[vp]);
	numa_iter_init(&it, b->m, b->t->nodes);
	while (numa_iter_next(&it, &range)) {
		const struct acpi_srat_memory entry = {
			.type = 1,
			.length = sizeof(entry),
			.node = range.node,
			.base = range.base.v,
			.size_bytes = range.size_bytes,
			.flags = ENTRY_ENABLED,
		};
		acpi_buf_put(&b->buf, &entry, sizeof(entry));
	}
	table_close(b);
}

static void write_slit(struct build *b)
{
	struct acpi_slit *slit = table_open(b, "SLIT", 1, sizeof(*slit));
	size_t n = b->t->nodes;
	uint8_t *distance = acpi_buf_grow(&b->buf, n * n);

	slit->localities = n;
	memset(distance, REMOTE_DISTANCE, n * n);
	for (size_t i = 0; i < n; i++)
		distance[i * n + i] = LOCAL_DISTANCE;
	table_close(b);
}

/* Points at every table but the DSDT, which is the FADT's. Returns the XSDT's offset. */
static size_t write_xsdt(struct build *b)
{
	unsigned others = b->out->table_count;

	table_open(b, "XSDT", 1, sizeof(struct acpi_header));
	for (unsigned i = 0; i < others; i++) {
		uint64_t entry = table_gpa(b, b->out->table[i].offset);

		if (memcmp(b->out->table[i].signature, "DSDT", 4) != 0)
			acpi_buf_put(&b->buf, &entry, sizeof(entry));
	}
	table_close(b);
	return b->start;
}

static void write_rsdp(struct build *b, size_t xsdt)
{
	struct acpi_rsdp r = {
		.signature = "RSD PTR ",
		.oem_id = "VPUP  ",
		.revision = 2,
		.length = sizeof(r),
		.xsdt = table_gpa(b, xsdt),
	};

	r.checksum = checksum(&r, 20);
	r.extended_checksum = checksum(&r, sizeof(r));
	memcpy(b->out->rsdp, &r, sizeof(r));
}

_Static_assert(sizeof(struct acpi_rsdp) == ACPI_RSDP_SIZE, "rsdp[] holds one");

int acpi_build(struct acpi_tables *out, const struct topology *t, const struct mem *m,
	       unsigned virtio_slots, gpa_t base, struct err *e)
{
	struct build b = {.out = out, .t = t, .m = m, .virtio_slots = virtio_slots, .base = base};

	assert(base.v % TABLE_ALIGN == 0);
	*out = (struct acpi_tables){0};
	b.buf.capacity_bytes = acpi_size_bound(t, virtio_slots);
	b.buf.data = calloc(1, b.buf.capacity_bytes);
	if (!b.buf.data)
		return err_set(e, ENOMEM, "no memory for the ACPI tables of %u VPs", t->vps);
	write_dsdt(&b);
	write_fadt(&b, b.start);
	write_madt(&b);
	if (t->nodes > 1) {
		write_srat(&b);
		write_slit(&b);
	}
	write_rsdp(&b, write_xsdt(&b));
	out->data = b.buf.data;
	out->size_bytes = b.buf.size_bytes;
	return 0;
}

void acpi_fini(struct acpi_tables *a)
{
	free(a->data);
	*a = (struct acpi_tables){0};
}
