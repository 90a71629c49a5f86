/* SPDX-License-Identifier: MIT */
/* What a file is that was taken for a kernel: by its magic numbers, for messages. */
#include "vmm/file_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmm/unpack.h"

#define HEAD_BYTES 4096 /* of what is in a compressed file */

struct magic {
	uint16_t off;
	uint8_t len;
	const char *bytes;
	const char *article;
	const char *name;
};

/* The order matters: a Linux Image that EFI can start begins with "MZ" as well. */
static const struct magic plain[] = {
	{0x202, 4, "HdrS", "a", "Linux bzImage"},
	{0x38, 4, "ARM\x64", "a", "Linux Image for arm64"},
	{0x38, 4, "RSC\x05", "a", "Linux Image for RISC-V"},
	{0x24, 4, "\x18\x28\x6f\x01", "a", "Linux zImage for Arm"},
	{0, 4, "\x7f\x45LF", "an", "ELF file"},
	{0, 2, "MZ", "a", "PE executable"},
	{0, 6, "070701", "an", "initrd"},
	{0, 6, "070702", "an", "initrd"},
	{0, 14, "!<arch>\ndebian", "a", "Debian package"},
	{0, 7, "!<arch>", "an", "ar archive"},
	{0, 4, "\xed\xab\xee\xdb", "an", "RPM package"},
	{0x101, 5, "ustar", "a", "tar archive"},
	{0, 4, "PK\x03\x04", "a", "zip archive"},
	{0, 4, "hsqs", "a", "squashfs image"},
	{0, 4, "QFI\xfb", "a", "qcow2 disk image"},
	{0, 4, "\x27\x05\x19\x56", "a", "U-Boot image"},
	{0, 4, "\xd0\x0d\xfe\xed", "a", "device tree"},
	{0, 2, "#!", "a", "script"},
	{0x1fe, 2, "\x55\xaa", "a", "disk image or boot sector"},
};

static const struct magic packed[] = {
	{0, 2, "\x1f\x8b", "a", "gzip'd"},         {0, 6, "\xfd\x37zXZ\0", "an", "xz'd"},
	{0, 4, "\x28\xb5\x2f\xfd", "a", "zstd'd"}, {0, 3, "BZh", "a", "bzip2'd"},
	{0, 4, "\x02\x21\x4c\x18", "an", "lz4'd"}, {0, 4, "\x04\x22\x4d\x18", "an", "lz4'd"},
	{0, 3, "\x5d\0\0", "an", "lzma'd"},
};

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static const struct magic *find(const struct magic *row, size_t rows, const uint8_t *file,
				size_t size_bytes)
{
	for (; rows--; row++) {
		if (size_bytes >= (size_t)row->off + row->len &&
		    memcmp(file + row->off, row->bytes, row->len) == 0)
			return row;
	}
	return NULL;
}

/* What is in a compressed file; "file" where that can't be told. */
static const char *find_inside(const uint8_t *file, size_t size_bytes)
{
	const struct magic *inside;
	uint8_t *head;
	size_t head_bytes;

	if (unpack(file, size_bytes, HEAD_BYTES, &head, &head_bytes, NULL))
		return "file";
	inside = find(plain, ROWS(plain), head, head_bytes);
	free(head);
	return inside ? inside->name : "file";
}

void file_kind(char out[FILE_KIND_MAX], const uint8_t *file, size_t size_bytes)
{
	const struct magic *m = find(packed, ROWS(packed), file, size_bytes);

	if (m) {
		snprintf(out, FILE_KIND_MAX, "%s %s %s", m->article, m->name,
			 find_inside(file, size_bytes));
		return;
	}
	m = find(plain, ROWS(plain), file, size_bytes);
	if (m)
		snprintf(out, FILE_KIND_MAX, "%s %s", m->article, m->name);
	else
		snprintf(out, FILE_KIND_MAX, "%s",
			 size_bytes ? "an unknown kind of file" : "an empty file");
}
