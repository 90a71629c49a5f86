/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/bzimage.c: what it loads, and every lie of a header that it must refuse. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/bzimage_fixture.h"
#include "tests/unit/suites.h"
#include "vmm/bzimage.h"
#include "vmm/layout.h"

static struct bz_image image;
static struct mem mem;
static struct kernel_image loaded;
static struct err err;

static void setup(void)
{
	bz_build(&image);
	ck_assert_int_eq(mem_init(&mem, LAYOUT_RAM_MIN, &err), 0);
}

static void teardown(void)
{
	mem_fini(&mem);
}

/* Loads a copy of the first size bytes that ends where its heap block ends, at an odd address. */
static int load_first(size_t size)
{
	uint8_t *block = malloc(size + 1);
	int ret;

	ck_assert_ptr_nonnull(block);
	memcpy(block + 1, image.bytes, size);
	memset(&err, 0, sizeof(err));
	ret = bzimage_recognise(block + 1, size)
		      ? bzimage_load(&loaded, &mem, block + 1, size, &err)
		      : -EDOM;
	free(block);
	return ret;
}

static uint8_t ram(uint64_t addr)
{
	return *(uint8_t *)mem_ptr(&mem, gpa(addr), 1);
}

/* Refused with these words, and nothing is written; then the image is as new. */
static void expect_refused(int code, const char *words)
{
	ck_assert_int_eq(load_first(BZ_SIZE), -code);
	ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
	ck_assert_uint_eq(ram(BZ_PREF), 0);
	ck_assert_uint_eq(ram(LAYOUT_BOOT_PARAMS + SETUP_FIELD_OFFSET(header)), 0);
	bz_build(&image);
}

START_TEST(a_kernel_is_loaded_where_it_wants_to_be)
{
	ck_assert_int_eq(load_first(BZ_SIZE), 0);
	ck_assert_uint_eq(loaded.entry.v, BZ_PREF + 0x200);
	ck_assert_uint_eq(loaded.end.v, BZ_PREF + BZ_INIT_SIZE);
	ck_assert_uint_eq(loaded.initrd_end.v, 0x80000000);
	ck_assert_uint_eq(ram(BZ_PREF), 0x90);
	ck_assert_uint_eq(ram(BZ_PREF + BZ_KERNEL_SIZE - 1), 0x90);
	ck_assert_uint_eq(ram(BZ_PREF + BZ_KERNEL_SIZE), 0);
	ck_assert_uint_eq(ram(LAYOUT_BOOT_PARAMS + SETUP_HEADER_OFFSET), BZ_SECTS);
	ck_assert_uint_eq(ram(LAYOUT_BOOT_PARAMS + SETUP_HEADER_OFFSET - 1), 0);
}
END_TEST

START_TEST(no_sectors_mean_four)
{
	bz_header(&image)->setup_sects = 0;
	bz_header(&image)->syssize = 0;
	ck_assert_int_eq(load_first(BZ_SIZE), 0);
	ck_assert_uint_eq(ram(BZ_PREF + BZ_SIZE - 5 * 512 - 1), 0x90);
	ck_assert_uint_eq(ram(BZ_PREF + BZ_SIZE - 5 * 512), 0);
}
END_TEST

/*
 * At every length: an error, not a read past the end (which ASan would see) nor a kernel. Its size is
 * told in units of 16 bytes.
 */
START_TEST(a_cut_file_is_refused_at_every_length)
{
	for (size_t size = 0; size <= BZ_SIZE - 16; size++) {
		int ret = load_first(size);

		ck_assert_msg(ret < 0, "%zu bytes were taken", size);
		ck_assert_msg(ret == -EDOM || strstr(err.text, "cut short"), "%zu: %s", size,
			      err.text);
		ck_assert_int_eq(ret == -EDOM, size < 0x206);
	}
}
END_TEST

START_TEST(other_kernels_are_refused)
{
	bz_header(&image)->version = 0x20b;
	expect_refused(ENOEXEC, "protocol 2.11");
	bz_header(&image)->loadflags = 0;
	expect_refused(ENOEXEC, "zImage");
	bz_header(&image)->xloadflags = 0x7e;
	expect_refused(ENOEXEC, "64-bit entry point");
}
END_TEST

