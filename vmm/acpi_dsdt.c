/* SPDX-License-Identifier: MIT */
/* The DSDT's contents: the legacy devices and one processor device per VP. */
#include "vmm/acpi_dsdt.h"

#include <string.h>

#include "devices/acpi_power.h"
#include "devices/virtio/mmio.h"
#include "vmm/layout.h"

#define VIRTIO_MAX_BYTES    72  /* opcode 2, length 1, name 4, _HID 15, _UID 7, _CCA 6, _CRS 34 */
#define PROCESSOR_MAX_BYTES 40  /* opcode 2, length 1, name 4, _HID 15, _UID 8 */
#define DEVICES_MAX_BYTES   320 /* scope, COM1, RTC, power; \_S5 */

#define IO_DECODE_16          0x47 /* ACPI 6.3, 6.4.2.5: small resource, 7 bytes follow */
#define EXTENDED_IRQ          0x89 /* 6.4.3.6 */
#define IRQ_CONSUMER_EDGE_HI  0x03
#define NOTIFY_BUTTON_PRESSED 0x80 /* 5.6.6, table 5-165 */
#define MEMORY32_FIXED        0x86 /* 6.4.3.4 */
#define END_TAG               0x79 /* 6.4.2.9; its checksum byte may be 0 */

struct res_io {
	uint8_t tag;
	uint8_t decode;
	uint16_t min;
	uint16_t max;
	uint8_t align;
	uint8_t length;
} __attribute__((packed));

struct res_irq {
	uint8_t tag;
	uint16_t length;
	uint8_t flags;
	uint8_t count;
	uint32_t gsi;
} __attribute__((packed));

/* Memory32Fixed (6.4.3.4). */
struct res_memory {
	uint8_t tag;
	uint16_t length;
	uint8_t is_writable;
	uint32_t base;
	uint32_t size_bytes;
} __attribute__((packed));

struct res_end {
	uint8_t tag;
	uint8_t checksum;
} __attribute__((packed));

_Static_assert(sizeof(struct res_io) == 8, "ACPI 6.3, 6.4.2.5");
_Static_assert(sizeof(struct res_irq) == 9, "ACPI 6.3, 6.4.3.6");
_Static_assert(sizeof(struct res_memory) == 12, "ACPI 6.3, 6.4.3.4");

static struct res_io res_ports(uint16_t base, uint8_t count)
{
	return (struct res_io){
		.tag = IO_DECODE_16,
		.decode = 1,
		.min = base,
		.max = base,
		.align = 1,
		.length = count,
	};
}

/*
 * In hardware-reduced mode a guest maps no ISA interrupt by itself, so the GSI must be told. KVM's
 * default routing leads GSI n to pin n.
 */
static struct res_irq res_edge(uint32_t gsi)
{
	return (struct res_irq){EXTENDED_IRQ, sizeof(struct res_irq) - 3, IRQ_CONSUMER_EDGE_HI, 1,
				gsi};
}

static void write_com1(struct acpi_buf *b)
{
	const struct {
		struct res_io ports;
		struct res_irq irq;
		struct res_end end;
	} __attribute__((packed)) crs = {
		.ports = res_ports(LAYOUT_PORT_COM1, 8),
		.irq = res_edge(LAYOUT_IRQ_COM1),
		.end = {END_TAG, 0},
	};
	size_t device = aml_open_device(b, "COM1");

	aml_hid_eisa(b, "PNP0501");
	aml_name_integer(b, "_UID", 1);
	aml_name_buffer(b, "_CRS", &crs, sizeof(crs));
	aml_close(b, device);
}

/* Without an interrupt, since the device raises none: guests then poll instead of waiting. */
static void write_rtc(struct acpi_buf *b)
{
	const struct {
		struct res_io ports;
		struct res_end end;
	} __attribute__((packed)) crs = {
		.ports = res_ports(LAYOUT_PORT_RTC, 2),
		.end = {END_TAG, 0},
	};
	size_t device = aml_open_device(b, "RTC_");

	aml_hid_eisa(b, "PNP0B00");
	aml_name_buffer(b, "_CRS", &crs, sizeof(crs));
	aml_close(b, device);
}

