/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/file_kind.c and vmm/unpack.c: files that are no kernels, by name. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"
#include "vmm/file_kind.h"
#include "vmm/unpack.h"

static char kind[FILE_KIND_MAX];

/* "070701", the magic number of a cpio archive, as `gzip -n` packs it. */
static const uint8_t gzipped_initrd[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
					 0x03, 0x33, 0x30, 0x37, 0x30, 0x37, 0x30, 0x04, 0x00,
					 0xe5, 0xff, 0x2e, 0xf9, 0x06, 0x00, 0x00, 0x00};

START_TEST(plain_files)
{
	static const struct {
		size_t off;
		const char *magic, *name;
	} rows[] = {
		{0x202, "HdrS", "a Linux bzImage"},
		{0x38, "ARM\x64", "a Linux Image for arm64"},
		{0x38, "RSC\x05", "a Linux Image for RISC-V"},
		{0, "MZ", "a PE executable"},
		{0, "#!", "a script"},
		{0, "070701", "an initrd"},
		{0, "!<arch>\ndebian-binary", "a Debian package"},
		{0x101, "ustar", "a tar archive"},
		{0, "QFI\xfb", "a qcow2 disk image"},
		{0, "\x28\xb5\x2f\xfd", "a zstd'd file"},
		{0x1fe, "\x55\xaa", "a disk image or boot sector"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t file[0x206] = "";
		size_t end = rows[i].off + strlen(rows[i].magic);

		memcpy(file + rows[i].off, rows[i].magic, strlen(rows[i].magic));
		file_kind(kind, file, sizeof(file));
		ck_assert_str_eq(kind, rows[i].name);
		file_kind(kind, file, end);
		ck_assert_str_eq(kind, rows[i].name);
	}
	file_kind(kind, (const uint8_t *)"M", 1);
	ck_assert_str_eq(kind, "an unknown kind of file");
	file_kind(kind, (const uint8_t *)"", 0);
	ck_assert_str_eq(kind, "an empty file");
}
END_TEST

START_TEST(compressed_files_are_looked_into)
{
	file_kind(kind, gzipped_initrd, sizeof(gzipped_initrd));
	ck_assert_str_eq(kind, "a gzip'd initrd");
	file_kind(kind, gzipped_initrd, 11);
	ck_assert_str_eq(kind, "a gzip'd file");
}
END_TEST

START_TEST(unpacking)
{
	struct err e;
	uint8_t *out;
	size_t bytes;

	ck_assert_int_eq(unpack(gzipped_initrd, sizeof(gzipped_initrd), 100, &out, &bytes, &e), 0);
	ck_assert_uint_eq(bytes, 6);
	ck_assert_int_eq(memcmp(out, "070701", 6), 0);
	free(out);
	ck_assert_int_eq(unpack(gzipped_initrd, sizeof(gzipped_initrd), 4, &out, &bytes, &e), 0);
	ck_assert_uint_eq(bytes, 4);
	free(out);
	ck_assert_int_eq(unpack((const uint8_t *)"plain text", 10, 100, &out, &bytes, &e), -EINVAL);
	ck_assert_ptr_null(out);
	ck_assert_int_eq(unpack((const uint8_t *)"", 0, 100, &out, &bytes, &e), -EBADMSG);
	ck_assert_int_eq(unpack(gzipped_initrd, 5, 100, &out, &bytes, &e), -EINVAL);
}
END_TEST

Suite *file_kind_suite(void)
{
	Suite *s = suite_create("file_kind");
	TCase *t = tcase_create("file_kind");

	tcase_add_test(t, plain_files);
	tcase_add_test(t, compressed_files_are_looked_into);
	tcase_add_test(t, unpacking);
	suite_add_tcase(s, t);
	return s;
}
