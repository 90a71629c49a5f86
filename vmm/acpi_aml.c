/* SPDX-License-Identifier: MIT */
/* The bytes of ACPI tables, and the AML encodings that go into a DSDT (ACPI 6.3, chapter 20). */
#include "vmm/acpi_aml.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define METHOD_SERIALIZED 0x08
#define REGION_SYSTEM_IO  0x01
#define FIELD_BYTE_ACCESS 0x01 /* its other bits are preserved */

enum aml_op {
	AML_ZERO = 0x00,
	AML_ONE = 0x01,
	AML_NAME = 0x08,
	AML_BYTE_PREFIX = 0x0a,
	AML_WORD_PREFIX = 0x0b,
	AML_DWORD_PREFIX = 0x0c,
	AML_STRING_PREFIX = 0x0d,
	AML_QWORD_PREFIX = 0x0e,
	AML_SCOPE = 0x10,
	AML_BUFFER = 0x11,
	AML_PACKAGE = 0x12,
	AML_METHOD = 0x14,
	AML_EXT_PREFIX = 0x5b,
	AML_LOCAL0 = 0x60,
	AML_STORE = 0x70,
	AML_AND = 0x7b,
	AML_NOTIFY = 0x86,
	AML_IF = 0xa0,
	AML_EXT_REGION = 0x80,
	AML_EXT_FIELD = 0x81,
	AML_EXT_DEVICE = 0x82,
};

void *acpi_buf_grow(struct acpi_buf *b, size_t size_bytes)
{
	void *start = b->data + b->size_bytes;

	assert(size_bytes <= b->capacity_bytes - b->size_bytes);
	b->size_bytes += size_bytes;
	return start;
}

void acpi_buf_put(struct acpi_buf *b, const void *src, size_t size_bytes)
{
	memcpy(acpi_buf_grow(b, size_bytes), src, size_bytes);
}

static void put_byte(struct acpi_buf *b, uint8_t v)
{
	acpi_buf_put(b, &v, 1);
}

size_t aml_open(struct acpi_buf *b, const uint8_t *opcode, size_t size_bytes)
{
	acpi_buf_put(b, opcode, size_bytes);
	return b->size_bytes;
}

/*
 * The length counts itself. It is one byte up to 63; else the first byte holds in bits 7:6 how many
 * more follow and in bits 3:0 the low four bits.
 */
void aml_close(struct acpi_buf *b, size_t start)
{
	size_t contents = b->size_bytes - start, more = 0, length = contents + 1;
	uint8_t *p;

	if (length > 0x3f) {
		do {
			more++;
			length = contents + 1 + more;
		} while (length >> (4 + 8 * more));
		assert(more <= 3);
	}
	acpi_buf_grow(b, 1 + more);
	p = b->data + start;
	memmove(p + 1 + more, p, contents);
	if (!more) {
		p[0] = (uint8_t)length;
		return;
	}
	p[0] = (uint8_t)(more << 6 | (length & 0xf));
	for (size_t i = 0; i < more; i++)
		p[1 + i] = (uint8_t)(length >> (4 + 8 * i));
}

size_t aml_open_scope(struct acpi_buf *b, const char *name)
{
	size_t start = aml_open(b, (const uint8_t[]){AML_SCOPE}, 1);

	acpi_buf_put(b, name, 4);
	return start;
}

size_t aml_open_device(struct acpi_buf *b, const char *name)
{
	size_t start = aml_open(b, (const uint8_t[]){AML_EXT_PREFIX, AML_EXT_DEVICE}, 2);

	acpi_buf_put(b, name, 4);
	return start;
}

static void put_integer(struct acpi_buf *b, uint64_t value)
{
	if (value == 0) {
		put_byte(b, AML_ZERO);
	} else if (value == 1) {
		put_byte(b, AML_ONE);
	} else if (value <= UINT8_MAX) {
		put_byte(b, AML_BYTE_PREFIX);
		acpi_buf_put(b, &value, 1);
	} else if (value <= UINT16_MAX) {
		put_byte(b, AML_WORD_PREFIX);
		acpi_buf_put(b, &value, 2);
	} else if (value <= UINT32_MAX) {
		put_byte(b, AML_DWORD_PREFIX);
		acpi_buf_put(b, &value, 4);
	} else {
		put_byte(b, AML_QWORD_PREFIX);
		acpi_buf_put(b, &value, 8);
	}
}

