/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/kernel_hz.c, vmm/linux_image.c and vmm/cmdline.c: from a file to lpj=N. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/bzimage_fixture.h"
#include "tests/unit/suites.h"
#include "vmm/cmdline.h"
#include "vmm/kernel_hz.h"
#include "vmm/linux_image.h"

/* "CONFIG_SMP=y\nCONFIG_HZ=300\n" as `gzip -n` packs it, between the marks of CONFIG_IKCONFIG. */
static const uint8_t embedded[] = "IKCFG_ST"
				  "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x73\xf6\xf7\x73\xf3"
				  "\x74\x8f\x0f\xf6\x0d\xb0\xad\xe4\x72\x86\x70\x3c\xa2\x6c\x8d"
				  "\x0d\x0c\xb8\x00\xc7\x09\xd4\x5e\x1b\x00\x00\x00"
				  "IKCFG_ED";

static char dir[] = "/tmp/vpup-hz-XXXXXX";
static char path[64];
static struct bz_image image;
static struct kernel_hz hz;
static struct err err;

static void setup(void)
{
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/vmlinuz", dir);
	bz_build(&image);
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static void write_config(const char *name, const char *text)
{
	char file[128];
	FILE *f;

	snprintf(file, sizeof(file), "%s/%s", dir, name);
	f = fopen(file, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

START_TEST(a_configuration)
{
	static const struct {
		const char *text;
		unsigned hz;
	} rows[] = {
		{"CONFIG_HZ=250\n", 250},
		{"CONFIG_HZ_250=y\nCONFIG_HZ=1000", 1000},
		{"# CONFIG_HZ=100\nCONFIG_HZ=300\n", 300},
		{"CONFIG_HZ=\n", 0},
		{"CONFIG_HZ=99999\n", 0},
		{"CONFIG_HZ=-1\n", 0},
		{"CONFIG_HZ", 0},
		{"", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_uint_eq(kernel_hz_of_config(rows[i].text, strlen(rows[i].text)),
				  rows[i].hz);
}
END_TEST

START_TEST(a_version)
{
	static const struct {
		const char *version;
		unsigned hz;
	} rows[] = {
		{"6.1.0-57-cloud-amd64 (debian-kernel@lists.debian.org) #1", 250},
		{"6.12.117+deb12-amd64 (debian-kernel@lists.debian.org) #1", 250},
		{"6.8.0-31-generic (buildd@lcy02) #31-Ubuntu SMP", 250},
		{"6.11.0-8-generic (buildd@lcy02) #8-Ubuntu SMP", 1000},
		{"6.10.3-200.fc40.x86_64 (mockbuild@x) #1", 1000},
		{"6.10.3 (me@home) #1", 0},
		{"of unknown version", 0},
		{"", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_uint_eq(kernel_hz_of_version(rows[i].version), rows[i].hz);
}
END_TEST

START_TEST(sources_in_their_order)
{
	ck_assert_int_eq(kernel_hz_find(&hz, path, image.bytes, BZ_SIZE, &err), 0);
	ck_assert_uint_eq(hz.hz, 250);
	ck_assert_str_eq(hz.source, "its version, 6.1.0-99-test");
	write_config(".config", "CONFIG_HZ=100\n");
	ck_assert_int_eq(kernel_hz_find(&hz, path, image.bytes, BZ_SIZE, &err), 0);
	ck_assert_uint_eq(hz.hz, 100);
	write_config("config-6.1.0-99-test", "CONFIG_HZ=1000\n");
	ck_assert_int_eq(kernel_hz_find(&hz, path, image.bytes, BZ_SIZE, &err), 0);
	ck_assert_uint_eq(hz.hz, 1000);
	ck_assert_ptr_nonnull(strstr(hz.source, "/config-6.1.0-99-test"));
}
END_TEST

START_TEST(a_configuration_in_the_kernel)
{
	static const char banner[] = "Linux version %s\0Linux version 6.9.1 (a@b) #1 SMP\n";
	uint8_t vmlinux[4096] = "\x7f\x45LF";

	memcpy(vmlinux + 100, banner, sizeof(banner));
	ck_assert_int_eq(kernel_hz_find(&hz, path, vmlinux, sizeof(vmlinux), &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "HZ of Linux 6.9.1 is not known"));
	memcpy(vmlinux + 1000, embedded, sizeof(embedded));
	ck_assert_int_eq(kernel_hz_find(&hz, path, vmlinux, sizeof(vmlinux), &err), 0);
	ck_assert_uint_eq(hz.hz, 300);
	ck_assert_str_eq(hz.source, "its embedded configuration");
	/* cut off behind the mark */
	ck_assert_int_eq(kernel_hz_find(&hz, path, vmlinux, 1008, &err), -ENOENT);
}
END_TEST

START_TEST(other_kernels)
{
	uint8_t elf[64] = "\x7f\x45LF";
	char version[LINUX_VERSION_MAX];

	ck_assert_int_eq(kernel_hz_find(&hz, path, elf, sizeof(elf), &err), -ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "no Linux kernel"));
	ck_assert(!linux_image_version(version, elf, 0));
	memcpy(elf + 64 - 15, "Linux version 6", 15);
	ck_assert(linux_image_version(version, elf, sizeof(elf)));
	ck_assert_str_eq(version, "6");
	ck_assert(!linux_image_version(version, elf, sizeof(elf) - 1));
	bz_header(&image)->kernel_version = 0;
	ck_assert(linux_image_version(version, image.bytes, BZ_SIZE));
	ck_assert_str_eq(version, "of unknown version");
}
END_TEST

static void expect_line(const struct vm_config *cfg, const char *want)
{
	char *line = cmdline_build(cfg, 250, 2445430, &err);

	ck_assert_str_eq(line, want);
	free(line);
}

START_TEST(command_lines)
{
	struct vm_config cfg = {.append = "", .kernel = "vmlinuz"};

	expect_line(&cfg, "");
	cfg.append = "quiet";
	expect_line(&cfg, "quiet");
	cfg.lpj = LPJ_AUTO;
	expect_line(&cfg, "quiet lpj=9781720");
	cfg.append = "";
	expect_line(&cfg, "lpj=9781720");
	cfg.lpj = LPJ_OFF;
	expect_line(&cfg, "");
	cfg.lpj = LPJ_NUMBER;
	cfg.lpj_number = 1000000000000;
	expect_line(&cfg, "lpj=1000000000000");
	cfg.kernel = NULL; /* the bundled guest */
	cfg.lpj = LPJ_AUTO;
	expect_line(&cfg, "lpj=preset");
	cfg.hz = 100;
	expect_line(&cfg, "lpj=preset hz=100");
	cfg.lpj = LPJ_OFF;
	expect_line(&cfg, "lpj=calibrate");
}
END_TEST

Suite *kernel_hz_suite(void)
{
	Suite *s = suite_create("kernel_hz");
	TCase *t = tcase_create("kernel_hz");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_configuration);
	tcase_add_test(t, a_version);
	tcase_add_test(t, sources_in_their_order);
	tcase_add_test(t, a_configuration_in_the_kernel);
	tcase_add_test(t, other_kernels);
	tcase_add_test(t, command_lines);
	suite_add_tcase(s, t);
	return s;
}
