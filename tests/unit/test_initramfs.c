/* SPDX-License-Identifier: MIT */
/* Unit tests of vmm/cpio.c and vmm/program_files.c: what goes into an initramfs, and how. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suites.h"
#include "vmm/cpio.h"
#include "vmm/guest_modules.h"
#include "vmm/kernel_modules.h"
#include "vmm/program_files.h"

static struct cpio c;
static struct file_list files;
static struct err err;

static void teardown(void)
{
	cpio_fini(&c);
	file_list_fini(&files);
}

/* The entry at *at: its mode, size and name; moves on to the next one. */
static const char *next_entry(size_t *at, unsigned *mode, unsigned *size)
{
	const char *p = (const char *)c.data + *at;
	unsigned name_size;

	ck_assert_mem_eq(p, "070701", 6);
	ck_assert_int_eq(sscanf(p + 14, "%8x", mode), 1);
	ck_assert_int_eq(sscanf(p + 54, "%8x", size), 1);
	ck_assert_int_eq(sscanf(p + 94, "%8x", &name_size), 1);
	ck_assert_uint_eq(name_size, strlen(p + 110) + 1);
	*at += (110 + name_size + 3) & ~3u;
	*at += (*size + 3) & ~3u;
	return p + 110;
}

START_TEST(an_archive)
{
	unsigned mode, size;
	size_t at = 0;

	cpio_add_parents(&c, "a/b/file");
	cpio_add_file(&c, "a/b/file", 0755, "hello", 5);
	cpio_add_symlink(&c, "link", "a/b");
	cpio_add_char_device(&c, "console", 5, 1);
	cpio_end(&c);
	ck_assert(!c.failed);
	ck_assert_str_eq(next_entry(&at, &mode, &size), "a");
	ck_assert_uint_eq(mode, S_IFDIR | 0755);
	ck_assert_str_eq(next_entry(&at, &mode, &size), "a/b");
	ck_assert_str_eq(next_entry(&at, &mode, &size), "a/b/file");
	ck_assert_uint_eq(mode, S_IFREG | 0755);
	ck_assert_uint_eq(size, 5);
	ck_assert_mem_eq(c.data + at - 8, "hello\0\0\0", 8);
	ck_assert_str_eq(next_entry(&at, &mode, &size), "link");
	ck_assert_uint_eq(mode, S_IFLNK | 0777);
	ck_assert_mem_eq(c.data + at - 4, "a/b\0", 4);
	ck_assert_str_eq(next_entry(&at, &mode, &size), "console");
	ck_assert_uint_eq(mode, S_IFCHR | 0600);
	ck_assert_str_eq(next_entry(&at, &mode, &size), "TRAILER!!!");
	ck_assert_uint_le(at, c.size_bytes);
	ck_assert_uint_eq(c.size_bytes % 512, 0);
}
END_TEST

START_TEST(programs_are_found_as_a_shell_finds_them)
{
	char *path = program_find("sh");

	ck_assert_ptr_nonnull(path);
	ck_assert_int_eq(path[0], '/');
	free(path);
	path = program_find("/bin/sh");
	ck_assert_ptr_nonnull(path);
	free(path);
	ck_assert_ptr_null(program_find("no-such-program-here"));
	ck_assert_ptr_null(program_find(""));
	ck_assert_ptr_null(program_find("/tmp"));
	ck_assert_ptr_null(program_find("/etc/passwd"));
}
END_TEST

static bool has(const char *part)
{
	for (size_t i = 0; i < files.count; i++)
		if (strstr(files.path[i], part))
			return true;
	return false;
}

START_TEST(a_program_brings_its_libraries)
{
	size_t before;

	ck_assert_int_eq(program_files_add(&files, "/bin/sh", &err), 0);
	ck_assert(has("/bin/sh"));
	ck_assert(has("libc.so"));
	ck_assert(has("ld-linux"));
	before = files.count;
	ck_assert_int_eq(program_files_add(&files, "/bin/sh", &err), 0);
	ck_assert_uint_eq(files.count, before);
	ck_assert_int_lt(program_files_add(&files, "/no/such/file", &err), 0);
}
END_TEST

