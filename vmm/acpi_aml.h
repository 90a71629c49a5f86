/* SPDX-License-Identifier: MIT */
/* The bytes of ACPI tables, and the AML encodings that go into a DSDT (ACPI 6.3, chapter 20). */
#ifndef VPUP_VMM_ACPI_AML_H
#define VPUP_VMM_ACPI_AML_H

#include <stddef.h>
#include <stdint.h>

/* Grows up to its capacity, which its owner knows to be enough. data must be zeroed memory. */
struct acpi_buf {
	uint8_t *data;
	size_t size_bytes;
	size_t capacity_bytes;
};

/* Appends zeroes and returns their start; not aligned. */
void *acpi_buf_grow(struct acpi_buf *b, size_t size_bytes);
void acpi_buf_put(struct acpi_buf *b, const void *src, size_t size_bytes);

/*
 * AML objects with a package length: write the opcode by aml_open(), then the contents, then let
 * aml_close() put the length in between. start is what aml_open() returned. Objects nest.
 */
size_t aml_open(struct acpi_buf *b, const uint8_t *opcode, size_t size_bytes);
void aml_close(struct acpi_buf *b, size_t start);

/* Scope and Device; name has four characters. */
size_t aml_open_scope(struct acpi_buf *b, const char *name);
size_t aml_open_device(struct acpi_buf *b, const char *name);

/* Method(name, args, Serialized): one at a time. */
size_t aml_open_method(struct acpi_buf *b, const char *name, uint8_t args);

/* OperationRegion(name, SystemIO, port, ports), and a Field of one byte at its start. */
void aml_port_byte(struct acpi_buf *b, const char *region, const char *field, uint16_t port);

/* Name(name, Package() {values}); count is below 16. */
void aml_name_package(struct acpi_buf *b, const char *name, const uint8_t *values, uint8_t count);

/* If (And(register field, mask)) { Notify(device, value) }. The field is read once, to Local0. */
void aml_notify_if(struct acpi_buf *b, const char *field, uint8_t mask, const char *device,
		   uint8_t value);

/* Name(name, value). */
void aml_name_integer(struct acpi_buf *b, const char *name, uint64_t value);
void aml_name_string(struct acpi_buf *b, const char *name, const char *value);
void aml_name_buffer(struct acpi_buf *b, const char *name, const void *data, uint8_t size_bytes);

/* Name(_HID, EISAID(id)); id is three capitals and four hexadecimal digits. */
void aml_hid_eisa(struct acpi_buf *b, const char *id);

#endif
