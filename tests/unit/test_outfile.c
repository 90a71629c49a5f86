/* SPDX-License-Identifier: MIT */
/* Unit tests of output files: whole or not there, and the old one until then. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suites.h"
#include "vmm/outfile.h"

struct rig {
	char dir[64];
	char path[PATH_MAX];
	struct err e;
};

static void setup(struct rig *r)
{
	strcpy(r->dir, "/tmp/vpup-outfile-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(r->dir));
	snprintf(r->path, sizeof(r->path), "%s/result.json", r->dir);
	r->e.text[0] = '\0';
}

/* Removes the directory; fails if there is more in it than `files`. */
static void teardown(struct rig *r, unsigned files)
{
	DIR *d = opendir(r->dir);
	struct dirent *entry;
	unsigned found = 0;

	ck_assert_ptr_nonnull(d);
	while ((entry = readdir(d))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		found++;
		ck_assert_int_eq(unlinkat(dirfd(d), entry->d_name, 0), 0);
	}
	closedir(d);
	ck_assert_int_eq(rmdir(r->dir), 0);
	ck_assert_uint_eq(found, files);
}

static void check_content(const char *path, const char *expected)
{
	char text[64] = "";
	FILE *f = fopen(path, "r");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fread(text, 1, sizeof(text) - 1, f), strlen(expected));
	fclose(f);
	ck_assert_str_eq(text, expected);
}

START_TEST(test_new_file)
{
	struct outfile o;
	struct rig r;

	setup(&r);
	ck_assert_int_eq(outfile_open(&o, r.path, &r.e), 0);
	fputs("hello", o.f);
	ck_assert_int_ne(access(r.path, F_OK), 0); /* not before it is whole */
	ck_assert_int_eq(outfile_commit(&o, &r.e), 0);
	check_content(r.path, "hello");
	outfile_abort(&o); /* finished: nothing happens */
	check_content(r.path, "hello");
	teardown(&r, 1);
}
END_TEST

START_TEST(test_abort_keeps_the_old_one)
{
	struct outfile o;
	struct rig r;

	setup(&r);
	ck_assert_int_eq(outfile_write(r.path, "old", 3, &r.e), 0);
	ck_assert_int_eq(outfile_open(&o, r.path, &r.e), 0);
	fputs("new", o.f);
	outfile_abort(&o);
	check_content(r.path, "old");
	teardown(&r, 1);
}
END_TEST

START_TEST(test_replace_keeps_the_mode)
{
	struct stat st;
	struct rig r;

	setup(&r);
	ck_assert_int_eq(outfile_write(r.path, "a longer text", 13, &r.e), 0);
	ck_assert_int_eq(chmod(r.path, 0604), 0);
	ck_assert_int_eq(outfile_write(r.path, "new", 3, &r.e), 0);
	check_content(r.path, "new");
	ck_assert_int_eq(stat(r.path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0604);
	teardown(&r, 1);
}
END_TEST

START_TEST(test_symlink_stays)
{
	char link[PATH_MAX + 8];
	struct stat st;
	struct rig r;

	setup(&r);
	snprintf(link, sizeof(link), "%s/link", r.dir);
	ck_assert_int_eq(outfile_write(r.path, "old", 3, &r.e), 0);
	ck_assert_int_eq(symlink("result.json", link), 0);
	ck_assert_int_eq(outfile_write(link, "new", 3, &r.e), 0);
	ck_assert_int_eq(lstat(link, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	check_content(r.path, "new");
	teardown(&r, 2);
}
END_TEST

/* A device is written to, not replaced. */
START_TEST(test_device)
{
	struct stat st;
	struct err e;

	ck_assert_int_eq(outfile_write("/dev/null", "text", 4, &e), 0);
	ck_assert_int_eq(stat("/dev/null", &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(test_full_disk)
{
	char big[100000];
	struct err e;

	memset(big, 'x', sizeof(big));
	ck_assert_int_eq(outfile_write("/dev/full", "small", 5, &e), -ENOSPC);
	ck_assert_str_eq(e.text, "can't write /dev/full: No space left on device");
	ck_assert_int_lt(outfile_write("/dev/full", big, sizeof(big), &e), 0);
}
END_TEST

START_TEST(test_stdout)
{
	int saved = dup(STDOUT_FILENO), fd;
	struct rig r;

	setup(&r);
	fd = open(r.path, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	fflush(stdout);
	ck_assert_int_eq(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	fputs("first, ", stdout);
	ck_assert_int_eq(outfile_write("-", "second", 6, &r.e), 0);
	ck_assert_int_ge(fcntl(STDOUT_FILENO, F_GETFD), 0); /* still open */
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fd);
	check_content(r.path, "first, second");
	teardown(&r, 1);
}
END_TEST

static void check_refused(const char *path, int code)
{
	struct outfile o;
	struct err e;

	ck_assert_int_eq(outfile_open(&o, path, &e), -code);
	ck_assert_ptr_nonnull(strstr(e.text, path));
	ck_assert_ptr_nonnull(strstr(e.text, strerror(code)));
}

START_TEST(test_refused)
{
	check_refused("/no/such/directory/result.json", ENOENT);
	check_refused("/tmp", EISDIR);
	check_refused("/dev/null/x", ENOTDIR);
	check_refused("", ENOENT);
}
END_TEST

/* The target turns into a directory while we write: the rename fails, and nothing is left. */
START_TEST(test_rename_fails)
{
	struct outfile o;
	struct rig r;

	setup(&r);
	ck_assert_int_eq(outfile_open(&o, r.path, &r.e), 0);
	fputs("text", o.f);
	ck_assert_int_eq(mkdir(r.path, 0700), 0);
	ck_assert_int_lt(outfile_commit(&o, &r.e), 0);
	ck_assert_ptr_nonnull(strstr(r.e.text, r.path));
	ck_assert_int_eq(rmdir(r.path), 0);
	teardown(&r, 0);
}
END_TEST

START_TEST(test_longest_name)
{
	char path[PATH_MAX];
	struct rig r;
	int used;

	setup(&r);
	used = snprintf(path, sizeof(path), "%s/", r.dir);
	memset(path + used, 'n', NAME_MAX);
	path[used + NAME_MAX] = '\0';
	ck_assert_int_eq(outfile_write(path, "text", 4, &r.e), 0);
	check_content(path, "text");
	teardown(&r, 1);
}
END_TEST

START_TEST(test_current_directory)
{
	struct rig r;
	int here = open(".", O_RDONLY | O_DIRECTORY);

	setup(&r);
	ck_assert_int_eq(chdir(r.dir), 0);
	ck_assert_int_eq(outfile_write("plain", "text", 4, &r.e), 0);
	check_content("plain", "text");
	ck_assert_int_eq(fchdir(here), 0);
	close(here);
	teardown(&r, 1);
}
END_TEST

Suite *outfile_suite(void)
{
	Suite *s = suite_create("outfile");
	TCase *c = tcase_create("outfile");

	tcase_add_test(c, test_new_file);
	tcase_add_test(c, test_abort_keeps_the_old_one);
	tcase_add_test(c, test_replace_keeps_the_mode);
	tcase_add_test(c, test_symlink_stays);
	tcase_add_test(c, test_device);
	tcase_add_test(c, test_full_disk);
	tcase_add_test(c, test_stdout);
	tcase_add_test(c, test_refused);
	tcase_add_test(c, test_rename_fails);
	tcase_add_test(c, test_longest_name);
	tcase_add_test(c, test_current_directory);
	suite_add_tcase(s, c);
	return s;
}