/* The button, and the event device whose interrupt says that it was pressed (ACPI 6.3, 5.6.9). */
static void write_power(struct acpi_buf *b)
{
	const struct {
		struct res_irq irq;
		struct res_end end;
	} __attribute__((packed)) crs = {
		.irq = res_edge(LAYOUT_IRQ_ACPI),
		.end = {END_TAG, 0},
	};
	size_t device = aml_open_device(b, "PWRB"), method;

	aml_hid_eisa(b, "PNP0C0C");
	aml_close(b, device);
	device = aml_open_device(b, "GED_");
	aml_name_string(b, "_HID", "ACPI0013");
	aml_name_integer(b, "_UID", 0);
	aml_name_buffer(b, "_CRS", &crs, sizeof(crs));
	aml_port_byte(b, "EREG", "EVTS", LAYOUT_PORT_ACPI + ACPI_POWER_EVENTS);
	method = aml_open_method(b, "_EVT", 1);
	aml_notify_if(b, "EVTS", ACPI_EVENT_BUTTON, "PWRB", NOTIFY_BUTTON_PRESSED);
	aml_close(b, method);
	aml_close(b, device);
}

/* By the identity that Linux and SeaBIOS know virtio-mmio by. DMA is coherent, as all is on x86. */
static void write_virtio(struct acpi_buf *b, unsigned slot)
{
	const struct {
		struct res_memory memory;
		struct res_irq irq;
		struct res_end end;
	} __attribute__((packed)) crs = {
		.memory = {MEMORY32_FIXED, sizeof(crs.memory) - 3, 1,
			   (uint32_t)LAYOUT_VIRTIO + slot * VIRTIO_MMIO_SIZE, VIRTIO_MMIO_SIZE},
		.irq = res_edge(LAYOUT_IRQ_VIRTIO + slot),
		.end = {END_TAG, 0},
	};
	const char name[4] = {'V', 'R', '0', (char)('0' + slot)};
	size_t device = aml_open_device(b, name);

	aml_name_string(b, "_HID", "LNRO0005");
	aml_name_integer(b, "_UID", slot);
	aml_name_integer(b, "_CCA", 1);
	aml_name_buffer(b, "_CRS", &crs, sizeof(crs));
	aml_close(b, device);
}

static void write_processor(struct acpi_buf *b, uint32_t vp)
{
	static const char digit[] = "0123456789ABCDEF";
	const char name[4] = {'C', digit[vp >> 8 & 0xf], digit[vp >> 4 & 0xf], digit[vp & 0xf]};
	size_t device = aml_open_device(b, name);

	aml_name_string(b, "_HID", "ACPI0007");
	aml_name_integer(b, "_UID", vp);
	aml_close(b, device);
}

_Static_assert(TOPOLOGY_VPS_MAX <= 0x1000, "processor devices are numbered by three digits");

size_t acpi_dsdt_bound(const struct topology *t, unsigned virtio_slots)
{
	return DEVICES_MAX_BYTES + (size_t)virtio_slots * VIRTIO_MAX_BYTES +
	       (size_t)t->vps * PROCESSOR_MAX_BYTES;
}

void acpi_dsdt_write(struct acpi_buf *b, const struct topology *t, unsigned virtio_slots)
{
	static const uint8_t off[] = {ACPI_SLEEP_TYPE_OFF, 0, 0, 0};
	size_t scope;

	aml_name_package(b, "_S5_", off, sizeof(off));
	scope = aml_open_scope(b, "_SB_");
	write_com1(b);
	write_rtc(b);
	write_power(b);
	for (unsigned slot = 0; slot < virtio_slots; slot++)
		write_virtio(b, slot);
	for (uint32_t vp = 0; vp < t->vps; vp++)
		write_processor(b, vp);
	aml_close(b, scope);
}
