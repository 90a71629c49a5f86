/* SPDX-License-Identifier: MIT */
/* Unit tests of COMMAND's words: what L1 gets to see, and what it may write. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/words.h"
#include "tests/unit/suites.h"
#include "vmm/outfile.h"

static char dir[64];
static struct words words;
static struct files files;

static void setup(void)
{
	struct err e;

	strcpy(dir, "/tmp/vpup-words-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_int_eq(outfile_write("in", "data", 4, &e), 0);
	words = (struct words){0};
	files = (struct files){0};
}

static void teardown(void)
{
	words_fini(&words);
	files_fini(&files);
	unlink("in");
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(dir), 0);
}

static int add(char *const *command)
{
	struct err e;
	int ret = words_find(&words, command, &e);

	return ret ? ret : words_add_inputs(&words, command, &files, &e);
}

static bool has_input(void)
{
	char path[128];
	const struct files_entry *n;

	snprintf(path, sizeof(path), "%s/in", dir);
	n = files_find(&files, path);
	return n && n->size_bytes == 4 && memcmp(n->data, "data", 4) == 0;
}

/* All ways in which a command line can name a file. */
START_TEST(test_inputs)
{
	static char *const word[] = {"in",           "-kin",    "--kernel=in",
				     "--disk=in,ro", "file=in", "a=b=in"};
	char *const command[] = {"run", word[_i], NULL};

	ck_assert_int_eq(add(command), 0);
	ck_assert(has_input());
	ck_assert(!words_allow(&words, "in"));
}
END_TEST

START_TEST(test_missing_input)
{
	static char *const word[][3] = {{"-k", "none"},
					{"-inone"},
					{"--initrd", "none"},
					{"--kernel=none"}};
	char *const command[] = {"run", word[_i][0], word[_i][1], NULL};

	ck_assert_int_eq(add(command), -ENOENT);
}
END_TEST

START_TEST(test_outputs)
{
	char *const command[] = {"run",         "--json", "in", "--timeline=t", "new", "-otwo", "/",
				 "--dump-acpi", "d",      NULL};

	ck_assert_int_eq(add(command), 0);
	ck_assert(words_allow(&words, "in"));
	ck_assert(words_allow(&words, "t"));
	ck_assert(words_allow(&words, "new"));
	ck_assert(words_allow(&words, "two"));
	ck_assert(words_allow(&words, "d/FACP.dat"));
	ck_assert(!words_allow(&words, "d/../in2"));
	ck_assert(!words_allow(&words, "d/.."));
	ck_assert(!words_allow(&words, "dd"));
	ck_assert(!words_allow(&words, "/etc/passwd"));
	ck_assert(!words_allow(&words, "run"));
	ck_assert(!words_allow(&words, ""));
}
END_TEST

Suite *lab_words_suite(void)
{
	Suite *s = suite_create("lab_words");
	TCase *t = tcase_create("words");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, test_inputs, 0, 6);
	tcase_add_loop_test(t, test_missing_input, 0, 4);
	tcase_add_test(t, test_outputs);
	suite_add_tcase(s, t);
	return s;
}
