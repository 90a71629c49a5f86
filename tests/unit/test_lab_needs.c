/* SPDX-License-Identifier: MIT */
/* Unit tests of what COMMAND needs in L1: the directories of its options. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/needs.h"
#include "tests/unit/suites.h"
#include "vmm/outfile.h"

static char dir[64];
static struct files files;
static struct err err;

/* real/{file,sub/,away -> /etc/passwd,fifo}, and link -> real */
static void setup(void)
{
	strcpy(dir, "/tmp/vpup-needs-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_int_eq(mkdir("real", 0755), 0);
	ck_assert_int_eq(mkdir("real/sub", 0755), 0);
	ck_assert_int_eq(outfile_write("real/file", "data", 4, &err), 0);
	ck_assert_int_eq(symlink("/etc/passwd", "real/away"), 0);
	ck_assert_int_eq(mkfifo("real/fifo", 0644), 0);
	ck_assert_int_eq(symlink("real", "link"), 0);
	files = (struct files){0};
}

static void teardown(void)
{
	static const char *const made[] = {"link",      "real/fifo", "real/away",
					   "real/file", "real/sub",  "real"};

	files_fini(&files);
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		ck_assert_int_eq(remove(made[i]), 0);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(dir), 0);
}

static int share(const char *spec)
{
	char *const command[] = {"run", "--share", (char *)spec, NULL};

	return needs_add(&files, command, &err);
}

static const struct files_entry *find(const char *below, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s/%s", dir, below, name);
	return files_find(&files, path);
}

/* Also where a link leads to it: L1 has it by the name that COMMAND gives it. */
START_TEST(test_share_is_whole)
{
	static const char *const name[] = {"real", "link"};
	const struct files_entry *n;
	char spec[32];

	snprintf(spec, sizeof(spec), "%s=tag,ro", name[_i]);
	ck_assert_int_eq(share(spec), 0);
	n = find(name[_i], "file");
	ck_assert_ptr_nonnull(n);
	ck_assert_uint_eq(n->size_bytes, 4);
	n = find(name[_i], "sub");
	ck_assert_ptr_nonnull(n);
	ck_assert(S_ISDIR(n->mode));
	n = find(name[_i], "away");
	ck_assert_ptr_nonnull(n);
	ck_assert(S_ISLNK(n->mode));
	ck_assert_ptr_null(find(name[_i], "fifo"));
}
END_TEST

START_TEST(test_no_such_directory)
{
	static const struct {
		const char *spec, *why;
		int ret;
	} bad[] = {
		{"none=tag", "--share: 'none'", -ENOENT},
		{"real/file=tag", "'real/file' is not a directory", -ENOTDIR},
		{"/=tag", "'/' is all of this machine", -EINVAL},
		{"/../=tag", "'/../' is all of this machine", -EINVAL},
	};

	ck_assert_int_eq(share(bad[_i].spec), bad[_i].ret);
	ck_assert_msg(strstr(err.text, bad[_i].why), "%s", err.text);
}
END_TEST

/* An output of an earlier run, say: whatever is in it. */
START_TEST(test_word_that_is_no_scenario)
{
	char *const command[] = {"bench", "--json", "./real/file", "./real", NULL};

	ck_assert_int_eq(truncate("real/file", 1 << 20), 0);
	ck_assert_int_eq(needs_add(&files, command, &err), 0);
	ck_assert_uint_eq(files.count, 0);
}
END_TEST

START_TEST(test_too_large)
{
	ck_assert_int_eq(truncate("real/file", (off_t)FILES_TREE_MAX + 1), 0);
	ck_assert_int_eq(share("real=tag"), -EFBIG);
	ck_assert_ptr_nonnull(strstr(err.text, "more than 256 MiB"));
}
END_TEST

START_TEST(test_too_many)
{
	char path[64];

	for (int i = 0; i < FILES_TREE_ENTRIES; i++) {
		snprintf(path, sizeof(path), "real/sub/%d", i);
		ck_assert_int_eq(symlink("x", path), 0);
	}
	ck_assert_int_eq(share("real=tag"), -EFBIG);
	ck_assert_ptr_nonnull(strstr(err.text, "more than 40000 entries"));
	for (int i = 0; i < FILES_TREE_ENTRIES; i++) {
		snprintf(path, sizeof(path), "real/sub/%d", i);
		ck_assert_int_eq(unlink(path), 0);
	}
}
END_TEST

Suite *lab_needs_suite(void)
{
	Suite *s = suite_create("lab_needs");
	TCase *t = tcase_create("directories");
	TCase *slow = tcase_create("many files");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30); /* thousands of entries */
	tcase_add_loop_test(t, test_share_is_whole, 0, 2);
	tcase_add_loop_test(t, test_no_such_directory, 0, 4);
	tcase_add_test(t, test_word_that_is_no_scenario);
	tcase_add_test(t, test_too_large);
	tcase_add_checked_fixture(slow, setup, teardown);
	tcase_set_tags(slow, "slow");
	tcase_set_timeout(slow, 60);
	tcase_add_test(slow, test_too_many);
	suite_add_tcase(s, t);
	suite_add_tcase(s, slow);
	return s;
}