START_TEST(words_of_a_command)
{
	ck_assert_int_eq(program_files_add_words(&files, "cd /;ls -l|(head -n1)&&no-such x=$(true)",
						 &err),
			 0);
	ck_assert(has("/ls"));
	ck_assert(has("/head"));
	ck_assert(has("/true"));
	ck_assert(!has("no-such"));
}
END_TEST

START_TEST(a_script_brings_its_interpreter)
{
	char path[] = "/tmp/vpup-script-XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "#!/bin/sh -e\n", 13), 13);
	ck_assert_int_eq(fchmod(fd, 0755), 0);
	close(fd);
	ck_assert_int_eq(program_files_add(&files, path, &err), 0);
	ck_assert(has("vpup-script"));
	ck_assert(has("libc.so"));
	unlink(path);
}
END_TEST

/* A tree with modules: "-" for "_", a dependency, a circle. */
static void write_module(const char *dir, const char *name, const char *depends)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "\x7f\x45LF%cdepends=%s%c", 0, depends, 0);
	fclose(f);
}

START_TEST(modules_and_what_they_depend_on)
{
	char dir[] = "/tmp/vpup-modules-XXXXXX", sub[64], command[128];
	struct vm_config cfg = {.rng = true};
	struct modules m = {.count = 0};
	unsigned mode, size;
	size_t at = 0;
	FILE *builtin;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(sub, sizeof(sub), "%s/kernel", dir);
	ck_assert_int_eq(mkdir(sub, 0755), 0);
	write_module(dir, "top-one.ko", "base,other");
	write_module(sub, "base.ko", "");
	write_module(sub, "other.ko", "base");
	write_module(sub, "button.ko", "base");
	snprintf(command, sizeof(command), "%s/modules.builtin", dir);
	builtin = fopen(command, "w");
	ck_assert_ptr_nonnull(builtin);
	fputs("kernel/drivers/builtin.ko\n", builtin);
	fclose(builtin);
	write_module(dir, "round.ko", "again");
	write_module(dir, "again.ko", "round");
	write_module(dir, "lonely.ko", "absent");
	cfg.modules = dir;
	ck_assert_int_eq(modules_add(&m, dir, "top-one", &err), 0);
	ck_assert_int_eq(modules_add(&m, dir, "other", &err), 0);
	ck_assert_int_eq(modules_add(&m, dir, "builtin", &err), 0);
	ck_assert_int_eq(modules_add(&m, dir, "nowhere", &err), -ENOENT);
	ck_assert_uint_eq(m.count, 3);
	ck_assert_str_eq(m.module[0].name, "base");
	ck_assert_str_eq(m.module[1].name, "other");
	ck_assert_str_eq(m.module[2].name, "top_one");
	ck_assert_int_eq(modules_add(&m, dir, "round", &err), -ELOOP);
	ck_assert_ptr_nonnull(strstr(err.text, "circle"));
	ck_assert_int_eq(modules_add(&m, dir, "lonely", &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.text, "has no module absent, which lonely needs"));
	ck_assert_int_eq(modules_add(&m, "/no/such", "base", &err), -ENOTDIR);
	modules_fini(&m);
	ck_assert_int_eq(guest_modules_add(&c, &cfg, "", &err), 0);
	cpio_end(&c);
	ck_assert_str_eq(next_entry(&at, &mode, &size), ".vpup");
	ck_assert_str_eq(next_entry(&at, &mode, &size), ".vpup/modules");
	ck_assert_str_eq(next_entry(&at, &mode, &size), ".vpup/modules/00-base.ko");
	ck_assert_str_eq(next_entry(&at, &mode, &size), ".vpup/modules/01-button.ko");
	ck_assert_str_eq(next_entry(&at, &mode, &size), "TRAILER!!!");
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

Suite *initramfs_suite(void)
{
	Suite *s = suite_create("initramfs");
	TCase *t = tcase_create("initramfs");

	tcase_add_checked_fixture(t, NULL, teardown);
	tcase_add_test(t, an_archive);
	tcase_add_test(t, programs_are_found_as_a_shell_finds_them);
	tcase_add_test(t, a_program_brings_its_libraries);
	tcase_add_test(t, words_of_a_command);
	tcase_add_test(t, a_script_brings_its_interpreter);
	tcase_add_test(t, modules_and_what_they_depend_on);
	suite_add_tcase(s, t);
	return s;
}