static void put_name(struct acpi_buf *b, const char *name)
{
	put_byte(b, AML_NAME);
	acpi_buf_put(b, name, 4);
}

void aml_name_integer(struct acpi_buf *b, const char *name, uint64_t value)
{
	put_name(b, name);
	put_integer(b, value);
}

void aml_name_string(struct acpi_buf *b, const char *name, const char *value)
{
	put_name(b, name);
	put_byte(b, AML_STRING_PREFIX);
	acpi_buf_put(b, value, strlen(value) + 1);
}

void aml_name_buffer(struct acpi_buf *b, const char *name, const void *data, uint8_t size_bytes)
{
	size_t start;

	put_name(b, name);
	start = aml_open(b, (const uint8_t[]){AML_BUFFER}, 1);
	put_integer(b, size_bytes);
	acpi_buf_put(b, data, size_bytes);
	aml_close(b, start);
}

size_t aml_open_method(struct acpi_buf *b, const char *name, uint8_t args)
{
	size_t start = aml_open(b, (const uint8_t[]){AML_METHOD}, 1);

	acpi_buf_put(b, name, 4);
	put_byte(b, METHOD_SERIALIZED | args);
	return start;
}

void aml_port_byte(struct acpi_buf *b, const char *region, const char *field, uint16_t port)
{
	size_t start;

	acpi_buf_put(b, (const uint8_t[]){AML_EXT_PREFIX, AML_EXT_REGION}, 2);
	acpi_buf_put(b, region, 4);
	put_byte(b, REGION_SYSTEM_IO);
	put_integer(b, port);
	put_integer(b, 1);
	start = aml_open(b, (const uint8_t[]){AML_EXT_PREFIX, AML_EXT_FIELD}, 2);
	acpi_buf_put(b, region, 4);
	put_byte(b, FIELD_BYTE_ACCESS);
	acpi_buf_put(b, field, 4);
	put_byte(b, 8); /* bits, as a package length */
	aml_close(b, start);
}

void aml_name_package(struct acpi_buf *b, const char *name, const uint8_t *values, uint8_t count)
{
	size_t start;

	put_name(b, name);
	start = aml_open(b, (const uint8_t[]){AML_PACKAGE}, 1);
	put_byte(b, count);
	for (uint8_t i = 0; i < count; i++)
		put_integer(b, values[i]);
	aml_close(b, start);
}

void aml_notify_if(struct acpi_buf *b, const char *field, uint8_t mask, const char *device,
		   uint8_t value)
{
	size_t start;

	put_byte(b, AML_STORE);
	acpi_buf_put(b, field, 4);
	put_byte(b, AML_LOCAL0);
	start = aml_open(b, (const uint8_t[]){AML_IF}, 1);
	put_byte(b, AML_AND);
	put_byte(b, AML_LOCAL0);
	put_integer(b, mask);
	put_byte(b, AML_ZERO); /* no target */
	put_byte(b, AML_NOTIFY);
	acpi_buf_put(b, device, 4);
	put_integer(b, value);
	aml_close(b, start);
}

/* Letters take five bits each, digits four; the whole stands in memory with its high byte first. */
void aml_hid_eisa(struct acpi_buf *b, const char *id)
{
	uint32_t packed = 0;

	for (int i = 0; i < 3; i++)
		packed = packed << 5 | (uint32_t)(id[i] - 'A' + 1);
	packed = packed << 16 | (uint32_t)strtoul(id + 3, NULL, 16);
	packed = __builtin_bswap32(packed);
	put_name(b, "_HID");
	put_byte(b, AML_DWORD_PREFIX); /* also where fewer bytes would do: that is the type */
	acpi_buf_put(b, &packed, sizeof(packed));
}
