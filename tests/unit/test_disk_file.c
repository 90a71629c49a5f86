/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/disk_file.c: images that are none, and one that shrinks while it is used. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suites.h"
#include "vmm/disk_file.h"

#define SIZE 4096
#define BIG  0x30000

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

/* All of the image, which is in memory: a file system that gives space back, but has no zeroed ranges. */
static void open_in_memory(char *data, size_t size)
{
	const struct iovec iov = {data, size};
	int fd = memfd_create("disk", 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
	snprintf(spec, sizeof(spec), "/proc/self/fd/%d", fd);
	open_fine();
	close(fd);
	memset(data, 'x', size);
	ck_assert_int_eq(disk_file_write(&d, &iov, 1, 0), 0);
}

static blkcnt_t blocks_used(void)
{
	struct stat st;

	ck_assert_int_eq(fstat(d.fd, &st), 0);
	ck_assert_int_eq(st.st_size, (off_t)d.size_bytes);
	return st.st_blocks;
}

static void is_zero(char *data, size_t size, size_t from, size_t to)
{
	const struct iovec iov = {data, size};

	ck_assert_int_eq(disk_file_read(&d, &iov, 1, 0), 0);
	for (size_t i = 0; i < size; i++)
		ck_assert_int_eq(data[i], i >= from && i < to ? 0 : 'x');
}

START_TEST(discard_gives_space_back)
{
	static char data[BIG];
	blkcnt_t full;

	open_in_memory(data, sizeof(data));
	full = blocks_used();
	ck_assert_int_eq(disk_file_discard(&d, 0, 0), 0);
	ck_assert_int_eq(disk_file_discard(&d, 4096, BIG - 8192), 0);
	ck_assert_int_lt(blocks_used(), full);
	is_zero(data, sizeof(data), 4096, BIG - 4096);
}
END_TEST

START_TEST(zeroes_with_and_without_space)
{
	static char data[BIG];
	blkcnt_t full;

	open_in_memory(data, sizeof(data));
	full = blocks_used();
	ck_assert_int_eq(disk_file_zero(&d, 512, BIG - 1024, false), 0);
	ck_assert_int_eq(blocks_used(), full);
	is_zero(data, sizeof(data), 512, BIG - 512);
	ck_assert_int_eq(disk_file_zero(&d, 4096, BIG - 8192, true), 0);
	ck_assert_int_lt(blocks_used(), full);
	is_zero(data, sizeof(data), 512, BIG - 512);
}
END_TEST

START_TEST(read_only_is_not_cleared)
{
	strcat(spec, ",ro");
	open_fine();
	ck_assert_int_eq(disk_file_discard(&d, 0, 512), -EBADF);
	ck_assert_int_eq(disk_file_zero(&d, 0, 512, true), -EBADF);
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
	tcase_add_test(t, discard_gives_space_back);
	tcase_add_test(t, zeroes_with_and_without_space);
	tcase_add_test(t, read_only_is_not_cleared);
	tcase_add_test(t, no_disks);
	tcase_add_test(t, odd_sizes);
	tcase_add_test(t, one_writer_or_many_readers);
	suite_add_tcase(s, t);
	return s;
}