START_TEST(a_lying_header_is_refused)
{
	struct setup_header *h = bz_header(&image);

	h->jump = 0x10eb;
	expect_refused(EINVAL, "header ends at 0x212");
	h->jump = 0xffeb;
	expect_refused(EINVAL, "header ends at 0x301");
	h->setup_sects = 255;
	expect_refused(EINVAL, "setup_sects 255");
	h->setup_sects = BZ_SIZE / 512 - 1;
	expect_refused(EINVAL, "setup_sects");
	h->syssize = BZ_KERNEL_SIZE / 16 + 1;
	expect_refused(EINVAL, "cut short");
	h->syssize = UINT32_MAX;
	expect_refused(EINVAL, "cut short");
	h->payload_length = BZ_KERNEL_SIZE - BZ_PAYLOAD_OFF + 1;
	expect_refused(EINVAL, "compressed kernel");
	h->payload_offset = UINT32_MAX;
	expect_refused(EINVAL, "compressed kernel");
	h->init_size = BZ_KERNEL_SIZE - 1;
	expect_refused(EINVAL, "init_size");
	h->init_size = 0;
	expect_refused(EINVAL, "init_size");
	h->init_size = UINT32_MAX;
	expect_refused(EINVAL, "more memory");
	h->init_size = LAYOUT_RAM_MIN - BZ_PREF + 1;
	expect_refused(EINVAL, "more memory");
	h->kernel_alignment = 0;
	expect_refused(EINVAL, "kernel_alignment 0");
	h->kernel_alignment = 0x30000;
	expect_refused(EINVAL, "power of two");
	h->pref_address = BZ_PREF + 0x1000;
	expect_refused(EINVAL, "pref_address");
	h->pref_address = 0;
	expect_refused(EINVAL, "pref_address");
	h->pref_address = UINT64_MAX & ~0x1fffffull;
	expect_refused(EINVAL, "pref_address");
}
END_TEST

START_TEST(ram_may_end_where_the_kernel_does)
{
	bz_header(&image)->init_size = LAYOUT_RAM_MIN - BZ_PREF;
	ck_assert_int_eq(load_first(BZ_SIZE), 0);
	ck_assert_uint_eq(loaded.end.v, LAYOUT_RAM_MIN);
}
END_TEST

START_TEST(version_and_payload)
{
	size_t bytes = 0;

	ck_assert_str_eq(bzimage_version(image.bytes, BZ_SIZE), BZ_VERSION);
	ck_assert_ptr_eq(bzimage_payload(image.bytes, BZ_SIZE, &bytes),
			 image.bytes + BZ_KERNEL_OFF + BZ_PAYLOAD_OFF);
	ck_assert_uint_eq(bytes, BZ_PAYLOAD - 4);
	memcpy(image.bytes + BZ_KERNEL_OFF + BZ_PAYLOAD_OFF, "\x1f\x8b", 2);
	ck_assert_ptr_nonnull(bzimage_payload(image.bytes, BZ_SIZE, &bytes));
	ck_assert_uint_eq(bytes, BZ_PAYLOAD);
	bz_header(&image)->kernel_version = 0;
	ck_assert_ptr_null(bzimage_version(image.bytes, BZ_SIZE));
	bz_header(&image)->kernel_version = 0xffff;
	ck_assert_ptr_null(bzimage_version(image.bytes, BZ_SIZE));
	/* into the kernel's NOPs: no NUL within reach */
	bz_header(&image)->kernel_version = BZ_KERNEL_OFF - 0x200;
	ck_assert_ptr_null(bzimage_version(image.bytes, BZ_SIZE));
	bz_header(&image)->payload_offset = UINT32_MAX;
	ck_assert_ptr_null(bzimage_payload(image.bytes, BZ_SIZE, &bytes));
	bz_header(&image)->payload_length = 0;
	ck_assert_ptr_null(bzimage_payload(image.bytes, BZ_SIZE, &bytes));
}
END_TEST

Suite *bzimage_suite(void)
{
	Suite *s = suite_create("bzimage");
	TCase *t = tcase_create("bzimage");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_kernel_is_loaded_where_it_wants_to_be);
	tcase_add_test(t, no_sectors_mean_four);
	tcase_add_test(t, a_cut_file_is_refused_at_every_length);
	tcase_add_test(t, other_kernels_are_refused);
	tcase_add_test(t, a_lying_header_is_refused);
	tcase_add_test(t, ram_may_end_where_the_kernel_does);
	tcase_add_test(t, version_and_payload);
	suite_add_tcase(s, t);
	return s;
}
