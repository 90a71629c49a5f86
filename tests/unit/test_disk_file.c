/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/disk_file.c: images that are none, and one that shrinks while it is used. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suites.h"
#include "vmm/disk_file.h"

#define SIZE 4096

static char path[] = "/tmp/vpup-disk-XXXXXX";
static char spec[64];
static struct disk_file d;
static struct err e;

static void setup(void)
{
	int fd;

	strcpy(path, "/tmp/vpup-disk-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, SIZE), 0);
	close(fd);
	snprintf(spec, sizeof(spec), "%s", path);
}

static void teardown(void)
{
	disk_file_close(&d);
	unlink(path);
}

static void open_fine(void)
{
	ck_assert_msg(disk_file_open(&d, spec, &e) == 0, "%s", e.text);
}

static void refused(const char *what, int code, const char *part)
{
	ck_assert_int_eq(disk_file_open(&d, what, &e), -code);
	ck_assert_msg(strstr(e.text, part) != NULL, "%s", e.text);
	disk_file_close(&d);
}

START_TEST(opens)
{
	open_fine();
	ck_assert_uint_eq(d.size_bytes, SIZE);
	ck_assert(!d.read_only);
	ck_assert_str_eq(d.name, path + strlen("/tmp/"));
}
END_TEST

START_TEST(writes_and_reads)
{
	char out[600], back[600] = "";
	const struct iovec in[] = {{out, 100}, {out + 100, 500}};
	const struct iovec to[] = {{back, 599}, {back + 599, 1}};

	memset(out, 'x', sizeof(out));
	out[599] = 'y';
	open_fine();
	ck_assert_int_eq(disk_file_write(&d, in, 2, 1000), 0);
	ck_assert_int_eq(disk_file_flush(&d), 0);
	ck_assert_int_eq(disk_file_read(&d, to, 2, 1000), 0);
	ck_assert_mem_eq(out, back, sizeof(out));
	ck_assert_uint_eq(in[0].iov_len, 100);
}
END_TEST

START_TEST(read_only)
{
	const struct iovec iov = {path, 1};

	strcat(spec, ",ro");
	open_fine();
	ck_assert(d.read_only);
	ck_assert_int_eq(disk_file_write(&d, &iov, 1, 0), -EBADF);
}
END_TEST

START_TEST(shrinks_while_used)
{
	char buf[512];
	const struct iovec iov = {buf, sizeof(buf)};

	open_fine();
	ck_assert_int_eq(truncate(path, 100), 0);
	ck_assert_int_eq(disk_file_read(&d, &iov, 1, 0), -EIO);
	ck_assert_int_eq(disk_file_read(&d, &iov, 1, 2048), -EIO);
}
END_TEST

START_TEST(no_disks)
{
	refused("/nonexistent/disk", ENOENT, "'/nonexistent/disk'");
	refused("/tmp", EISDIR, "directory");
	refused("/tmp,ro", EISDIR, "directory");
	refused("/dev/null,ro", EINVAL, "block device");
	refused(",ro", ENOENT, "',ro'");
}
END_TEST

START_TEST(odd_sizes)
{
	ck_assert_int_eq(truncate(path, 0), 0);
	refused(spec, EINVAL, "empty");
	ck_assert_int_eq(truncate(path, 511), 0);
	refused(spec, EINVAL, "511 bytes");
}
END_TEST

START_TEST(one_writer_or_many_readers)
{
	struct disk_file other;

	open_fine();
	ck_assert_int_eq(disk_file_open(&other, spec, &e), -EBUSY);
	disk_file_close(&other);
	strcat(spec, ",ro");
	ck_assert_int_eq(disk_file_open(&other, spec, &e), -EBUSY);
	disk_file_close(&other);
	disk_file_close(&d);
	open_fine();
	ck_assert_int_eq(disk_file_open(&other, spec, &e), 0);
	disk_file_close(&other);
}
END_TEST

Suite *disk_file_suite(void)
{
	Suite *s = suite_create("disk_file");
	TCase *t = tcase_create("disk_file");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, opens);
	tcase_add_test(t, writes_and_reads);
	tcase_add_test(t, read_only);
	tcase_add_test(t, shrinks_while_used);
	tcase_add_test(t, no_disks);
	tcase_add_test(t, odd_sizes);
	tcase_add_test(t, one_writer_or_many_readers);
	suite_add_tcase(s, t);
	return s;
}
