/* SPDX-License-Identifier: MIT */
/* Shell scripts that stand in for `vpup run`. */
#include "tests/unit/fake_child.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fake_child_init(struct fake_child *f, const char *body)
{
	FILE *script;

	strcpy(f->dir, "/tmp/vpup-child-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(f->dir));
	snprintf(f->exe, sizeof(f->exe), "%s/child", f->dir);
	script = fopen(f->exe, "we");
	ck_assert_ptr_nonnull(script);
	fprintf(script, "#!/bin/sh\nDIR=%s\n%s\n", f->dir, body);
	ck_assert_int_eq(fclose(script), 0);
	ck_assert_int_eq(chmod(f->exe, 0700), 0);
}

int fake_child_made(const struct fake_child *f, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	return access(path, F_OK) == 0;
}

void fake_child_fini(struct fake_child *f)
{
	DIR *d = opendir(f->dir);
	struct dirent *entry;

	ck_assert_ptr_nonnull(d);
	while ((entry = readdir(d)))
		unlinkat(dirfd(d), entry->d_name, 0);
	closedir(d);
	ck_assert_int_eq(rmdir(f->dir), 0);
}
